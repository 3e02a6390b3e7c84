// The pane as a folder of files on any web server: a model of a provider with the person's own key, and no engross anywhere.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";

import { binary } from "../../shared/test/server.ts";
import { engine, errors, markdown, texts } from "../../fakeword/test/double.ts";
import { browserPath, expectAccessible, launch } from "../../workbench/test/browser.ts";
import { hasEngine, openPane, shot, type PaneWindow } from "./pane-browser.ts";

const KEY = "sk-ant-secret-4711";
const PROVIDER = "https://api.anthropic.com/";
const KINDS: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", css: "text/css", png: "image/png", wasm: "application/wasm" };
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const said = (text: string) => event({ type: "content_block_start", index: 0, content_block: { type: "text", text } }) + event({ type: "content_block_stop", index: 0 }) + event({ type: "message_delta", delta: { stop_reason: "end_turn" } });
const call = (name: string, input: unknown) =>
  event({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: `call-${name}`, name } }) +
  event({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } }) +
  event({ type: "content_block_stop", index: 0 }) +
  event({ type: "message_delta", delta: { stop_reason: "tool_use" } });

interface Asked {
  readonly headers: Record<string, string>;
  readonly body: string;
}

describe.skipIf(!binary || !browserPath || !hasEngine)("the pane without a server", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "engross-hosted-"));
  let browser: Browser;
  let origin = "";
  let contract: Uint8Array;
  const files = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname.replace(/^\/word\//, "");
    const file = join(folder, path === "" ? "index.html" : path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": KINDS[file.split(".").at(-1) ?? ""] ?? "text/plain" }).end(readFileSync(file));
  });

  beforeAll(async () => {
    await engine();
    contract = markdown("The Supplier shall deliver within thirty (30) days.\n\nThe law of Ireland governs.");
    const pkg = fileURLToPath(new URL("../../engine/pkg", import.meta.url));
    execFileSync(binary ?? "", ["word", "export", "-o", folder, "--address", "https://pane.example/word/", "--engine", pkg], { stdio: "ignore" });
    await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    files.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A pane whose provider gives these answers one after the other; a number is a status. */
  async function open(...answers: (string | number)[]): Promise<{ window: PaneWindow; asked: Asked[]; others: () => string[] }> {
    const asked: Asked[] = [];
    const window = await openPane(browser, origin, contract, {}, {}, async (context) => {
      await context.route(`${PROVIDER}**`, async (route) => {
        const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-allow-methods": "*" };
        if (route.request().method() === "OPTIONS") return route.fulfill({ status: 204, headers });
        asked.push({ headers: await route.request().allHeaders(), body: route.request().postData() ?? "" });
        const answer = answers.shift() ?? 500;
        return route.fulfill(typeof answer === "number" ? { status: answer, headers, body: JSON.stringify({ error: { message: `no: ${KEY}` } }) } : { status: 200, headers: { ...headers, "content-type": "text/event-stream" }, body: answer });
      });
    });
    return { window, asked, others: () => window.misdeeds.filter((misdeed) => !misdeed.startsWith(`request ${PROVIDER}`)) };
  }

  const enter = async ({ page }: PaneWindow) => {
    await page.getByLabel("Key", { exact: true }).fill(KEY);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  const say = async ({ page }: PaneWindow, text: string) => {
    await page.getByLabel("What should change").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };

  test("changes the open document by a provider's model, and asks nobody else", async () => {
    const change = { operations: [{ op: "modify_text", originalText: "thirty (30)", replacementText: "sixty (60)" }] };
    const { window, asked, others } = await open(call("read_document", {}), call("apply_redlines", change), said("It is sixty days in [P1] now."));
    // The page is judged once it is there.
    await window.page.getByLabel("Key", { exact: true }).waitFor();
    await expectAccessible(window.page, "own key");
    await shot(window.page, "10-own-key");
    await enter(window);
    await say(window, "Make it sixty days.");
    await window.page.getByText("It is sixty days in").waitFor();
    expect(asked).toHaveLength(3);
    expect(asked[0]?.headers["x-api-key"]).toBe(KEY);
    expect(asked[1]?.body).toContain("thirty (30)");
    const bytes = await window.bytes();
    expect([texts(bytes)[0], errors(bytes)]).toEqual(["The Supplier shall deliver within sixty (60) days.", []]);
    expect(texts(bytes, "original")).toEqual(texts(contract));
    // The place has the name that people have for it, and leads there.
    await window.page.locator(".prose .place").click();
    const kept = await window.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML]));
    expect(kept + asked.map(({ body }) => body).join()).not.toContain(KEY);
    expect(others()).toEqual([]);
    await window.close();
  });

  test("looks something up, and leads to its sources", async () => {
    const found =
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Two years." } }) +
      event({ type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation: { url: "https://law.example/act", title: "The act" } } }) +
      event({ type: "message_delta", delta: { stop_reason: "end_turn" } });
    const { window, asked, others } = await open(call("research", { question: "How long is the limitation period?" }), found, said("Two years (https://law.example/act)."));
    await enter(window);
    await say(window, "What is usual?");
    const source = window.page.getByRole("link", { name: "The act" });
    await source.waitFor();
    await expect.poll(() => source.getAttribute("href")).toBe("https://law.example/act");
    await expect.poll(() => source.getAttribute("rel")).toContain("noopener");
    await window.page.getByText("Two years (https").waitFor();
    await expectAccessible(window.page, "sources");
    await shot(window.page, "11-sources");
    // Not a word of the document goes to the search.
    expect(asked[1]?.body).not.toContain("Supplier");
    expect(asked[2]?.body).toContain("https://law.example/act");
    expect(others()).toEqual([]);
    await window.close();
  });

  test("asks for another key where the provider does not take it, and says it nowhere", async () => {
    const { window, others } = await open(401, said("Good day."));
    await enter(window);
    await say(window, "Hello");
    await window.page.getByText("does not take this key").waitFor();
    expect(await window.page.textContent("body")).not.toContain(KEY);
    await enter(window);
    await expect.poll(() => window.page.getByLabel("What should change").inputValue()).toBe("Hello");
    await window.page.getByRole("button", { name: "Send" }).click();
    await window.page.getByText("Good day.").waitFor();
    expect(others().filter((misdeed) => !misdeed.includes("401"))).toEqual([]);
    await window.close();
  });

  test("runs nothing that a provider says, and reaches nobody that is not one", async () => {
    const { window, others } = await open(said(`<img src=x onerror="console.log('EXECUTED')"> [x](javascript:console.log('EXECUTED')) ![y](https://attacker.example/leak.png)`));
    await enter(window);
    await say(window, "Hello");
    await window.page.getByText("onerror").waitFor();
    expect(others()).toEqual([]);
    const reached = await window.page.evaluate(() => fetch("https://attacker.example/").then(() => true, () => false));
    expect(reached).toBe(false);
    expect(others().some((misdeed) => misdeed.includes("attacker.example") && misdeed.startsWith("request"))).toBe(false);
    await window.close();
  });
});
