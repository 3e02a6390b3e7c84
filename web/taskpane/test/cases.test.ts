// Cases of a contract for panes: each with its number, in a real browser beside the double of Word.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";

import { binary, serveModel, type Server } from "../../shared/test/server.ts";
import { browserPath, launch } from "../../workbench/test/browser.ts";
import { script } from "../../workbench/test/script.ts";
import { engine, errors, markdown, revisions, texts } from "../../fakeword/test/double.ts";
import { hasEngine, openPane, type PaneWindow } from "./pane-browser.ts";

const CONTRACT = "# Services\n\nThe Supplier shall deliver within thirty (30) days.\n\nNotices are sent by registered post.\n\nThe law of Ireland governs.\n\nSigned by both.";
const CLAUSES = Array.from({ length: 12 }, (_, at) => `Clause ${at + 1} of the first kind.`);
/** 150,000 words. */
const LONG = Array.from({ length: 2_000 }, (_, at) => `Paragraph ${at + 1} ${"says what the parties have agreed on ".repeat(10)}${at === 1_700 ? "about the zeppelin" : ""}.`);

const change = (originalText: string, replacementText: string) => ({ op: "modify_text", originalText, replacementText });
const TURNS = script(
  { asked: "many changes", calls: [{ name: "apply_redlines", args: { operations: CLAUSES.map((_, at) => ({ ...change("first", "second"), target: `P${at + 1}` })) } }], then: "All are changed." },
  {
    asked: "two things",
    calls: [
      { name: "apply_redlines", args: { operations: [change("thirty (30)", "sixty (60)")] } },
      { name: "apply_redlines", args: { operations: [change("Ireland", "Scotland")] } },
    ],
    then: "Both are done.",
  },
  { asked: "read and find", calls: [{ name: "read_document", args: {} }, { name: "read_document", args: { search: "zeppelin" } }, { name: "read_document", args: { from: "P1990" } }], then: "It is about a zeppelin." },
  { asked: "peruse", calls: [{ name: "read_document", args: {} }], then: "I have read it." },
  { asked: "question", text: "Answered." },
  { asked: "defined terms", text: "GOOD\nAll are." },
  { asked: "time limits", text: `LOOK\n${"word ".repeat(1_000)}`, delay: 50 },
  { asked: "slow answer", text: "word ".repeat(1_000), delay: 50 },
);

describe.skipIf(!binary || !browserPath || !hasEngine)("a pane", { timeout: 180_000 }, () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    await engine();
    [server, browser] = await Promise.all([serveModel(TURNS, {}), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const say = async (page: Page, text: string) => {
    await page.getByLabel("What should change").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const rest = async (page: Page) => page.getByRole("button", { name: "Send" }).waitFor({ timeout: 60_000 });
  const sound = async (window: PaneWindow, source: Uint8Array) => {
    const bytes = await window.bytes();
    expect(errors(bytes)).toEqual([]);
    expect(texts(bytes, "original")).toEqual(texts(source));
    expect(window.misdeeds).toEqual([]);
    return bytes;
  };

  test("case 154, F9: a stop between two changes leaves what is done, read back, and names the rest", async () => {
    const source = markdown(CLAUSES.join("\n\n"));
    const window = await openPane(browser, server.baseUrl, source, { latency: 120 });
    const { page } = window;
    await say(page, "Make many changes.");
    await page.getByText(/Applying changes [2-9]\/12/).waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor({ timeout: 60_000 });
    await rest(page);
    const rows = await page.locator(".card").last().locator(".outcome").allTextContents();
    const done = rows.filter((row) => /Changed · typed by Word · .+ · read back/.test(row)).length;
    expect([rows.length, rows.filter((row) => row.includes("Stopped before it")).length]).toEqual([12, 12 - done]);
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(12);
    const bytes = await sound(window, source);
    expect(texts(bytes).filter((text) => text.includes("second")).length).toBe(done);
    // The server has no turn under way, and the conversation goes on.
    await say(page, "A question.");
    await page.getByText("Answered.").waitFor();
    await window.close();
  });

  test("case 149: two calls of one turn are two outcomes, each taken back by itself", async () => {
    const source = markdown(CONTRACT);
    const window = await openPane(browser, server.baseUrl, source);
    const { page } = window;
    await say(page, "Do two things.");
    await page.getByText("Both are done.").waitFor();
    await rest(page);
    await expect.poll(() => page.locator("section.card").count()).toBe(2);
    await page.locator("section.card").first().getByRole("button", { name: "Take these changes back" }).click();
    await page.getByRole("button", { name: "Take back", exact: true }).click();
    await page.getByText("taken back").waitFor();
    const bytes = await sound(window, source);
    expect([texts(bytes)[1], texts(bytes)[3]]).toEqual(["The Supplier shall deliver within thirty (30) days.", "The law of Scotland governs."]);
    await window.close();
  });

  test("case 161: a document of 150,000 words is read by pages and by search, and not refused", async () => {
    const source = markdown(LONG.join("\n\n"));
    const window = await openPane(browser, server.baseUrl, source);
    const { page } = window;
    await say(page, "Please read and find.");
    await page.getByText("It is about a zeppelin.").waitFor({ timeout: 60_000 });
    await rest(page);
    const read = (await messages("Please read and find.")).filter(({ role, content }) => role === "tool" && content.startsWith("2000 paragraphs"));
    expect(read.length).toBe(3);
    for (const { content } of read) expect(content.length).toBeLessThan(30_000);
    expect(read[0]?.content).toMatch(/more: from P?\d+/);
    expect(read[1]?.content).toContain("zeppelin");
    expect(read[2]?.content).toContain("Paragraph 2000 ");
    await sound(window, source);
    await window.close();
  });

  test("case 162: five questions send the document once", async () => {
    const window = await openPane(browser, server.baseUrl, markdown(CONTRACT));
    const { page } = window;
    await say(page, "peruse it");
    await page.getByText("I have read it.").waitFor();
    for (let at = 0; at < 4; at += 1) {
      await rest(page);
      await say(page, `question ${at}`);
      await page.getByText("Answered.").nth(at).waitFor();
    }
    const said = JSON.stringify(await messages("peruse it"));
    expect(said.split("registered post").length - 1).toBe(1);
    await window.close();
  });

  test("case 165, F10: two documents in two panes at once share nothing", async () => {
    const sources = [markdown(CONTRACT), markdown(`# Other\n\n${CONTRACT}`)] as const;
    const windows = await Promise.all(sources.map((source) => openPane(browser, server.baseUrl, source)));
    await Promise.all(windows.map(({ page }) => say(page, "Do two things.")));
    await Promise.all(windows.map(({ page }) => page.getByText("Both are done.").waitFor()));
    await Promise.all(windows.map(({ page }) => rest(page)));
    const [one, other] = windows as [PaneWindow, PaneWindow];
    const kept = revisions(await other.bytes());
    for (const card of [0, 1]) {
      await one.page.locator("section.card").nth(card).getByRole("button", { name: "Take these changes back" }).click();
      await one.page.getByRole("button", { name: "Take back", exact: true }).click();
      await one.page.getByText("taken back").nth(card).waitFor();
    }
    expect(texts(await sound(one, sources[0]))).toEqual(texts(sources[0]));
    expect(revisions(await sound(other, sources[1]))).toEqual(kept);
    expect(kept.length).toBeGreaterThan(1);
    await Promise.all(windows.map((window) => window.close()));
  });

  test("case 167: checks are asked when the person says so, how many is said before, and stop when they say so", async () => {
    const source = markdown(CONTRACT);
    const window = await openPane(browser, server.baseUrl, source);
    const { page } = window;
    await page.getByRole("button", { name: "Checks" }).click();
    await page.getByRole("button", { name: "Ask all 2" }).waitFor();
    await expect.poll(() => page.locator(".card .tag").count()).toBe(0);
    await page.getByRole("button", { name: "Ask all 2" }).click();
    await page.getByText("under way").waitFor();
    await page.locator(".card .tag.good").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Ask all 2" }).waitFor({ timeout: 30_000 });
    await expect.poll(() => page.locator(".card .tag.warn").count()).toBe(0);
    await expect.poll(() => page.getByText("under way").count()).toBe(0);
    // The model has stopped, too, and the questions have left no conversation on the server.
    const { data } = (await (await fetch(`${server.baseUrl}/sessions`)).json()) as { data: { key: string }[] };
    expect(data.filter(({ key }) => key.includes("check-"))).toEqual([]);
    // What was answered stays, and is not asked again: the text is the same.
    await expect.poll(() => page.locator(".card .tag.good").count()).toBe(1);
    await sound(window, source);
    await window.close();
  });

  test("case 168: what comes late of a turn that was stopped is not shown in the next", async () => {
    const window = await openPane(browser, server.baseUrl, markdown(CONTRACT));
    const { page } = window;
    await say(page, "A slow answer.");
    await page.getByText("word word").first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    await rest(page);
    await say(page, "A question.");
    await page.getByText("Answered.").waitFor();
    await rest(page);
    await page.waitForTimeout(1_000);
    await expect.poll(() => page.locator(".prose").last().textContent()).toBe("Answered.");
    expect(window.misdeeds).toEqual([]);
    await window.close();
  });

  /** What was said in the conversation that has these words of the person. */
  async function messages(asked: string): Promise<readonly { role: string; content: string }[]> {
    const { data } = (await (await fetch(`${server.baseUrl}/sessions`)).json()) as { data: { key: string }[] };
    for (const { key } of data) {
      const session = (await (await fetch(`${server.baseUrl}/sessions/${encodeURIComponent(key)}`)).json()) as { messages: { role: string; content: string }[] };
      if (session.messages.some(({ role, content }) => role === "user" && content === asked)) return session.messages;
    }
    throw new Error(`nobody has asked: ${asked}`);
  }
});
