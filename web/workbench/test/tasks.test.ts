// Tasks, sessions, files and the server's own page, as a person uses them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { readFileSync } from "node:fs";
import { binary, serveModel } from "../../shared/test/server.ts";
import type { Server } from "../../shared/test/server.ts";
import { APPEARANCES, browserPath, expectAccessible, launch, open } from "./browser.ts";
import { script } from "./script.ts";

describe.skipIf(!binary || !browserPath)("the lists", () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    const model = script(
      { asked: "write a plan", text: "", calls: [{ name: "WritePlanTool_begin", args: { target_file: "plan.md", operation: "create" } }] },
      { asked: "think long", text: "one two three four five six seven eight nine ten", delay: 400 },
      { asked: "hello", text: "Good day. See P3." },
    );
    [server, browser] = await Promise.all([serveModel(model, {}), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("a task is given, watched, stopped, followed up, and found again", async () => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/tasks");
    await page.getByText("No tasks yet").waitFor();
    await page.getByLabel("What is to be done?").fill("Please think long about the term");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("heading", { name: "Please think long about the term" }).waitFor();
    await page.getByText("one two").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Failed or stopped").waitFor({ timeout: 15_000 });
    await page.getByLabel("What next?").fill("just say hello");
    await page.getByRole("button", { name: "Follow-up" }).click();
    await page.getByText("Good day.").waitFor();
    await page.locator(".tag").getByText("Done").waitFor();
    expect(await page.locator("dd code").last().textContent()).toBe("no-artifacts");
    await page.getByRole("link", { name: "Tasks" }).first().click();
    const done = page.locator(".board-column").filter({ hasText: "Done" });
    await done.getByRole("link", { name: "Please think long about the term" }).click();
    await page.getByRole("heading", { name: "Please think long about the term" }).waitFor();
    expect(misdeeds).toEqual([]);
    await close();
  }, 60_000);

  test("a session is begun, searched, exported, deleted", async () => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/sessions");
    await page.getByRole("button", { name: "New session" }).click();
    await page.getByLabel("Name of the session").fill("Verhandlung Müller");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByLabel("Say something").fill("hello there");
    await page.getByLabel("Say something").press("Enter");
    await page.getByText("Good day.").waitFor();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "As text" }).click()]);
    expect(readFileSync(await file.path(), "utf8")).toMatch(/## You\n\nhello there\n\n## engross\n\nGood day\./);
    const [whole] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "With all calls" }).click()]);
    expect((JSON.parse(readFileSync(await whole.path(), "utf8")) as { messages: unknown[] }).messages).toHaveLength(2);
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByLabel("Search by name").fill("müller");
    await page.getByRole("link", { name: "verhandlung müller" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The session is deleted.").waitFor();
    await page.getByLabel("Search by name").fill("müller");
    await page.getByText(/No session/).waitFor();
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("a file that is being written is seen, fetched when it is there, and given up", async () => {
    const begin = async (target_file: string): Promise<string> => {
      const response = await fetch(`${server.baseUrl}/write-sessions`, { method: "POST", body: JSON.stringify({ target_file, operation: "create" }) });
      return ((await response.json()) as { session_id: string }).session_id;
    };
    const done = await begin("notes/plan.md");
    await fetch(`${server.baseUrl}/write-sessions/${done}?offset=0`, { method: "PATCH", body: "# Plan\n\nOne step.\n" });
    await fetch(`${server.baseUrl}/write-sessions/${done}/finalize`, { method: "POST", body: "{}" });
    await begin("notes/<b>open</b>.md".replace(/[<>]/g, "_"));
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/writes");
    const written = page.locator(".card").filter({ hasText: "plan.md" });
    await written.getByText("committed").waitFor();
    const [file] = await Promise.all([page.waitForEvent("download"), written.getByRole("button", { name: "Download" }).click()]);
    expect(readFileSync(await file.path(), "utf8")).toContain("One step.");
    const half = page.locator(".card").filter({ hasText: "open" });
    await half.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).last().click();
    await half.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached", timeout: 8_000 });
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("what failed is on the server's page, explained, with this very address for a program", async () => {
    await fetch(`${server.baseUrl}/workspaces/none/files`);
    const { page, origin, misdeeds, close } = await open(browser, server.baseUrl, "#/server");
    await page.getByText("Ready: requests can be accepted.").waitFor();
    await page.getByRole("button", { name: "WORKSPACE_UNKNOWN" }).first().click();
    await page.getByText("What to do:").waitFor();
    expect(await page.locator(".snippet").textContent()).toContain(`base_url="${origin}/v1"`);
    expect(misdeeds).toEqual([]);
    await close();
  });

  test.each(APPEARANCES)("nobody is shut out of them, %s", async (name, appearance) => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/tasks", appearance);
    for (const place of ["tasks", "task/Please%20think", "sessions", "session/x", "writes", "server"]) {
      await page.goto(`${page.url().split("#")[0]}#/${place}`);
      await page.waitForSelector("h1");
      await page.waitForTimeout(150);
      await expectAccessible(page, `${place} ${name}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(width, `nothing stands out of the window: ${place} ${name}`).toBeLessThanOrEqual(0);
    }
    expect(misdeeds).toEqual([]);
    await close();
  });
});
