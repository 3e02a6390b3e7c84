// Tasks, sessions, files and the server's own page, as a person uses them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, serveModel } from "../../shared/test/server.ts";
import type { Server } from "../../shared/test/server.ts";
import { APPEARANCES, browserPath, expectAccessible, launch, open } from "./browser.ts";
import { script } from "./script.ts";

describe.skipIf(!binary || !browserPath)("the lists", () => {
  let server: Server;
  let browser: Browser;
  const folder = mkdtempSync(join(tmpdir(), "engross-lists-"));
  const book = join(folder, "book.json");

  /** Lessons that wait for a person. */
  const learn = () => {
    const lesson = (id: string, content: string, status: string, more: object = {}) => ({ id, section: "paths", content, justification: "A copy failed without.", helpful: 1, harmful: 0, neutral: 0, status: "invalid", active: false, engross: { status, quarantine: [], ...more } });
    const skills = { "paths-00001": lesson("paths-00001", "Quote paths that have blanks.", "candidate"), "paths-00002": lesson("paths-00002", "<script>console.log('EXECUTED')</script>", "quarantined", { quarantine: ["proposal"] }) };
    const file = join(folder, "import.json");
    writeFileSync(file, JSON.stringify({ skills, sections: { paths: Object.keys(skills) }, next_id: 3 }));
    execFileSync(binary ?? "", ["skills", "import", file, "--skillbook", book], { stdio: "ignore" });
    writeFileSync(join(folder, "engross.toml"), `skillbook = ${JSON.stringify(book)}\n`);
  };

  beforeAll(async () => {
    learn();
    const model = script(
      { asked: "write a plan", text: "", calls: [{ name: "WritePlanTool_begin", args: { target_file: "plan.md", operation: "create" } }] },
      { asked: "think long", text: "one two three four five six seven eight nine ten", delay: 400 },
      { asked: "hello", text: "Good day. See P3." },
    );
    [server, browser] = await Promise.all([serveModel(model, {}, "--config", join(folder, "engross.toml")), launch()]);
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
    await expect.poll(() => page.locator("dd code").last().textContent()).toBe("no-artifacts");
    await page.getByRole("link", { name: "Tasks" }).first().click();
    const done = page.locator(".board-column").filter({ hasText: "Done" });
    await done.getByRole("link", { name: "Please think long about the term" }).click();
    await page.getByRole("heading", { name: "Please think long about the term" }).waitFor();
    expect(misdeeds).toEqual([]);
    await close();
  }, 60_000);

  test("a thread is put away, found among the archived, and taken back", async () => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/tasks");
    await page.getByLabel("What is to be done?").fill("Say hello, and be archived");
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator(".tag").getByText("Done").waitFor();
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByText("This thread is archived.").waitFor();
    await expect.poll(() => page.getByLabel("What next?").count()).toBe(0);
    await page.getByRole("link", { name: "Tasks" }).first().click();
    await page.getByText("Archived: 1").click();
    await expect.poll(() => page.locator(".board").getByRole("link", { name: "be archived" }).count()).toBe(0);
    await page.locator("details").getByRole("link", { name: "be archived" }).click();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByLabel("What next?").waitFor();
    expect(misdeeds).toEqual([]);
    await close();
  }, 60_000);

  test("a thread of the terminal is on the board, with its result and its files apart", async () => {
    const record = {
      schemaVersion: 20260411, threadId: "draft:terminal-1", title: "From the terminal", workspaceBinding: { workspaceId: "w", workspaceKind: "localFs", workspacePath: "/home/ada/w", displayPath: "/home/ada/w" },
      executionBinding: { executionMode: "agent", executorId: "codex", providerId: "codex" },
      contextState: { messages: [{ id: "1", role: "user", text: "Write a plan <b>now</b>", timestampMs: 5 }, { id: "2", role: "assistant", text: "It is **there**.", timestampMs: 6 }], lastArtifactSyncStatus: "synced", lastTaskArtifactRelativePaths: ["plan.md", "out/<img src=x onerror=1>.txt"] },
      lifecycleState: { archived: false, status: "ready", lastResultCode: "success" }, createdAtMs: 5, updatedAtMs: 6,
    };
    const file = join(mkdtempSync(join(tmpdir(), "engross-thread-")), "thread.json");
    writeFileSync(file, JSON.stringify(record));
    execFileSync(binary ?? "", ["task", "import", file, "--data", server.data], { stdio: "ignore" });
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/tasks");
    await page.locator(".board-column").filter({ hasText: "Done" }).getByRole("link", { name: "From the terminal" }).click();
    await page.getByText("/home/ada/w").waitFor();
    await expect.poll(() => page.locator("dd code").allTextContents()).toEqual(["success", "synced"]);
    await expect.poll(() => page.locator(".artifact").allTextContents()).toEqual(["plan.md", "out/<img src=x onerror=1>.txt"]);
    await expectAccessible(page, "thread of the terminal");
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("a session is forked, and both go on by themselves", async () => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/session/Original");
    await page.getByLabel("Say something").fill("hello there");
    await page.getByLabel("Say something").press("Enter");
    await page.getByText("Good day.").waitFor();
    await page.getByRole("button", { name: "Fork" }).click();
    await page.getByLabel("Name of the session").fill("Branch");
    await page.locator("form").getByRole("button", { name: "Fork" }).click();
    await page.getByText("Begins with what was said in").waitFor();
    await page.getByText("hello there").waitFor();
    await page.getByLabel("Say something").fill("hello again");
    await page.getByLabel("Say something").press("Enter");
    await page.locator(".bubble").getByText("hello again").waitFor();
    const said = async (key: string) => ((await (await fetch(`${server.baseUrl}/sessions/${key}`)).json()) as { messages?: { role: string; content: string }[] }).messages?.map(({ role, content }) => `${role}: ${content}`);
    await expect.poll(() => said("branch")).toEqual(["user: hello there", "assistant: Good day. See P3.", "user: hello again", "assistant: Good day. See P3."]);
    expect(await said("original")).toEqual(["user: hello there", "assistant: Good day. See P3."]);
    // A name that is taken is not gone on with.
    await page.getByRole("button", { name: "Fork" }).click();
    await page.getByLabel("Name of the session").fill("original");
    await page.locator("form").getByRole("button", { name: "Fork" }).click();
    await page.getByText("SESSION_EXISTS", { exact: true }).waitFor();
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("what was learnt waits with its evidence, and is accepted, written anew and taken out", async () => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/skills");
    await page.getByText("Waiting for you").waitFor();
    await expectAccessible(page, "skills");
    const card = (text: string) => page.locator(".card").filter({ hasText: text });
    await expect.poll(() => card("Quote paths").textContent()).toMatch(/Helped 1, harmed 0/);
    await card("Quote paths").getByRole("button", { name: "Accept" }).click();
    await page.getByText(/Decided/).waitFor();
    await expect.poll(() => card("Quote paths").locator(".tag").first().textContent()).toBe("shown");
    await card("Quote paths").getByRole("button", { name: "Write anew" }).click();
    await page.getByLabel("Its words").fill("Quote every path that has blanks.");
    await page.getByRole("button", { name: "Keep and show" }).click();
    await card("Quote every path").waitFor();
    await card("<script>").getByRole("button", { name: "Take out" }).click();
    await expect.poll(() => card("<script>").count()).toBe(0);
    const told = execFileSync(binary ?? "", ["skills", "list", "--skillbook", book, "--json"], { encoding: "utf8" });
    expect((JSON.parse(told) as { skills: { content: string }[] }).skills.map(({ content }) => content)).toEqual(["Quote every path that has blanks."]);
    expect(misdeeds).toEqual([]);
    await close();
  });

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
    await half.getByRole("button", { name: "Give up" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Give up" }).click();
    await half.getByRole("button", { name: "Give up" }).waitFor({ state: "detached", timeout: 8_000 });
    expect(misdeeds).toEqual([]);
    await close();
  });

  test("what failed is on the server's page, explained, with this very address for a program", async () => {
    await fetch(`${server.baseUrl}/workspaces/none/files`);
    const { page, origin, misdeeds, close } = await open(browser, server.baseUrl, "#/server");
    await page.getByText("Ready: requests can be accepted.").waitFor();
    await page.getByRole("button", { name: "WORKSPACE_UNKNOWN" }).first().click();
    await page.getByText("What to do:").waitFor();
    await expect.poll(() => page.locator(".snippet").textContent()).toContain(`base_url="${origin}/v1"`);
    expect(misdeeds).toEqual([]);
    await close();
  });

  test.each(APPEARANCES)("nobody is shut out of them, %s", async (name, appearance) => {
    const { page, misdeeds, close } = await open(browser, server.baseUrl, "#/tasks", appearance);
    for (const place of ["tasks", "task/Please%20think", "sessions", "session/x", "writes", "skills", "server"]) {
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
