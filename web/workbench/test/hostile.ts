// What somebody writes who wants to run something in the reader's page, and what must be so of a page that shows it.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Window } from "./browser.ts";

export const HOSTILE = [
  `<img src=x onerror="console.log('EXECUTED')">`,
  `<script>console.log('EXECUTED')</script>`,
  `</script><script>console.log('EXECUTED')</script>`,
  `<svg onload=console.log('EXECUTED')><a xlink:href="javascript:console.log('EXECUTED')">x</a></svg>`,
  `[click](javascript:console.log('EXECUTED'))`,
  `![x](http://attacker.example/leak.png)`,
  `<iframe src="http://attacker.example/"></iframe>`,
  `<link rel=stylesheet href="//attacker.example/x.css"><style>@import "http://attacker.example/y"</style>`,
  `"><base href="http://attacker.example/">`,
  `{{constructor.constructor('console.log("EXECUTED")')()}} \${console.log('EXECUTED')}`,
  `\u202Egnp.exe\u202C \u2066hidden\u2069 \u200Bzero`,
];

/** What turns the direction of writing, and with it what a name seems to be. */
export const MARKS = /[\u202a-\u202e\u2066-\u2069]/;

/** That nothing of it came about: no element of theirs, no handler, nothing stored, nobody else asked. */
export async function expectInert({ page, context, misdeeds }: Window): Promise<void> {
  const found = await page.evaluate(() => ({
    elements: document.querySelectorAll("iframe, object, embed, base, form[action], svg a, meta[http-equiv], link:not([rel=icon]):not([href^='/assets/'])").length,
    scripts: document.scripts.length,
    handlers: [...document.querySelectorAll("*")].filter((element) => element.getAttributeNames().some((name) => name.startsWith("on"))).length,
    links: [...document.querySelectorAll("a[href]")].filter((link) => !/^(#|\/|https:|mailto:)/.test(link.getAttribute("href") ?? "")).length,
    stored: localStorage.length + sessionStorage.length + document.cookie.length,
  }));
  expect(found).toEqual({ elements: 0, scripts: 1, handlers: 0, links: 0, stored: 0 });
  expect(await context.cookies()).toEqual([]);
  expect(misdeeds).toEqual([]);
}

/** That what stands there is what was written, as text, and turns no direction. */
export async function expectShown(page: Page, where: string, text: string): Promise<void> {
  const said = (await page.locator(where).first().textContent()) ?? "";
  expect(said).toContain(text);
  expect(said).not.toMatch(MARKS);
}
