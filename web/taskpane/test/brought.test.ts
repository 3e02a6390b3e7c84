// A key of the person's own, given to the server in the pane's settings: used, remembered where that is asked, and forgotten again.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Browser, BrowserContextOptions } from "playwright-core";

import { engine, errors, markdown, texts } from "../../fakeword/test/double.ts";
import { binary, serveModel, type Server } from "../../shared/test/server.ts";
import { APPEARANCES, browserPath, expectAccessible, launch } from "../../workbench/test/browser.ts";
import { hasEngine, openPane, shot, type PaneWindow } from "./pane-browser.ts";

const KEY = "sk-ant-secret-4711";
const event = (value: { type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const start = event({ type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], model: "claude", stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } } } as never);
const end = (reason: string) => event({ type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 1 } } as never) + event({ type: "message_stop" });
const said = (text: string) =>
  start + event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as never) + event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as never) + event({ type: "content_block_stop", index: 0 } as never) + end("end_turn");
const call = (name: string, input: unknown) =>
  start +
  event({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: `call-${name}`, name, input: {} } } as never) +
  event({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } } as never) +
  event({ type: "content_block_stop", index: 0 } as never) +
  end("tool_use");

describe.skipIf(!binary || !browserPath || !hasEngine)("a key of one's own on a server", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "engross-brought-"));
  const asked: { headers: IncomingHttpHeaders; body: string }[] = [];
  const answers: (string | number)[] = [];
  const provider = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      asked.push({ headers: request.headers, body });
      const answer = answers.shift() ?? 500;
      if (typeof answer === "string") return void response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
      response.writeHead(answer, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error: { type: "authentication_error", message: `no: ${KEY}` } }));
    });
  });
  let browser: Browser;
  let server: Server;
  let contract: Uint8Array;
  const begin = () => {
    const { port } = provider.address() as AddressInfo;
    // No program of this machine that keeps secrets is found.
    return serveModel("rules", { data: folder, variables: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, PATH: folder } });
  };

  beforeAll(async () => {
    await engine();
    contract = markdown("The Supplier shall deliver within thirty (30) days.\n\nThe law of Ireland governs.");
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    [server, browser] = await Promise.all([begin(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    provider.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    asked.length = 0;
    answers.length = 0;
  });

  const pane = (options?: BrowserContextOptions) => openPane(browser, server.baseUrl, contract, {}, options);
  const settings = async ({ page }: PaneWindow) => {
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "A model with your own key" }).waitFor();
  };
  const give = async ({ page }: PaneWindow, remember: boolean) => {
    await page.getByRole("button", { name: /Use a key of your own|Another provider or key/ }).click();
    await page.getByLabel("Key", { exact: true }).fill(` ${KEY} `);
    await page.getByLabel("Remember the key").setChecked(remember);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // Who works by keyboard is where the dialog was opened.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Another provider or key");
  };
  const say = async ({ page }: PaneWindow, text: string) => {
    await page.getByRole("button", { name: "Chat", exact: true }).click();
    await page.getByLabel("What should change").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const kept = ({ page }: PaneWindow) => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML, [...document.querySelectorAll("input")].map(({ value }) => value)]));
  const withKey = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(KEY)).map(({ name }) => name);

  test("answers by it, keeps it in memory, and forgets it when the server ends", async () => {
    const window = await pane();
    const { page } = window;
    await settings(window);
    await expectAccessible(page, "settings without a key of one's own");
    await page.getByRole("button", { name: "Use a key of your own" }).click();
    await page.getByLabel("Remember the key").waitFor();
    await expectAccessible(page, "a key of one's own");
    await shot(page, "11-brought-dialog");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await give(window, false);
    await page.getByText("The key is in the server's memory, until it ends.").waitFor();
    const change = { operations: [{ op: "modify_text", originalText: "thirty (30)", replacementText: "sixty (60)" }] };
    answers.push(call("apply_redlines", change), said("It is sixty days now."));
    await say(window, "Make it sixty days.");
    await page.getByText("It is sixty days now.").waitFor();
    expect(asked.map(({ headers }) => headers["x-api-key"])).toEqual([KEY, KEY]);
    expect([texts(await window.bytes())[0], errors(await window.bytes())]).toEqual(["The Supplier shall deliver within sixty (60) days.", []]);
    expect((await kept(window)) + asked.map(({ body }) => body).join()).not.toContain(KEY);
    expect(withKey()).toEqual([]);
    // It ends with the server, and the pane says so instead of asking another model unnoticed.
    await server.kill();
    server = await begin();
    const later = await pane({ storageState: await page.context().storageState() });
    await window.close();
    // Another port is another site to a browser, so what it kept is set anew.
    await later.page.evaluate(() => localStorage.setItem("engross.preferences", JSON.stringify({ model: "own" })));
    await later.page.reload();
    await later.page.getByText("Your own key is not there any more.").waitFor();
    await expectAccessible(later.page, "a key of one's own is gone");
    expect([window.misdeeds, later.misdeeds]).toEqual([[], []]);
    await later.close();
  });

  test("is remembered in a file for the server's account alone, answers after a restart, and is forgotten", async () => {
    const window = await pane();
    const { page } = window;
    await settings(window);
    await give(window, true);
    await page.getByText("The key is remembered in a file on the server that its account alone can read.").waitFor();
    await expectAccessible(page, "a remembered key");
    await shot(page, "12-brought-remembered");
    expect(withKey()).toEqual(["own-model.json"]);
    expect(statSync(join(folder, "own-model.json")).mode & 0o777).toBe(0o600);
    await server.kill();
    server = await begin();
    await window.close();
    const later = await pane();
    await settings(later);
    await later.page.getByRole("combobox", { name: "Model" }).selectOption("own");
    answers.push(said("Remembered."), 401);
    await say(later, "Anything there?");
    await later.page.getByText("Remembered.").waitFor();
    expect(asked[0]?.headers["x-api-key"]).toBe(KEY);
    // A key that the provider refuses is told, and is not in what is told.
    await say(later, "And now?");
    await later.page.getByText("check your own key").waitFor();
    expect(await kept(later)).not.toContain(KEY);
    // Another model without typing the key again, and then none.
    await later.page.getByRole("button", { name: "Settings" }).click();
    await later.page.getByRole("button", { name: "Another provider or key" }).click();
    await later.page.getByRole("dialog").getByLabel("Model").fill("claude-other");
    await later.page.getByRole("button", { name: "Enter" }).click();
    await later.page.getByText("Anthropic, claude-other.").waitFor();
    expect(withKey()).toEqual(["own-model.json"]);
    // Forgotten in another pane it is not offered here any more, and that is said.
    const other = await pane();
    await settings(other);
    await other.page.getByRole("button", { name: "Forget my key" }).click();
    await other.page.getByText("The server's models answer.").waitFor();
    await other.close();
    await say(later, "Still there?");
    await later.page.getByText("give your key again there").waitFor();
    await later.page.getByRole("button", { name: "Settings" }).click();
    await later.page.getByText("Your own key is not there any more.").waitFor();
    await later.page.getByRole("combobox", { name: "Model" }).waitFor({ state: "detached" });
    expect(withKey()).toEqual([]);
    await give(later, true);
    await later.page.getByText("Your own key is not there any more.").waitFor({ state: "detached" });
    await later.page.getByRole("button", { name: "Forget my key" }).click();
    await later.page.getByText("The server's models answer.").waitFor();
    expect(withKey()).toEqual([]);
    expect(later.misdeeds).toEqual([]);
    await later.close();
  });

  test.each(APPEARANCES)("says what is wrong with a key, in German too, %s", async (name, appearance) => {
    const window = await pane({ ...appearance, locale: "de-DE" });
    const { page } = window;
    await page.getByRole("button", { name: "Einstellungen" }).click();
    await page.getByRole("button", { name: "Eigenen Schlüssel verwenden" }).click();
    await page.getByLabel("Schlüssel merken").check();
    await page.getByText("in einer Datei auf dem Server").waitFor();
    await page.getByLabel("Schlüssel", { exact: true }).fill("zwei Wörter");
    await page.getByRole("button", { name: "Weiter" }).click();
    await page.getByText("is no key of a provider").waitFor();
    await expectAccessible(page, `a key that is none, ${name}`);
    await shot(page, `13-brought-wrong-${name.replaceAll(" ", "-")}`);
    const wide = await page.evaluate(() => [...document.querySelectorAll("dialog, dialog *")].filter((element) => element.getBoundingClientRect().right > innerWidth + 1).length);
    expect([wide, window.misdeeds, withKey()]).toEqual([0, [], []]);
    await window.close();
  });
});
