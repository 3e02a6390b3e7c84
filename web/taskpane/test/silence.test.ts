// No control of the pane does nothing in silence: one that is used before everything is there, or while something is under way, waits, is out of use, or says why.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";

import { binary, serveModel, type Server } from "../../shared/test/server.ts";
import { browserPath, launch } from "../../workbench/test/browser.ts";
import { script } from "../../workbench/test/script.ts";
import { engine, errors, markdown, texts } from "../../fakeword/test/double.ts";
import { hasEngine, openPane, type PaneWindow } from "./pane-browser.ts";

const CLAUSES = Array.from({ length: 12 }, (_, at) => `Clause ${at + 1} of the first kind.`);
const SOURCE = CLAUSES.join("\n\n");
const TURNS = script(
  { asked: "many changes", calls: [{ name: "apply_redlines", args: { operations: CLAUSES.map((_, at) => ({ op: "modify_text", originalText: "first", replacementText: "second", target: `P${at + 1}` })) } }], then: "All are changed." },
  { asked: "question one", text: "Answered first." },
  { asked: "question two", text: "Answered second." },
);

describe.skipIf(!binary || !browserPath || !hasEngine)("no control of the pane is silent", { timeout: 180_000 }, () => {
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

  const field = (page: Page) => page.getByLabel("What should change");
  const say = async (page: Page, text: string) => {
    await field(page).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const rest = (page: Page) => page.getByRole("button", { name: "Send" }).waitFor({ timeout: 60_000 });
  const SESSION = /\/v1\/sessions\/[^/]+$/;
  const late = (page: Page, milliseconds: number) =>
    page.route(SESSION, async (route) => {
      // Said at once, and heard late.
      const response = await route.fetch();
      await new Promise((done) => setTimeout(done, milliseconds));
      await route.fulfill({ response }).catch(() => undefined);
    });
  /** A pane in which something was said before, opened anew; what was said is read late. */
  const again = async (milliseconds: number): Promise<PaneWindow> => {
    const window = await openPane(browser, server.baseUrl, markdown(SOURCE));
    await say(window.page, "question one");
    await window.page.getByText("Answered first.").waitFor();
    await rest(window.page);
    await late(window.page, milliseconds);
    await window.reload();
    await window.page.getByRole("button", { name: "New chat" }).waitFor();
    return window;
  };
  const ended = async (window: PaneWindow) => {
    expect(window.misdeeds).toEqual([]);
    await window.close();
  };

  test("what is said before the earlier words are read comes after them, and nothing is lost", async () => {
    const window = await again(2_500);
    const { page } = window;
    await say(page, "question two");
    await page.getByText("Answered second.").waitFor();
    await rest(page);
    await expect.poll(() => page.locator(".bubble").allTextContents()).toEqual(["question one", "question two"]);
    await expect.poll(() => page.locator(".prose").allTextContents()).toEqual(["Answered first.", "Answered second."]);
    await ended(window);
  });

  test("a message that waits for the earlier words can be stopped, and another conversation does not get them", async () => {
    const window = await again(6_000);
    const { page } = window;
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/chat/completions")) sent.push(request.url());
    });
    await say(page, "question two");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor({ timeout: 3_000 });
    await rest(page);
    expect(sent).toEqual([]);
    await page.getByRole("button", { name: "New chat" }).click();
    await page.waitForTimeout(6_500);
    expect(await page.getByText("Answered first.").count()).toBe(0);
    await ended(window);
  });

  test("taking back is stopped between two steps, and what is left can be taken back then", async () => {
    const source = markdown(SOURCE);
    const window = await openPane(browser, server.baseUrl, source, { latency: 20 });
    const { page } = window;
    await say(page, "Make many changes.");
    await page.getByText("All are changed.").waitFor({ timeout: 90_000 });
    await rest(page);
    await page.getByRole("button", { name: "Take these changes back" }).click();
    await page.getByRole("button", { name: "Take back", exact: true }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("stopped before it").first().waitFor();
    await rest(page);
    const half = texts(await window.bytes());
    expect(half.filter((text) => text.includes("second")).length).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Take these changes back" }).click();
    await page.getByRole("button", { name: "Take back", exact: true }).click();
    await rest(page);
    await expect.poll(() => page.getByText("stopped before it").count(), { timeout: 60_000 }).toBe(0);
    const bytes = await window.bytes();
    expect(texts(bytes)).toEqual(texts(source));
    expect(errors(bytes)).toEqual([]);
    await ended(window);
  });

  test("a check that cannot read the document says so where it was asked for", async () => {
    const window = await openPane(browser, server.baseUrl, markdown(SOURCE));
    const { page } = window;
    await page.getByRole("button", { name: "Checks" }).click();
    await page.evaluate(() => {
      (globalThis as unknown as { Word: { run: unknown } }).Word.run = () => Promise.reject(new Error("Word does not answer now"));
    });
    await page.getByRole("button", { name: "Ask all 2" }).click();
    await page.locator(".failure").getByText("Word does not answer now").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Ask all 2" }).isEnabled()).toBe(true);
    await ended(window);
  });

  test("a pane of a server without the engine for pages says so in every view, and changes nothing", async () => {
    const source = markdown(SOURCE);
    // The double of Word needs the module itself; whether it is there is what the pane asks.
    const window = await openPane(browser, server.baseUrl, source, {}, {}, async (context) => {
      await context.route("**/word/engross_wasm_bg.wasm", (route) => (route.request().method() === "HEAD" ? route.fulfill({ status: 404 }) : route.fallback()));
    });
    const { page } = window;
    await say(page, "question one");
    await page.getByText("Answered first.").waitFor();
    await rest(page);
    await say(page, "Make many changes.");
    await page.locator(".step .why").getByText("the engine for pages is not there").first().waitFor();
    await rest(page);
    await page.getByRole("button", { name: "Compare", exact: true }).first().click();
    await page.getByLabel("File").setInputFiles({ name: "other.docx", mimeType: "application/octet-stream", buffer: Buffer.from(source) });
    await page.locator("form").getByRole("button", { name: "Compare" }).click();
    await page.locator(".problem").getByText(/^ENGINE_MISSING: /).waitFor();
    expect(texts(await window.bytes())).toEqual(texts(source));
    await ended(window);
  });

  test("a key that cannot be tried is said to be so in the dialog", async () => {
    const locked = await serveModel(TURNS, {}, "--token", "s3cret-key");
    const window = await openPane(browser, locked.baseUrl, markdown(SOURCE));
    const { page } = window;
    const key = page.getByRole("dialog").getByLabel("Key");
    await key.fill("  ");
    await expect.poll(() => page.getByRole("button", { name: "Enter" }).isDisabled()).toBe(true);
    await page.route(/\/v1\/models$/, (route) => route.abort());
    await key.fill("s3cret-key");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("dialog").getByText("CONNECTION_LOST").waitFor();
    await page.unroute(/\/v1\/models$/);
    await page.getByRole("button", { name: "Enter" }).click();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await ended(window);
    await locked.stop();
  });

  test("a comparison goes on while another view is looked at, and is there then", async () => {
    const window = await openPane(browser, server.baseUrl, markdown(SOURCE));
    const { page } = window;
    await page.getByRole("button", { name: "Compare", exact: true }).first().click();
    await page.getByLabel("File").setInputFiles({ name: "earlier.docx", mimeType: "application/octet-stream", buffer: Buffer.from(markdown(SOURCE.replace("Clause 3", "Clause three"))) });
    await page.locator("form").getByRole("button", { name: "Compare" }).click();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Compare", exact: true }).first().click();
    await page.getByText(/^\d+ changes$/).waitFor();
    await expect.poll(() => page.getByLabel("File").evaluate((input) => (input as HTMLInputElement).files?.[0]?.name)).toBe("earlier.docx");
    await ended(window);
  });
});
