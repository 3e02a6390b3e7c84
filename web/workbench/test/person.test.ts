// What a person does with their own file, without a manual, and the mistakes that they make.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readFileSync } from "node:fs";
import { binary, serveModel } from "../../shared/test/server.ts";
import type { Server } from "../../shared/test/server.ts";
import { APPEARANCES, browserPath, drop, example, expectAccessible, launch, open } from "./browser.ts";
import type { Window } from "./browser.ts";

const nda = example("nda.docx");

describe.skipIf(!binary || !browserPath)("a person", () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([serveModel("rules", {}), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function withDocument(name = "nda.docx", options = {}): Promise<Window> {
    const window = await open(browser, server.baseUrl, "", options);
    await drop(window.page, ".drop", { name, bytes: nda });
    await window.page.waitForSelector(".paper [data-address]");
    return window;
  }

  const changes = (page: Page) => page.locator(".change-row");
  const say = async (page: Page, text: string) => {
    await page.getByLabel("What should change?").last().fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };

  test("drops a document, asks for a change, reviews it, comments and downloads", async () => {
    const { page, misdeeds, close } = await withDocument();
    await expect.poll(() => page.textContent(".paper")).toContain("Mutual Non-Disclosure Agreement");
    await expect.poll(() => changes(page).count()).toBe(1);

    await page.getByLabel("Your name").fill("Grace Hopper");
    await say(page, 'replace "three (3) years" with "five (5) years"');
    await page.getByText("Operations applied: 1").waitFor();
    await page.getByRole("tab", { name: /Changes/ }).click();
    await expect.poll(() => changes(page).count()).toBe(3);
    const mine = changes(page).filter({ hasText: "Grace Hopper" });
    await expect.poll(() => mine.count()).toBe(2);
    await expect.poll(() => mine.first().textContent()).toMatch(/Replaced.*three.*five.*P50/s);

    // A double click is one decision.
    await mine.first().getByRole("button", { name: /Accept change/ }).dblclick();
    await page.getByText("1 accepted.").waitFor();
    await expect.poll(() => changes(page).count()).toBe(2);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Taken back.").waitFor();
    await expect.poll(() => changes(page).count()).toBe(3);

    // All of one author at once.
    await page.getByLabel("Author").selectOption("Grace Hopper");
    await page.getByRole("button", { name: "Accept 2" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
    await page.getByText("2 accepted.").waitFor();
    await expect.poll(() => changes(page).count()).toBe(0);
    await page.getByLabel("Author").selectOption("");
    await changes(page).first().getByRole("button", { name: /Reject change/ }).click();
    await page.getByText("There are no tracked changes.").waitFor();
    await expect.poll(() => page.textContent(".paper")).toContain("five (5) years");

    await page.locator('.paper [data-address="P51"]').click();
    await page.getByRole("tab", { name: /Comments/ }).click();
    await expect.poll(() => page.getByLabel("Paragraph", { exact: true }).inputValue()).toBe("P51");
    await page.getByLabel("Words in it").fill("thirty (30) days");
    await page.getByLabel("Comment", { exact: true }).fill("Our usual notice is sixty days.");
    await page.getByRole("button", { name: "Add comment" }).click();
    const comment = page.locator(".thread").filter({ hasText: "sixty days" });
    await comment.waitFor();
    await expect.poll(() => comment.textContent()).toMatch(/Grace Hopper.*P51.*thirty \(30\) days/s);

    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Document (.docx)" }).click()]);
    expect(file.suggestedFilename()).toBe("nda.docx");
    expect(readFileSync(await file.path()).subarray(0, 2).toString()).toBe("PK");
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("gives operations, sees why one was refused, and keeps what was typed", async () => {
    const { page, misdeeds, close } = await withDocument();
    await page.getByRole("radio", { name: "Operations" }).check();
    const field = page.getByLabel("Operations as JSON");
    const typed = '[{"op":"delete_paragraph","paragraphIndex":3},{"op":"modify_text","originalText":"nowhere to be found","replacementText":"x"}]';
    await field.fill(`${typed},`);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("OPERATIONS_INVALID").waitFor();
    await field.fill(typed);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.locator(".outcome.is-refused").getByText("TEXT_NOT_FOUND").waitFor();
    await expect.poll(() => page.locator(".outcome.is-applied").count()).toBe(1);
    await expect.poll(() => field.inputValue()).toBe(typed);

    await field.fill('[{"op":"modify_text","originalText":"nowhere to be found","replacementText":"x"}]');
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("NOTHING_APPLIED", { exact: true }).waitFor();
    await page.getByText("Say more exactly what to change").waitFor();
    await expect.poll(() => page.locator(".outcome.is-refused").count()).toBe(1);
    await expect.poll(() => field.inputValue()).toContain("nowhere");

    const [list] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "List of changes (.csv)" }).click()]);
    const rows = readFileSync(await list.path(), "utf8").trim().split("\r\n");
    expect(rows.length).toBe(1 + (await changes(page).count()));
    expect(rows[0]).toContain("Author");
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("drops what is no document and is told so, with what to do", async () => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl);
    for (const [name, bytes, code] of [
      ["report.docx", Buffer.from("%PDF-1.7\nnot a document"), "NOT_A_ZIP"],
      ["old.docx", Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Array(512).fill(0)]), /LEGACY_DOC|PACKAGE_ENCRYPTED/],
      ["empty.docx", Buffer.alloc(0), /NOT_A_ZIP|ZIP_/],
    ] as const) {
      await drop(page, ".drop", { name, bytes });
      await page.locator(".failure .code").getByText(code).waitFor();
      await expect.poll(() => page.locator(".failure-remedy").textContent()).toMatch(/What to do: \S.{10,}/);
      await page.getByRole("button", { name: "Close" }).click();
    }
    await page.reload();
    await page.waitForSelector(".drop");
    expect(await page.textContent("main")).not.toContain("report.docx");
    // A file that misses its place does not replace the page.
    await drop(page, "header", { name: "x.docx", bytes: nda });
    await expect.poll(() => page.locator(".drop").count()).toBe(1);
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("works in two tabs, and neither overwrites the other", async () => {
    const window = await withDocument();
    const { page, misdeeds, close } = window;
    const other = await window.tab();
    await other.waitForSelector(".change-row");
    await say(page, "delete paragraph 3");
    await page.getByText("Operations applied: 1").waitFor();
    // At once, before the other tab has looked: what it shows is stale, which it says, and shows what is there.
    await other.getByRole("button", { name: /Accept change 1/ }).click();
    await Promise.race([other.getByText("STALE_REVISION").waitFor(), other.getByText("1 accepted.").waitFor()]);
    await expect.poll(async () => (await other.locator(".change-row").count()) > 0).toBe(true);
    const count = await other.locator(".change-row").count();
    await page.getByRole("tab", { name: /Changes/ }).click();
    await expect.poll(() => changes(page).count(), { timeout: 8_000 }).toBe(count);
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("goes back to a version, and compares one with now", async () => {
    const { page, misdeeds, close } = await withDocument("terms & conditions.docx");
    await say(page, 'replace "three (3) years" with "five (5) years"');
    await page.getByText("Operations applied: 1").waitFor();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Compare with now" }).click();
    await page.getByRole("heading", { name: "terms & conditions.redline.docx" }).waitFor();
    await expect.poll(() => changes(page).count()).toBeGreaterThan(0);
    await page.goBack();
    await page.getByRole("heading", { name: "terms & conditions.docx" }).waitFor();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Go back to this" }).click();
    await page.getByRole("dialog").getByText("Would be gone").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Go back to this" }).click();
    await page.getByText("The document is as it was.").waitFor();
    expect(await page.textContent(".paper")).not.toContain("five");
    expect(misdeeds).toEqual([]);
    await close();
  });

  test.each(APPEARANCES)("can use it %s, by keyboard and with a screen reader", { timeout: 120_000 }, async (name, appearance) => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "", appearance);
    await page.waitForSelector(".drop");
    await expectAccessible(page, `documents ${name}`);
    const fits = async (place: string) => {
      const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(width, `nothing stands out of the window: ${place}`).toBeLessThanOrEqual(0);
    };
    for (const [place, title] of [["compare", "Compare two documents"], ["sessions", "Sessions"], ["tasks", "Tasks"], ["writes", "Files written by models"], ["skills", "Skills"], ["server", "Server"]] as const) {
      await page.goto(`${page.url().split("#")[0]}#/${place}`);
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      if (place === "skills") await page.getByText("Nothing was learnt yet").waitFor();
      await expectAccessible(page, `${place} ${name}`);
      await fits(place);
    }
    await page.goto(`${page.url().split("#")[0]}#/documents`);
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.waitForSelector(".tabs");
    for (const tab of ["Changes", "Comments", "Conversation", "Versions"]) {
      await page.getByRole("tab", { name: new RegExp(tab) }).click();
      await expectAccessible(page, `${tab} ${name}`);
    }
    await fits("a document");
    expect(misdeeds).toEqual([]);
    await close();
  });
});
