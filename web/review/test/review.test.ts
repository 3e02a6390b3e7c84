// The page for reviews in the window of a chat, with a real server and a real browser: what a person decides is done, and nothing else.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { APPEARANCES, browserPath, expectAccessible, launch } from "../../workbench/test/browser.ts";
import { Client, pageOf, show } from "./host.ts";
import type { ChatWindow, HostSettings, Json } from "./host.ts";

const engross = process.env["ENGROSS_BIN"];
const can = browserPath !== undefined && engross !== undefined;

const OPERATIONS = [
  { op: "modify_text", originalText: "three (3) years", replacementText: "five (5) years" },
  { op: "modify_text", originalText: "thirty (30)", replacementText: "sixty (60)" },
  { op: "insert_paragraph", after: "P4", content: "A new paragraph." },
];

let browser: Browser;
let client: Client;
let window: ChatWindow | undefined;

beforeAll(async () => {
  if (can) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});
afterEach(async () => {
  await window?.close();
  window = undefined;
  client?.close();
});

/** A chat in which an agent has edited the example, and what its tool answered. */
async function edited(settings: HostSettings = {}): Promise<Json> {
  client = new Client(engross ?? "");
  await client.greet();
  const html = await pageOf(client);
  window = await show(browser, html, {
    capabilities: { serverTools: {}, updateModelContext: { text: {} } },
    call: (name, given) => client.call(name, given),
    ...settings,
  });
  const given = { path: "nda.docx", operations: OPERATIONS };
  await window.tell("ui/notifications/tool-input", { arguments: given });
  const result = await client.call("edit_document", given);
  expect(result.isError ?? false, JSON.stringify(result)).toBe(false);
  await window.tell("ui/notifications/tool-result", result);
  await window.app.waitForSelector("li");
  return result;
}

const revisions = (file: string): Json => JSON.parse(execFileSync(engross ?? "", ["revisions", client.path(file), "--json"], { encoding: "utf8" }));
const text = (file: string): string => execFileSync(engross ?? "", ["read", client.path(file)], { encoding: "utf8" });
const buttons = async (name: RegExp) => window!.app.getByRole("button", { name }).count();

test.skipIf(!can)("a person accepts one, rejects one, and accepts the rest", async () => {
  await edited();
  const { app, said, misdeeds } = window!;
  await expect.poll(() => app.locator("header").textContent()).toContain("nda.redline.docx");
  expect(await app.locator(".words").first().textContent()).not.toContain("{++");
  const before = await app.locator("li").count();
  expect(before).toBe(await buttons(/^Accept change/));
  await expect.poll(() => app.locator("del").allTextContents()).toContain("three");
  const years = app.locator("li", { hasText: "three" });
  await years.first().getByRole("button", { name: /^Accept/ }).click();
  await app.waitForFunction((count) => document.querySelectorAll("li").length < count, before);
  await expect.poll(() => app.locator(".notice").textContent()).toMatch(/1 accepted in nda\.redline\.docx/);
  expect(text("nda.redline.docx")).toContain("five");
  const notice = app.locator("li", { hasText: "thirty" });
  await notice.first().getByRole("button", { name: /^Reject/ }).click();
  await app.waitForFunction(() => document.querySelector(".notice")?.textContent?.includes("rejected"));
  expect(text("nda.redline.docx")).not.toContain("sixty");
  expect(JSON.stringify(revisions("nda.redline.docx"))).not.toContain("sixty");
  // The rest at once, asked for once more.
  await app.getByRole("button", { name: "Accept all" }).click();
  await expect.poll(() => app.locator(".sure").textContent()).toContain("nda.redline.docx");
  await app.getByRole("button", { name: "Yes" }).click();
  await app.waitForFunction(() => document.querySelectorAll("li").length === 0);
  expect(text("nda.redline.docx")).toContain("A new paragraph.");
  expect(JSON.stringify(revisions("nda.redline.docx"))).not.toContain("\"insertion\"");
  // One file, not a chain of them; and the model knows.
  expect(existsSync(client.path("nda.redline.accepted.docx"))).toBe(false);
  // The host is told behind the list's new state.
  const told = () => said.filter((message) => message.method === "ui/update-model-context").at(-1);
  await expect.poll(() => told()?.params.content[0].text).toContain("0 left");
  expect(said.filter((message) => message.method === "ui/notifications/size-changed").length).toBeGreaterThan(0);
  expect(misdeeds).toEqual([]);
});

test.skipIf(!can)("a redline of somebody else stays, and one file beside it takes all decisions", async () => {
  client = new Client(engross ?? "");
  await client.greet();
  // The example has changes of the other side.
  const theirs = JSON.stringify(revisions("nda.docx"));
  window = await show(browser, await pageOf(client), { capabilities: { serverTools: {} }, call: (name, given) => client.call(name, given) });
  await window.tell("ui/notifications/tool-result", await client.call("review_changes", { path: "nda.docx" }));
  const { app } = window;
  await app.waitForSelector("li");
  await expect.poll(() => app.locator(".small").textContent()).toContain("stays as it is");
  await app.locator("li").first().getByRole("button", { name: /^Accept/ }).click();
  await app.waitForFunction(() => document.querySelectorAll("li").length === 0);
  await expect.poll(() => app.locator("header").textContent()).toContain("nda.accepted.docx");
  expect(JSON.stringify(revisions("nda.docx"))).toBe(theirs);
  // What comes after goes into the file that was made.
  const given = { path: "nda.accepted.docx", operations: OPERATIONS };
  await window.tell("ui/notifications/tool-result", await client.call("edit_document", given));
  await app.waitForSelector("li");
  const count = await app.locator("li").count();
  await app.locator("li").first().getByRole("button", { name: /^Reject/ }).click();
  await app.waitForFunction((rows) => document.querySelectorAll("li").length < rows, count);
  await expect.poll(() => app.locator("header").textContent()).toContain("nda.accepted.docx");
  expect(existsSync(client.path("nda.accepted.rejected.docx"))).toBe(false);
});

test.skipIf(!can)("in a host that does nothing for pages it shows the changes, and does nothing", async () => {
  await edited({ capabilities: {}, call: () => undefined });
  const { app, said, misdeeds } = window!;
  expect(await buttons(/./)).toBe(0);
  await expect.poll(() => app.locator("li").count()).toBeGreaterThan(0);
  await expect.poll(() => app.locator(".small").textContent()).toContain("does not let the page act");
  const methods = new Set(said.map((message) => message.method));
  expect([...methods].sort()).toEqual(["ui/initialize", "ui/notifications/initialized", "ui/notifications/size-changed"]);
  expect(misdeeds).toEqual([]);
  // A host that leaves out what pages are told still shows the text.
  await window!.tell("ui/notifications/tool-result", { content: [{ type: "text", text: "1 applied. <img src=x onerror=alert(1)>" }] });
  await app.waitForSelector("pre");
  await expect.poll(() => app.locator("pre").textContent()).toContain("<img");
  await expect.poll(() => app.locator("img").count()).toBe(0);
});

test.skipIf(!can)("without a host, or with one that is silent, it says what it is", async () => {
  client = new Client(engross ?? "");
  await client.greet();
  const html = await pageOf(client);
  window = await show(browser, html, { isSilent: true });
  await window.app.waitForFunction(() => document.body.textContent?.includes("does nothing by itself"));
  const alone = await browser.newPage();
  await alone.setContent(html);
  await alone.waitForFunction(() => document.body.textContent?.includes("does nothing by itself"));
  await alone.close();
});

test.skipIf(!can)("what a host or a server does wrong is told, and nothing is said to be done", async () => {
  const answers: ((name: string, given: Json) => Promise<Json>)[] = [
    () => Promise.reject(new Error("The user said no")),
    () => Promise.resolve({ isError: true, content: [{ type: "text", text: "STALE: somebody wrote" }] }),
    (name, given) => client.call(name, given),
    () => Promise.resolve({}),
  ];
  await edited({ call: (name, given) => (answers.shift() ?? ((...all) => client.call(...all)))(name, given) });
  const { app } = window!;
  const before = await app.locator("li").count();
  const press = async (says: RegExp) => {
    await app.locator("li").first().getByRole("button", { name: /^Accept/ }).click();
    await expect.poll(() => app.locator(".notice").textContent()).toMatch(says);
    await expect.poll(() => app.locator("li").count()).toBe(before);
    await expect.poll(() => app.locator(".notice.bad").count()).toBe(1);
  };
  await press(/The user said no/);
  await press(/somebody wrote/);
  await press(/did not do it/);
  // Messages of nobody, or of nonsense.
  for (const message of [{ id: 77, result: {} }, { method: "ui/none", id: 555 }, { method: 7 }, { id: "x", result: null }]) await window!.post(message);
  await window!.post({ method: "ui/notifications/tool-result", params: { _meta: { "engross/review": { path: 5, changes: "x" } }, content: null } });
  await expect.poll(() => app.locator("h1").count()).toBe(1);
  await expect.poll(() => window!.said.find((message) => message.id === 555)?.error?.code).toBe(-32601);
});

test.skipIf(!can)("the document was changed elsewhere meanwhile: refused, and the list is read anew", async () => {
  await edited();
  const { app } = window!;
  execFileSync(engross ?? "", ["accept", client.path("nda.redline.docx"), "--in-place"], { stdio: "ignore" });
  await app.locator("li").first().getByRole("button", { name: /^Reject/ }).click();
  await app.waitForFunction(() => document.querySelectorAll("li").length === 0);
  await expect.poll(() => app.locator(".notice.bad").count()).toBe(1);
  expect(text("nda.redline.docx")).toContain("five (5) years");
});

test.skipIf(!can)("texts of others stay texts", async () => {
  client = new Client(engross ?? "");
  await client.greet();
  window = await show(browser, await pageOf(client), { capabilities: { serverTools: {} }, call: () => undefined });
  const evil = "<img src=x onerror=\"console.log('EXECUTED')\"></script><script>console.log('EXECUTED')</script>\u202etxt";
  const changes = ["insertion", "<b>", "deletion"].map((kind, at) => ({ id: `${at}`, kind, author: evil, date: evil, address: "__proto__", text: evil }));
  const review = { path: evil, revision: "x", inPlace: true, total: 9, changes, paragraphs: { ["__proto__"]: [["come", evil], ["<u>", evil], 7] } };
  await window.tell("ui/notifications/host-context-changed", { theme: "dark", locale: "de-AT", styles: { variables: { "--color-text-primary": "red;} body{display:none", "--color-background-primary": "url(https://example.com/x)" } } });
  await window.tell("ui/notifications/tool-result", { content: [], _meta: { "engross/review": review } });
  await window.app.waitForSelector("li");
  await expect.poll(() => window!.app.locator("img, script:not([type])").count()).toBe(0);
  await expect.poll(() => window!.app.locator("body").textContent()).toContain("⟨U+202E⟩");
  await expect.poll(() => window!.app.locator("h1").textContent()).toBe("Nachverfolgte Änderungen");
  expect(window.misdeeds).toEqual([]);
});

for (const [name, options] of APPEARANCES) {
  test.skipIf(!can)(`everybody can use it: ${name}`, async () => {
    await edited({ window: options, context: name === "dark" ? { theme: "dark" } : {} });
    const { app, page } = window!;
    // The rules look at a page, so the page stands by itself for them.
    const alone = await page.context().newPage();
    await alone.setContent(await app.content());
    await alone.evaluate(() => document.querySelector("script")?.remove());
    await expectAccessible(alone, name);
    const wide = await app.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    expect(wide).toBe(false);
    const shots = process.env["ENGROSS_TEST_PICTURES"];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/review-${name}.png` });
  });
}
