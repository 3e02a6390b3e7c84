// What goes wrong around a person: the server dies in a turn, the page is loaded anew, a document is busy or long.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { binary, serveModel } from "../../shared/test/server.ts";
import { browserPath, drop, example, launch, open } from "./browser.ts";
import { script } from "./script.ts";

const nda = example("nda.docx");

describe.skipIf(!binary || !browserPath)("trouble", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  const say = async (page: Page, text: string) => {
    await page.getByLabel("What should change?").last().fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const typed = (page: Page) => page.getByLabel("What should change?").last().inputValue();
  const SLOW = script(
    { asked: "slowly", text: "one two three four five six seven eight nine ten eleven twelve", delay: 250 },
    { asked: "for ever", text: "one two three", hangsAfter: 2 },
    { asked: "edit", text: "", calls: [{ name: "apply_redlines", args: { operations: [{ op: "delete_paragraph", paragraphIndex: 3 }] } }], then: "Deleted P3." },
  );

  test("the server dies in a turn: it is said, the text is back, and sending it again works", async () => {
    let server = await serveModel(SLOW, {});
    const { page, misdeeds, close } = await open(browser, server.baseUrl);
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.waitForSelector(".paper [data-address]");
    await say(page, "count slowly");
    await page.getByText("one two").waitFor();
    await server.kill();
    await page.locator(".failure").getByText("CONNECTION_LOST").first().waitFor({ timeout: 20_000 });
    await expect.poll(() => typed(page)).toBe("count slowly");
    const port = Number(new URL(server.baseUrl).port);
    server = await serveModel(SLOW, { port, data: server.data });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("eleven twelve").last().waitFor({ timeout: 20_000 });
    await expect.poll(() => typed(page)).toBe("");
    expect(misdeeds).toEqual([]);
    await close();
    await server.stop();
  }, 60_000);

  test("the page is loaded anew in a turn: the turn goes on, and is heard", async () => {
    const server = await serveModel(SLOW, {});
    const { page, misdeeds, close } = await open(browser, server.baseUrl);
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.waitForSelector(".paper [data-address]");
    await say(page, "count slowly");
    await page.getByText("one two").waitFor();
    await page.reload();
    await page.getByRole("tab", { name: /Conversation/ }).click();
    await page.getByText("one two").waitFor();
    await page.getByText("eleven twelve").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Send" }).count()).toBe(1);
    await expect.poll(() => page.locator(".bubble").count()).toBe(1);
    // A turn that hangs is stopped, and what was typed meanwhile is not lost.
    await say(page, "talk for ever");
    await page.getByText("The model is working").waitFor();
    await page.getByLabel("What should change?").last().fill("and another thing");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".failure").getByText("TURN_CANCELLED", { exact: true }).waitFor();
    await expect.poll(() => typed(page)).toBe("and another thing");
    // Two sends of the same text are two messages, one click is one.
    await say(page, "edit it");
    await page.getByText("Deleted P3.").waitFor();
    await page.locator("details.call").getByText("1 applied").waitFor();
    expect(misdeeds).toEqual([]);
    await close();
    await server.stop();
  }, 60_000);

  test("a document that somebody else writes: it is said with its code, and nothing typed is lost", async () => {
    const server = await serveModel("rules", {});
    const { page, misdeeds, close } = await open(browser, server.baseUrl);
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.waitForSelector(".paper [data-address]");
    await page.route("**/operations", (route) =>
      route.fulfill({
        status: 429,
        headers: { "content-type": "application/json", "retry-after": "1" },
        body: JSON.stringify({ error: { code: "DOCUMENT_BUSY", message: "nda.docx: somebody else writes it", type: "rate_limit_error", details: {} } }),
      }),
    );
    await page.locator('.paper [data-address="P5"]').click();
    await page.getByRole("tab", { name: /Comments/ }).click();
    await page.getByLabel("Comment", { exact: true }).fill("Please check.");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.getByText("DOCUMENT_BUSY", { exact: true }).waitFor();
    await expect.poll(() => page.locator(".failure-remedy").textContent()).toMatch(/again/i);
    await expect.poll(() => page.getByLabel("Comment", { exact: true }).inputValue()).toBe("Please check.");
    await page.unroute("**/operations");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.locator(".thread").filter({ hasText: "Please check." }).waitFor();
    expect(misdeeds).toEqual([]);
    await close();
    await server.stop();
  });

  test("a message that is sent before everything was read is sent", async () => {
    const server = await serveModel(SLOW, {});
    const { page, misdeeds, close } = await open(browser, server.baseUrl);
    for (const slow of [/list=revisions/, /list=comments/, /\/v1\/sessions\//]) {
      await page.route(slow, async (route) => {
        await new Promise((done) => setTimeout(done, 1500));
        await route.continue();
      });
    }
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.waitForSelector(".paper [data-address]");
    expect(await page.locator(".change-row").count()).toBe(0);
    await say(page, "count slowly");
    await page.getByText("eleven twelve").waitFor();
    await expect.poll(() => page.locator(".bubble").count()).toBe(1);
    await expect.poll(() => typed(page)).toBe("");
    expect(misdeeds).toEqual([]);
    await close();
    await server.stop();
  });

  test("another page, and back: what was typed is there", async () => {
    const server = await serveModel("rules", {});
    const { page, close } = await open(browser, server.baseUrl);
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.waitForSelector(".paper [data-address]");
    await page.getByLabel("What should change?").last().fill("a long thought");
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.goBack();
    await page.waitForSelector(".paper [data-address]");
    await expect.poll(() => typed(page)).toBe("a long thought");
    await close();
    await server.stop();
  });
});
