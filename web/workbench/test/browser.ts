// A real browser that looks at the page of a real server, and notes whatever a page must never do.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

const command = process.env["ENGROSS_TEST_CHROMIUM"] ?? "chromium";

/** The program of the browser; undefined where there is none. */
export const browserPath = ((): string | undefined => {
  try {
    return execFileSync("which", [command], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
})();

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const example = (name: string) => readFileSync(fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url)));

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath ?? command, args: ["--no-sandbox"] });
}

/** A person's window on a server, with what they must never see noted. */
export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly origin: string;
  /** What went wrong in it: scripts that ran, errors, policies that were broken, requests to other machines. */
  readonly misdeeds: string[];
  /** Another tab of the same person. */
  tab(): Promise<Page>;
  close(): Promise<void>;
}

export async function open(browser: Browser, baseUrl: string, hash = "", options: BrowserContextOptions = {}): Promise<Window> {
  const origin = baseUrl.replace(/\/v1\/?$/, "");
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: "en-GB", acceptDownloads: true, ...options });
  // A step that does not come names itself before the test as a whole is given up.
  context.setDefaultTimeout(25_000);
  // The page as it was just built, without building the server anew; its policy comes with the page, from the server.
  const assets = process.env["ENGROSS_TEST_ASSETS"];
  if (assets !== undefined) {
    await context.route("**/assets/*", (route) => {
      const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
      return route.fulfill({ path: `${assets}/${name}`, contentType: name.endsWith(".css") ? "text/css" : "text/javascript" });
    });
  }
  const misdeeds: string[] = [];
  context.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/`)) misdeeds.push(`request ${request.url().slice(0, 200)}`);
  });
  const watch = (page: Page) => {
    page.on("pageerror", (error) => misdeeds.push(`error ${error.message}`));
    page.on("dialog", (dialog) => {
      // Leaving a page with a text that was not sent asks, and nothing else may.
      if (dialog.type() !== "beforeunload") misdeeds.push(`dialog ${dialog.message()}`);
      void dialog.accept();
    });
    page.on("console", (message) => {
      const text = message.text();
      if (/Content Security Policy|Trusted|Refused to|EXECUTED/i.test(text)) misdeeds.push(`console ${text.slice(0, 300)}`);
    });
  };
  context.on("page", watch);
  const page = await context.newPage();
  await page.goto(`${origin}/${hash}`);
  return {
    context,
    page,
    origin,
    misdeeds,
    tab: async () => {
      const another = await context.newPage();
      await another.goto(page.url());
      return another;
    },
    close: () => context.close(),
  };
}

/** Drops files on an element, as a person does who drags them there. */
export async function drop(page: Page, selector: string, ...files: { name: string; bytes: Uint8Array }[]): Promise<void> {
  const sent = files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") }));
  await page.waitForSelector(selector);
  await page.evaluate(
    ([where, all]) => {
      const transfer = new DataTransfer();
      for (const { name, base64 } of all) {
        transfer.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], name));
      }
      const element = document.querySelector(where);
      for (const type of ["dragenter", "dragover", "drop"]) {
        element?.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
      }
    },
    [selector, sent] as const,
  );
}

/** Checks that nobody is shut out of what the page shows: rules of WCAG 2.2 A and AA, and good practice. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  // Through the debugger, which the page's policy does not bind.
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as unknown;
  };
  if ((await evaluate("typeof axe")) !== "object") await evaluate(`${axeSource}; 0`);
  const found = await evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + " | " + failureSummary).join(" ; ")))`);
  await session.detach();
  expect(found, state).toEqual([]);
}

/** The pages as they are with colours, on a dark screen, on a narrow one, and with the colours that a system forces. */
export const APPEARANCES: readonly (readonly [string, BrowserContextOptions])[] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 320, height: 640 } }],
  ["with forced colours", { forcedColors: "active" }],
];
