// No control does nothing in silence: one that is used before everything is there, twice, or while something is under way waits, is out of use, or says why.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page, Request } from "playwright-core";
import { binary, serveModel } from "../../shared/test/server.ts";
import type { Server } from "../../shared/test/server.ts";
import { browserPath, drop, example, launch, open } from "./browser.ts";
import type { Window } from "./browser.ts";
import { script } from "./script.ts";

const nda = example("nda.docx");
const MODEL = script(
  { asked: "slowly", text: "one two three four five six seven eight nine ten eleven twelve", delay: 250 },
  { asked: "edit", text: "", calls: [{ name: "apply_redlines", args: { operations: [{ op: "modify_text", originalText: "three (3) years", replacementText: "five (5) years" }] } }], then: "Changed, see [P50] and [P999]." },
  { asked: "question", text: "Answered." },
);

describe.skipIf(!binary || !browserPath)("no control is silent", { timeout: 60_000 }, () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([serveModel(MODEL, {}), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const say = async (page: Page, text: string) => {
    await page.getByLabel("What should change?").last().fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const typed = (page: Page) => page.getByLabel("What should change?").last().inputValue();
  const withDocument = async (options = {}): Promise<Window> => {
    const window = await open(browser, server.baseUrl, "", options);
    await drop(window.page, ".drop", { name: "nda.docx", bytes: nda });
    await window.page.waitForSelector(".change-row");
    return window;
  };
  /** Requests that the page makes from now on. */
  const asked = (page: Page, fits: (request: Request) => boolean): Request[] => {
    const seen: Request[] = [];
    page.on("request", (request) => {
      if (fits(request)) seen.push(request);
    });
    return seen;
  };
  const late = (page: Page, where: RegExp, milliseconds: number, method?: string) =>
    page.route(where, async (route) => {
      if (method === undefined || route.request().method() === method) await new Promise((done) => setTimeout(done, milliseconds));
      await route.continue().catch(() => undefined);
    });
  const ended = async ({ misdeeds, close }: Window) => {
    expect(misdeeds).toEqual([]);
    await close();
  };

  test("a paragraph that moves under the pointer is chosen all the same", async () => {
    const window = await withDocument();
    const { page } = window;
    const paragraph = page.locator('.paper [data-address="P50"]');
    await paragraph.scrollIntoViewIfNeeded();
    const box = await paragraph.boundingBox();
    if (!box) throw new Error("it is not drawn");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await paragraph.evaluate((element) => element.before(Object.assign(document.createElement("p"), { style: "height: 300px" })));
    await page.mouse.up();
    await page.getByRole("tab", { name: /Comments/ }).click();
    await expect.poll(() => page.getByLabel("Paragraph", { exact: true }).inputValue()).toBe("P50");
    await ended(window);
  });

  test("a change leads to its place on a narrow screen, too, and a place that is gone is said to be", async () => {
    const window = await withDocument({ viewport: { width: 320, height: 640 } });
    const { page } = window;
    await page.locator(".change-text").first().click();
    // The mark fades; what was marked does not.
    const marked = await page.locator(".paper .found").elementHandle();
    const top = async () => (await marked?.boundingBox())?.y ?? -1;
    await expect.poll(async () => (await top()) >= 0 && (await top()) < 640).toBe(true);
    await page.getByRole("tab", { name: /Conversation/ }).click();
    await say(page, "edit it");
    await page.getByText("Changed, see").waitFor();
    await page.getByRole("button", { name: "P999", exact: true }).click();
    await page.getByText("P999 is not in the document any more.").waitFor();
    await page.getByRole("button", { name: "P50", exact: true }).click();
    await expect.poll(() => page.locator('.paper [data-address="P50"].found').isVisible()).toBe(true);
    await ended(window);
  });

  test("a task cannot be started before it is known by whom, and it is said where nobody can", async () => {
    const window = await open(browser, server.baseUrl, "");
    const { page } = window;
    let given: ((value: unknown) => void) | undefined;
    const gate = new Promise((resolve) => (given = resolve));
    await page.route(/./, async (route) => {
      if ((route.request().postData() ?? "").includes("acp.capabilities")) await gate;
      await route.fallback();
    });
    await page.goto(`${window.origin}/#/tasks`);
    await page.getByLabel("What is to be done?").fill("Please question the term");
    const start = page.getByRole("button", { name: "Start" });
    await expect.poll(() => start.isDisabled()).toBe(true);
    given?.(undefined);
    await start.click();
    await page.getByRole("heading", { name: "Please question the term" }).waitFor();
    await ended(window);
  });

  test("a message that is stopped before it is on its way is put back, and not sent", async () => {
    const window = await open(browser, server.baseUrl);
    const { page } = window;
    const sent = asked(page, (request) => request.url().endsWith("/chat/completions"));
    await late(page, /\/v1\/sessions\//, 4_000);
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.waitForSelector(".paper [data-address]");
    await say(page, "count slowly");
    await page.getByRole("button", { name: "Stop" }).click();
    await expect.poll(() => typed(page), { timeout: 2_000 }).toBe("count slowly");
    await page.getByRole("button", { name: "Send" }).waitFor();
    await page.waitForTimeout(4_500);
    expect(sent.length).toBe(0);
    await page.unroute(/\/v1\/sessions\//);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("eleven twelve").waitFor({ timeout: 20_000 });
    await ended(window);
  });

  test("a turn that the server has not begun when it is stopped is stopped", async () => {
    const window = await withDocument();
    const { page } = window;
    await late(page, /\/chat\/completions$/, 1_500, "POST");
    await say(page, "count slowly");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".failure").getByText("TURN_CANCELLED", { exact: true }).waitFor({ timeout: 20_000 });
    expect(await page.textContent("main")).not.toContain("eleven twelve");
    await ended(window);
  });

  test("undo takes back the decision that it was offered for, and nothing that came after", async () => {
    const window = await withDocument();
    const { page } = window;
    await page.getByRole("button", { name: /Accept change 1/ }).click();
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.waitFor();
    // The model changes the document meanwhile; going back would take that away.
    await say(page, "edit it");
    await page.getByText("Changed, see").waitFor();
    await expect.poll(() => page.textContent(".paper")).toContain("five");
    if (await undo.isVisible()) {
      await undo.click();
      await page.locator(".failure .code").first().waitFor();
    }
    await expect.poll(() => page.textContent(".paper")).toContain("five");
    expect(await page.getByText("Taken back.").count()).toBe(0);
    await ended(window);
  });

  test("undo is not on offer while the next decision is being written", async () => {
    const window = await withDocument();
    const { page } = window;
    await page.getByRole("radio", { name: "Operations" }).check();
    await page.getByLabel("Operations as JSON").fill('[{"op":"delete_paragraph","paragraphIndex":3},{"op":"delete_paragraph","paragraphIndex":6}]');
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: /Accept change 2/ }).waitFor();
    await page.getByRole("button", { name: /Accept change 1/ }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await late(page, /\/operations$/, 1_500);
    await page.getByRole("button", { name: /Reject change 1/ }).click();
    await expect.poll(() => page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await page.getByText("1 rejected.").waitFor();
    await ended(window);
  });

  test("a question that is being acted on cannot be closed before its end is told", async () => {
    const window = await withDocument();
    const { page } = window;
    await late(page, /\/operations$/, 1_500);
    await page.getByRole("button", { name: /^Accept \d+$/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Accept" }).click();
    await expect.poll(() => dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    await page.getByText("accepted.").waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
    await ended(window);
  });

  test("what is dropped while another document is read is opened after it", async () => {
    const window = await open(browser, server.baseUrl);
    const { page } = window;
    await late(page, /\/v1\/workspaces\/first/, 1_500, "PUT");
    await drop(page, ".drop", { name: "first.docx", bytes: nda });
    await page.getByText("first.docx").first().waitFor();
    await drop(page, ".drop", { name: "second.docx", bytes: nda });
    await page.getByRole("heading", { name: "second.docx" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "first.docx" }).waitFor();
    await ended(window);
  });

  test("earlier messages that were asked for stay where they are", async () => {
    const window = await open(browser, server.baseUrl);
    const { page } = window;
    const messages = Array.from({ length: 40 }, (_, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `message ${at}` }));
    const fetched: string[] = [];
    await page.route(/\/v1\/sessions\/long/, async (route) => {
      const before = Number(new URL(route.request().url()).searchParams.get("before") ?? 40);
      fetched.push(String(before));
      const first = Math.max(0, before - 20);
      await route.fulfill({ json: { key: "long", id: "long", state: "idle", turns: 20, settings: {}, workspace: null, messages: messages.slice(first, before), first_message: first } });
    });
    await page.goto(`${window.origin}/#/session/long`);
    await page.getByText("message 39").waitFor();
    await page.getByRole("button", { name: "Older messages" }).dblclick();
    await page.getByText("message 1", { exact: true }).waitFor();
    expect(await page.getByText("message 3", { exact: true }).count()).toBe(1);
    const before = fetched.filter((what) => what === "40").length;
    // The page looks after the session now and then.
    await expect.poll(() => fetched.filter((what) => what === "40").length, { timeout: 15_000 }).toBeGreaterThan(before);
    await page.waitForTimeout(300);
    expect(await page.getByText("message 1", { exact: true }).count()).toBe(1);
    expect(await page.getByText("message 39", { exact: true }).count()).toBe(1);
    await ended(window);
  });

  test("nothing can be sent that has no words, and a copy that the browser refuses is said", async () => {
    const window = await open(browser, server.baseUrl, "#/compare");
    const { page } = window;
    await expect.poll(() => page.getByRole("button", { name: "Swap" }).isDisabled()).toBe(true);
    await page.goto(`${window.origin}/#/sessions`);
    await page.getByRole("button", { name: "New session" }).click();
    await page.getByLabel("Name of the session").fill("  ");
    await expect.poll(() => page.getByRole("button", { name: "Open" }).isDisabled()).toBe(true);
    await page.evaluate(() => Object.defineProperty(navigator.clipboard, "writeText", { value: () => Promise.reject(new Error("denied")) }));
    await page.evaluate(() => (location.hash = "#/server"));
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("The browser does not let the page copy.").waitFor();
    await ended(window);
  });
});
