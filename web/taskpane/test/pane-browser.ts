// The pane in a real browser, on a real server, in the double of Word.
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

import type { FakeWord, HostOptions } from "../../fakeword/src/index.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What the page of a test holds beside the pane. */
export interface Held {
  readonly fake: FakeWord;
  readonly fakeBytes: () => string;
}

let script: Promise<string> | undefined;

function office(): Promise<string> {
  script ??= build({ entryPoints: [here("fake-office.ts")], bundle: true, format: "iife", target: "es2022", write: false, logLevel: "warning" }).then(
    ({ outputFiles }) => outputFiles[0]?.text ?? "",
  );
  return script;
}

export interface PaneWindow {
  readonly page: Page;
  readonly misdeeds: string[];
  /** The document as it would be saved now. */
  bytes(): Promise<Uint8Array>;
  /** Loads the pane anew beside the same document. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the pane beside a document. */
export async function openPane(browser: Browser, baseUrl: string, document: Uint8Array, host: HostOptions = {}, options: BrowserContextOptions = {}, before?: (context: BrowserContext) => Promise<void>): Promise<PaneWindow> {
  const origin = new URL(baseUrl).origin;
  const context = await browser.newContext({ viewport: { width: 350, height: 720 }, locale: "en-GB", acceptDownloads: true, ...options });
  // A loaded machine takes its time; a step that does not come names itself all the same.
  context.setDefaultTimeout(40_000);
  const misdeeds: string[] = [];
  const vendor = "https://appsforoffice.microsoft.com/lib/1/hosted/office.js";
  await context.route(vendor, async (route) => route.fulfill({ body: await office(), contentType: "text/javascript" }));
  // The engine as it was just built: a server carries it with a feature only.
  await context.route("**/word/eng*", (route) => {
    const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
    return route.fulfill({ path: here(`../../engine/pkg/${name}`), contentType: name.endsWith(".js") ? "text/javascript" : "application/wasm" });
  });
  const assets = process.env["ENGROSS_TEST_ASSETS"];
  if (assets !== undefined) {
    await context.route(/\/word\/(taskpane\.(js|css)|policy\.js)$/, (route) => {
      const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
      return route.fulfill({ path: `${assets}/${name}`, contentType: name.endsWith(".css") ? "text/css" : "text/javascript" });
    });
  }
  context.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(`${origin}/`) && url !== vendor) misdeeds.push(`request ${url.slice(0, 200)}`);
  });
  await before?.(context);
  const page = await context.newPage();
  page.on("pageerror", (error) => misdeeds.push(`error ${error.message}`));
  page.on("dialog", (dialog) => {
    misdeeds.push(`dialog ${dialog.message()}`);
    void dialog.accept();
  });
  page.on("console", (message) => {
    const text = message.text();
    if (/Content Security Policy|Trusted|Refused to|EXECUTED/i.test(text)) misdeeds.push(`console ${text.slice(0, 300)}`);
  });
  const given = { document: Buffer.from(document).toString("base64"), options: host };
  await page.addInitScript((value) => Object.assign(globalThis, { given: value }), given);
  await page.goto(`${origin}/word/`);
  return {
    page,
    misdeeds,
    bytes: async () => Uint8Array.from(Buffer.from(await page.evaluate(() => (globalThis as unknown as Held).fakeBytes()), "base64")),
    reload: async () => {
      const kept = await page.evaluate(() => {
        const { fake, fakeBytes } = globalThis as unknown as Held;
        return { document: fakeBytes(), settings: [...fake.host.settings] };
      });
      await page.addInitScript((value) => Object.assign(globalThis, { given: value }), { ...kept, options: host });
      await page.reload();
    },
    close: () => context.close(),
  };
}

/** A picture of the pane for eyes, where somebody has named a folder for it. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env["ENGROSS_TEST_SHOTS"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, clip: { x: 0, y: 0, width: page.viewportSize()?.width ?? 350, height: (page.viewportSize()?.height ?? 720) - 50 } });
}

/** Whether there is what the pane needs. */
export const hasEngine = existsSync(here("../../engine/pkg/engine-worker.js"));
