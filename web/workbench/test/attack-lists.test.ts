// Hostile names, titles, lessons, questions and files in every list of the page, which nobody chose who reads it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";

import { createSessionClient } from "../../shared/src/session-client.ts";
import { binary, serveModel, type Server } from "../../shared/test/server.ts";
import { APPEARANCES, browserPath, example, expectAccessible, launch, open } from "./browser.ts";
import { expectInert, expectShown, HOSTILE, MARKS } from "./hostile.ts";
import { script } from "./script.ts";

const TURNED = HOSTILE.at(-1) ?? "";
const folder = mkdtempSync(join(tmpdir(), "engross-hostile-"));
const file = (name: string, value: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};
const run = (...arguments_: string[]) => execFileSync(binary ?? "", arguments_, { stdio: "ignore" });

describe.skipIf(!binary || !browserPath)("an attacker in the lists", { timeout: 90_000 }, () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    const book = join(folder, "book.json");
    const lesson = (id: string, content: string, status: string, more: object = {}) => ({ id, section: HOSTILE[0], content, justification: HOSTILE[1], evidence: HOSTILE[2], helpful: 1, harmful: 0, neutral: 0, status: "invalid", active: false, engross: { status, quarantine: [], ...more } });
    const skills = Object.fromEntries(HOSTILE.map((text, at) => [`x-0000${at}`, lesson(`x-0000${at}`, text, at % 2 === 0 ? "candidate" : "quarantined", at % 2 === 0 ? {} : { quarantine: ["proposal"] })]));
    run("skills", "import", file("import.json", { skills, sections: { [HOSTILE[0] ?? ""]: Object.keys(skills) }, next_id: 99 }), "--skillbook", book);
    const agent = fileURLToPath(new URL("hostile-agent.mjs", import.meta.url));
    const settings = `skillbook = ${JSON.stringify(book)}\n[agents.hostile]\ncommand = ${JSON.stringify(`${process.execPath} ${agent} ${file("texts.json", HOSTILE)}`)}\n`;
    const model = script({ asked: "attack", text: HOSTILE.join("\n\n") });
    [server, browser] = await Promise.all([serveModel(model, {}, "--config", file("engross.toml", settings)), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens everything that a page folds away. */
  const unfold = async (page: Page) => {
    const folded = page.locator("details:not([open]) > summary");
    while ((await folded.count()) > 0) await folded.first().click();
  };

  test("names sessions, and speaks in them", async () => {
    for (const name of [HOSTILE[0], HOSTILE[4], TURNED] as string[]) {
      for await (const segment of createSessionClient({ baseUrl: server.baseUrl, sessionId: name }).send(`attack ${name}`)) {
        if (segment.kind === "error") throw segment.error;
      }
    }
    const window = await open(browser, server.baseUrl, "#/sessions");
    const { page } = window;
    await page.locator("table a").first().waitFor();
    await expect.poll(() => page.locator("table a").count()).toBeGreaterThanOrEqual(3);
    await expectShown(page, "main", "onerror");
    await expectInert(window);
    const links = await page.locator("table a").evaluateAll((all) => all.map((each) => each.getAttribute("href") ?? ""));
    for (const href of links) {
      await page.goto(`${window.origin}/${href}`);
      await page.locator(".conversation").getByText("attacker.example").first().waitFor();
      await unfold(page);
      await expectInert(window);
      expect(await page.textContent("main")).not.toMatch(MARKS);
      expect(await page.title()).not.toMatch(MARKS);
    }
    await window.close();
  });

  test("is an agent: its words, calls, question and files", async () => {
    const window = await open(browser, server.baseUrl, "#/tasks");
    const { page } = window;
    await page.getByLabel("What is to be done?").fill(`${HOSTILE[0]} ${TURNED}`);
    await page.getByLabel("By whom").selectOption("hostile");
    await page.getByRole("button", { name: "Start" }).click();
    // The question stands on the board, too, in every window.
    const board = await window.tab();
    await board.goto(`${window.origin}/#/tasks`);
    const allow = board.getByRole("button", { name: HOSTILE[1] ?? "", exact: true });
    await allow.waitFor({ timeout: 30_000 });
    await expectAccessible(board, "a question");
    expect(await board.textContent("main")).not.toMatch(MARKS);
    await expectInert({ ...window, page: board });
    await allow.click();
    await page.locator(".tag").getByText("Done").waitFor({ timeout: 30_000 });
    await page.locator(".artifact").nth(3).waitFor();
    await unfold(page);
    const names = await page.locator(".artifact bdi").allTextContents();
    expect(names.length).toBe(HOSTILE.length);
    expect(names.join()).toContain("onerror");
    await expectInert(window);
    expect(await page.textContent("main")).not.toMatch(MARKS);
    for (const place of ["tasks", "sessions", "server", "documents"]) {
      await page.goto(`${window.origin}/#/${place}`);
      await page.locator("h1").waitFor();
      await page.waitForTimeout(200);
      await expectInert(window);
      expect(await page.textContent("main"), place).not.toMatch(MARKS);
    }
    await window.close();
  });

  test("has written a thread at the terminal", async () => {
    const [first, second] = HOSTILE as [string, string];
    const record = {
      schemaVersion: 20260411, threadId: `draft:${first}`, title: `${second} ${TURNED}`,
      workspaceBinding: { workspaceId: first, workspaceKind: "localFs", workspacePath: `/x/${first}`, displayPath: `/x/${TURNED}` },
      executionBinding: { executionMode: "agent", executorId: first, providerId: second },
      contextState: { messages: HOSTILE.flatMap((text, at) => [{ id: `${at}`, role: at % 2 === 0 ? "user" : "assistant", text, timestampMs: 5 + at }]), lastArtifactSyncStatus: "synced", lastTaskArtifactRelativePaths: HOSTILE, lastTaskWarnings: HOSTILE },
      lifecycleState: { archived: false, status: "ready", lastResultCode: first }, createdAtMs: 5, updatedAtMs: 6,
    };
    run("task", "import", file("thread.json", record), "--data", server.data);
    const window = await open(browser, server.baseUrl, "#/tasks");
    const { page } = window;
    await page.getByRole("link", { name: "EXECUTED" }).first().waitFor();
    await expectInert(window);
    expect(await page.textContent("main")).not.toMatch(MARKS);
    await page.locator(".board").getByRole("link", { name: "<script>" }).first().click();
    await page.locator(".artifact").first().waitFor();
    await unfold(page);
    await expectInert(window);
    expect(await page.textContent("main")).not.toMatch(MARKS);
    await window.close();
  });

  test("has taught lessons", async () => {
    const window = await open(browser, server.baseUrl, "#/skills");
    const { page } = window;
    await page.locator(".card").nth(HOSTILE.length - 1).waitFor();
    await unfold(page);
    await expectShown(page, "main", "onerror");
    await expectInert(window);
    // Writing one anew shows its words in a field, which is text, too.
    await page.getByRole("button", { name: /Write anew/ }).first().click();
    await expectInert(window);
    await window.close();
  });

  test("writes files, and makes errors", async () => {
    for (const text of HOSTILE) {
      await fetch(`${server.baseUrl}/write-sessions`, { method: "POST", body: JSON.stringify({ target_file: `${text.replaceAll("/", "_")}.md`, operation: "create" }) });
      await fetch(`${server.baseUrl}/workspaces/${encodeURIComponent(text)}/files`);
      await fetch(`${server.baseUrl}/workspaces/w/files/${encodeURIComponent(`${text.replaceAll("/", "_")}.docx`)}`, { method: "PUT", body: example("nda.docx") as BodyInit });
      await fetch(`${server.baseUrl}/errors/${encodeURIComponent(text)}`);
      await fetch(`${server.baseUrl}/chat/completions`, { method: "POST", body: JSON.stringify({ model: text, messages: [{ role: "user", content: text }] }) });
    }
    const window = await open(browser, server.baseUrl, "#/writes");
    const { page } = window;
    await page.locator(".card").first().waitFor();
    await expectShown(page, "main", "onerror");
    await page.getByRole("button", { name: "Give up" }).first().click();
    await page.getByRole("dialog").waitFor();
    await expectInert(window);
    for (const place of ["server", "documents", "compare"]) {
      await page.goto(`${window.origin}/#/${place}`);
      await page.locator("h1").waitFor();
      await page.waitForTimeout(200);
      await unfold(page);
      for (const code of await page.locator("button.link code").all()) await code.click();
      await expectInert(window);
      expect(await page.textContent("main"), place).not.toMatch(MARKS);
    }
    await window.close();
  });

  test.each(APPEARANCES)("shuts nobody out by long and strange names: %s", async (name, appearance) => {
    const { page, origin, misdeeds, close } = await open(browser, server.baseUrl, "#/sessions", appearance);
    for (const place of ["sessions", `session/${encodeURIComponent(HOSTILE[0] ?? "")}`, "tasks", "a task", "writes", "skills", "server", "documents"]) {
      if (place === "a task") await page.locator(".board a").first().click();
      else await page.goto(`${origin}/#/${place}`);
      await page.locator("h1").waitFor();
      await page.waitForTimeout(200);
      await expectAccessible(page, `${place} ${name}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(width, `nothing stands out of the window: ${place} ${name}`).toBeLessThanOrEqual(0);
    }
    expect(misdeeds).toEqual([]);
    await close();
  });
});
