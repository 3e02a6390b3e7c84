// A host of MCP apps for tests: a window of a chat with the page in a sandboxed frame, and a real `engross mcp` behind it.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export const EXTENSION = "io.modelcontextprotocol/ui";
const KIND = "text/html;profile=mcp-app";

/** What hosts allow a page that asks for nothing. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'";

/** A client of `engross mcp` over a folder of its own with the example. */
export class Client {
  readonly folder = mkdtempSync(join(tmpdir(), "engross-review-"));
  readonly #server: ChildProcess;
  readonly #waiting = new Map<number, (answer: Json) => void>();
  #next = 1;

  constructor(engross: string) {
    copyFileSync(fileURLToPath(new URL("../../../examples/nda.docx", import.meta.url)), this.path("nda.docx"));
    const data = this.path(".data");
    this.#server = spawn(engross, ["mcp", "--root", this.folder, "--data", data, "--author", "Ada"], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#server.stdout! }).on("line", (line) => {
      const answer: Json = JSON.parse(line);
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async greet(capabilities: Json = { extensions: { [EXTENSION]: { mimeTypes: [KIND] } } }): Promise<Json> {
    const greeting = await this.ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "host", version: "1" } });
    this.#server.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    return greeting;
  }

  /** The result of a request, or its error thrown. */
  ask(method: string, params: Json): Promise<Json> {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (answer) => (answer.error ? reject(new Error(answer.error.message)) : resolve(answer.result)));
      this.#server.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  call(name: string, given: Json): Promise<Json> {
    return this.ask("tools/call", { name, arguments: given });
  }

  close(): void {
    this.#server.stdin!.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The window of a chat. */
export interface ChatWindow {
  readonly page: Page;
  /** The page of the server. */
  readonly app: Frame;
  /** What the page said, in order. */
  readonly said: Json[];
  /** What the page must never do: errors, broken policies, requests. */
  readonly misdeeds: string[];
  tell(method: string, params: Json): Promise<void>;
  post(message: Json): Promise<void>;
  close(): Promise<void>;
}

export interface HostSettings {
  readonly capabilities?: Json;
  readonly context?: Json;
  /** Carries out a call of a tool for the page; undefined leaves it without an answer. */
  readonly call?: (name: string, given: Json) => Promise<Json> | undefined;
  /** Whether the host greets at all. */
  readonly isSilent?: boolean;
  readonly window?: BrowserContextOptions;
}

/** Shows the page that a server hands out. */
export async function show(browser: Browser, html: string, settings: HostSettings = {}): Promise<ChatWindow> {
  const context = await browser.newContext({ viewport: { width: 720, height: 900 }, locale: "en-GB", ...settings.window });
  context.setDefaultTimeout(10_000);
  const said: Json[] = [];
  const misdeeds: string[] = [];
  context.on("request", (request) => {
    if (!/^(data|blob|about):/.test(request.url())) misdeeds.push(`request ${request.url().slice(0, 200)}`);
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => misdeeds.push(`error ${error.message}`));
  page.on("dialog", (dialog) => { misdeeds.push(`dialog ${dialog.message()}`); void dialog.dismiss(); });
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to|EXECUTED/i.test(message.text())) misdeeds.push(`console ${message.text().slice(0, 300)}`);
  });
  const post = async (message: Json) => {
    await page.evaluate((sent) => document.querySelector("iframe")?.contentWindow?.postMessage(sent, "*"), { jsonrpc: "2.0", ...message });
  };
  await page.exposeFunction("heard", async (message: Json) => {
    said.push(message);
    if (message.id === undefined || settings.isSilent) return;
    const answer = await answerTo(message, settings);
    if (answer) await post({ id: message.id, ...answer });
  });
  await page.setContent("<!doctype html><title>Chat</title><body style='margin:0'>");
  await page.evaluate(
    ([source, policy]) => {
      const frame = document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-scripts");
      frame.title = "review";
      frame.style.cssText = "border:0;width:100%;height:860px;display:block";
      window.addEventListener("message", (event) => {
        // eslint-disable-next-line @typescript-eslint/no-explicit-any
        if (event.source === frame.contentWindow) void (window as any).heard(event.data);
      });
      frame.srcdoc = source.replace("<meta charset", `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta charset`);
      document.body.append(frame);
    },
    [html, POLICY] as const,
  );
  const element = await page.waitForSelector("iframe");
  const app = await element.contentFrame();
  if (!app) throw new Error("no frame");
  await app.waitForSelector("h1");
  return { page, app, said, misdeeds, tell: (method, params) => post({ method, params }), post, close: () => context.close() };
}

async function answerTo(message: Json, settings: HostSettings): Promise<Json> {
  const { method, params } = message;
  switch (method) {
    case "ui/initialize":
      return {
        result: {
          protocolVersion: "2026-01-26",
          hostInfo: { name: "chat", version: "1" },
          hostCapabilities: settings.capabilities ?? {},
          hostContext: settings.context ?? {},
        },
      };
    case "tools/call":
      try {
        const result = await settings.call?.(params.name, params.arguments);
        return result === undefined ? undefined : { result };
      } catch (error) {
        return { error: { code: -32000, message: error instanceof Error ? error.message : "no" } };
      }
    case "ui/update-model-context":
      return { result: {} };
    default:
      return { error: { code: -32601, message: "no" } };
  }
}

/** The page as a client gets it. */
export async function pageOf(client: Client): Promise<string> {
  const { tools } = await client.ask("tools/list", {});
  const tool = tools.find((one: Json) => one.name === "edit_document");
  const uri = tool._meta.ui.resourceUri;
  const { contents } = await client.ask("resources/read", { uri });
  if (contents[0].mimeType !== KIND) throw new Error(contents[0].mimeType);
  return contents[0].text;
}
