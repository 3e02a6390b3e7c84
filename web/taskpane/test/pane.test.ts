// What a person does in the pane, in a real browser against a real server and the double of Word.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readFileSync } from "node:fs";

import { binary, serveModel, type Server } from "../../shared/test/server.ts";
import { browserPath, expectAccessible, launch } from "../../workbench/test/browser.ts";
import { script } from "../../workbench/test/script.ts";
import { engine, errors, markdown, revisions, texts } from "../../fakeword/test/double.ts";
import { WordFile } from "../../engine/src/index.ts";
import { hasEngine, openPane, shot, type Held, type PaneWindow } from "./pane-browser.ts";

const CONTRACT = "# Services\n\nThe Supplier shall deliver within thirty (30) days.\n\nNotices are sent by registered post.\n\nThe law of Ireland governs.\n\nSigned by both.";

const HOSTILE = [
  `<img src=x onerror="console.log('EXECUTED')">`,
  `<script>console.log('EXECUTED')</script>`,
  `[click](javascript:console.log('EXECUTED')) ![x](http://attacker.example/leak.png)`,
  `<svg onload=console.log('EXECUTED')></svg></script>`,
  `\u202Egnp.exe\u202C \u2066hidden\u2069`,
];

const change = (originalText: string, replacementText: string) => ({ op: "modify_text", originalText, replacementText });

/** An annex of some 24 kB, with what would end it too soon if it were taken for an end. */
const CLAUSES = Array.from({ length: 120 }, (_, at) => `Clause ${at + 1}. ${"The Supplier keeps records of it, and hands them over when it is asked. ".repeat(2)}`.trim());
const ANNEX = `# Annex\n\n${CLAUSES.join("\n\n")}\n\nDONE\n`;

const CUT = ANNEX.indexOf("Clause 60.") + 40;

const TURNS = script(
  { asked: "[pane] The text is whole", calls: [{ name: "apply_redlines", args: { operations: [{ op: "insert_paragraph", after: "P4", contentFrom: "text-1" }] } }], then: "Put in." },
  { asked: "[pane]", text: ANNEX.slice(CUT) },
  { asked: "long annex", calls: [{ name: "begin_text", args: { about: "an annex" } }], then: ANNEX.slice(0, CUT), thenReason: "length" },
  { asked: "slow annex", calls: [{ name: "begin_text", args: {} }], then: "word ".repeat(2_000), thenDelay: 40 },
  { asked: "sixty", text: "I will change it. ", calls: [{ name: "apply_redlines", args: { operations: [change("thirty (30)", "sixty (60)")] } }], then: "The period in [P2] is sixty days now." },
  { asked: "peruse", calls: [{ name: "read_document", args: {} }], then: "I have read it: see [P3] and P4." },
  { asked: "three things", calls: [{ name: "apply_redlines", args: { operations: [change("registered post", "e-mail"), change("no such words", "x"), { op: "delete_paragraph", target: "P4" }] } }], then: "Two of three are done." },
  { asked: "annotate", calls: [{ name: "insert_comment", args: { paragraphIndex: 2, textToFind: "thirty (30) days", commentContent: "Usual is sixty." } }], then: "Commented." },
  { asked: "guide me", calls: [{ name: "navigate_to_section", args: { paragraphIndex: 4 } }], then: "There it is." },
  { asked: "hostile", text: HOSTILE.join("\n\n"), calls: [{ name: HOSTILE[0] ?? "", args: { x: HOSTILE[1] } }, { name: "apply_redlines", args: { operations: [{ op: "modify_text", originalText: "Ireland", replacementText: HOSTILE[0], plain: true }] } }], then: HOSTILE.join("\n\n") },
  { asked: "flood", text: "x".repeat(2_000_000) },
  { asked: "slow", text: "word ".repeat(2_000), delay: 40 },
  { asked: "stubborn", calls: [{ name: "apply_redlines", args: { operations: [change("no such words", "x")] } }], thenCalls: [{ name: "apply_redlines", args: { operations: [change("nor these", "x")] } }] },
  { asked: "what is usual", calls: [{ name: "research", args: { question: "limitation period in Ireland" } }], then: "Two years, by the act." },
  { asked: "limitation period", text: "Two years.", sources: [{ url: "https://law.example/act", title: "The act" }] },
  { asked: "limitation period", calls: [{ name: "perform_research", args: { instruction: "limitation period in Ireland" } }], then: "Looked up." },
  { asked: "evil places", calls: [{ name: "read_document", args: {} }], then: "See [P2], [P3], [P4], [P5] and [P6]." },
  { asked: "evil pages", calls: [{ name: "research", args: { question: "evil question" } }], then: HOSTILE.join("\n\n") },
  { asked: "evil question", text: HOSTILE.join(" "), sources: [{ url: "javascript:console.log('EXECUTED')", title: "x" }, { url: "https://law.example/\"><img src=x onerror=console.log('EXECUTED')>", title: HOSTILE[0] ?? "" }, { url: "data:text/html,<script>console.log('EXECUTED')</script>", title: HOSTILE[4] ?? "" }] },
  { asked: "evil question", calls: [{ name: "perform_research", args: { instruction: "evil question" } }], then: "Looked up." },
  { asked: "evil check", text: `LOOK\n${HOSTILE.join("\n")}` },
  { asked: "time limits", text: "LOOK\nOnly one limit, in [P2]." },
  { asked: "defined terms", text: "GOOD\nAll are." },
);

describe.skipIf(!binary || !browserPath || !hasEngine)("the pane", { timeout: 180_000 }, () => {
  let server: Server;
  let browser: Browser;
  let contract: Uint8Array;

  beforeAll(async () => {
    await engine();
    contract = markdown(CONTRACT);
    [server, browser] = await Promise.all([serveModel(TURNS, {}), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const field = (page: Page) => page.getByLabel("What should change");
  const say = async (page: Page, text: string) => {
    await field(page).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const copied = async (page: Page) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download it" }).click()]);
    return readFileSync(await file.path());
  };
  const rest = async (page: Page) => {
    await page.getByRole("button", { name: "Send" }).waitFor({ timeout: 60_000 });
  };
  const expectSound = async (window: PaneWindow) => {
    const bytes = await window.bytes();
    expect(errors(bytes)).toEqual([]);
    expect(texts(bytes, "original")).toEqual(texts(contract));
    expect(window.misdeeds).toEqual([]);
  };
  test("changes the open document, says how, shows the place and takes it back", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await page.getByText("Ask about this document").waitFor();
    await shot(page, "1-welcome");
    await say(page, "Make it sixty days.");
    await page.getByText("The period in").waitFor();
    await rest(page);
    await expect.poll(() => page.locator(".card").first().textContent()).toMatch(/1 in the document.*both sides checked.*P2.*Changed · typed by Word · Ada Person · read back/s);
    expect(revisions(await window.bytes()).length).toBeGreaterThan(1);
    expect(texts(await window.bytes())[1]).toContain("sixty (60)");
    await expectSound(window);
    await shot(page, "2-changed");
    await page.locator(".prose").getByRole("button", { name: "P2" }).click();
    await expect.poll(() => page.evaluate(() => (globalThis as unknown as Held).fake.texts().indexOf((globalThis as unknown as Held).fake.texts()[1] ?? ""))).toBe(1);
    // The person goes on writing; what is taken back is the change alone.
    await page.evaluate(() => (globalThis as unknown as Held).fake.person.type(2, " At the latest."));
    await page.getByRole("button", { name: "Take these changes back" }).click();
    await page.getByText("What you have typed since stays").waitFor();
    await shot(page, "3-undo");
    await page.getByRole("button", { name: "Take back", exact: true }).click();
    await page.getByText("taken back").waitFor();
    expect(texts(await window.bytes())[1]).toBe("The Supplier shall deliver within thirty (30) days. At the latest.");
    expect(revisions(await window.bytes()).filter((each) => !each.includes("At the latest"))).toEqual([]);
    await window.close();
  });

  test("says of three things which are done, and comments", async () => {
    const window = await openPane(browser, server.baseUrl, contract, { mode: "TrackAll" });
    const { page } = window;
    await say(page, "Do three things.");
    await page.getByText("Two of three are done.").waitFor();
    await rest(page);
    const card = await page.locator(".card").textContent();
    expect(card).toMatch(/2 in the document1 not/);
    expect(card).toContain("TEXT_NOT_FOUND");
    expect(card).toContain("put in as markup");
    await shot(page, "4-three");
    await page.getByRole("button", { name: "New chat" }).click();
    await say(page, "annotate it");
    await page.getByText("Commented.").waitFor();
    await rest(page);
    await expect.poll(() => page.evaluate(() => (globalThis as unknown as Held).fake.host.comments().map(({ text }) => text))).toEqual(["Usual is sixty."]);
    await expectSound(window);
    await window.close();
  });

  test("on the web takes what cannot be undone there into a copy", async () => {
    const window = await openPane(browser, server.baseUrl, contract, { platform: "web" });
    const { page } = window;
    await say(page, "Do three things.");
    await page.getByText("Two of three are done.").waitFor();
    await rest(page);
    await page.getByText("Word on the web could not undo it").waitFor();
    await page.getByRole("button", { name: "Open the copy" }).click();
    await expect.poll(() => page.evaluate(() => (globalThis as unknown as Held).fake.host.opened.length)).toBe(1);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download it" }).click();
    expect((await download).suggestedFilename()).toBe("redline.docx");
    await shot(page, "5-copy");
    await expectSound(window);
    await window.close();
  });

  test("reads, shows places, and tells when one is gone", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "peruse it");
    await page.getByText("I have read it").waitFor();
    await rest(page);
    await page.evaluate(() => {
      const { fake } = globalThis as unknown as Held;
      fake.person.erase(4, "The law of Ireland governs.");
      fake.person.type(4, "Gone.");
    });
    // A place has the name that people have for it.
    await page.locator(".prose").getByRole("button", { name: "“The law of Ireland governs.”" }).click();
    await page.getByText("P4 is not there any more").waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await say(page, "guide me");
    await page.getByText("There it is.").waitFor();
    expect(window.misdeeds).toEqual([]);
    await window.close();
  });

  test("stops, and keeps what was said for this document alone", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "slow");
    await page.getByText("word word").first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    await rest(page);
    await say(page, "Make it sixty days.");
    await page.getByText("The period in").waitFor();
    await rest(page);
    await expectSound(window);
    await window.close();
    const other = await openPane(browser, server.baseUrl, contract);
    await other.page.getByText("Ask about this document").waitFor();
    await other.close();
  });

  test("shows a hostile model's words and runs nothing of them", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "hostile");
    await page.locator(".prose").nth(1).waitFor();
    await rest(page);
    await expect.poll(() => page.textContent(".talk")).toContain("onerror");
    expect(await page.textContent(".talk")).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    await say(page, "flood");
    await rest(page);
    await page.getByText(/more characters are not shown/).waitFor();
    const found = await page.evaluate(() => ({
      elements: document.querySelectorAll("iframe, object, embed, base, svg, img, .talk a, .talk script").length,
      scripts: document.scripts.length,
      handlers: [...document.querySelectorAll("*")].filter((element) => element.getAttributeNames().some((name) => name.startsWith("on"))).length,
      // What can be taken back is kept until the window is closed, and nothing else is.
      stored: localStorage.length + document.cookie.length + Object.keys(sessionStorage).filter((key) => !key.startsWith("engross.change.")).length,
    }));
    expect(found).toEqual({ elements: 0, scripts: 3, handlers: 0, stored: 0 });
    await expectSound(window);
    await window.close();
  });

  test("shows a hostile document, its sources, checks and files as text, and runs nothing of them", async () => {
    using file = WordFile.open(contract);
    const results = file.apply(
      HOSTILE.flatMap((text) => [
        { op: "insert_paragraph", after: "P1", content: text, plain: true, author: `Eve ${text}`.slice(0, 200) },
        { op: "insert_comment", target: "P3", commentContent: text, plain: true },
      ]) as never,
      { author: HOSTILE[0] ?? "", date: "2026-01-01T00:00:00Z" },
    );
    expect(results.filter(({ status }) => status !== "applied")).toEqual([]);
    const window = await openPane(browser, server.baseUrl, file.save(), { user: HOSTILE[0] ?? "" });
    const { page } = window;
    await say(page, "Show me the evil places.");
    await page.locator(".prose .place").nth(4).waitFor();
    await rest(page);
    for (const place of await page.locator(".prose .place").all()) await place.click();
    await page.getByRole("button", { name: "What was said about the place" }).click();
    await say(page, "Make it sixty days.");
    await page.getByText("The period in").waitFor();
    await rest(page);
    await page.getByRole("button", { name: "Take these changes back" }).click();
    await page.locator(".undo").waitFor();
    await say(page, "Look at evil pages.");
    await page.locator(".sources a").first().waitFor();
    await rest(page);
    await expect.poll(() => page.locator(".sources a").evaluateAll((all) => all.filter((link) => !/^https:/.test(link.getAttribute("href") ?? "")).length)).toBe(0);
    const inert = async () => {
      const found = await page.evaluate(() => ({
        elements: document.querySelectorAll("iframe, object, embed, base, svg a, main img, main script").length,
        handlers: [...document.querySelectorAll("*")].filter((element) => element.getAttributeNames().some((name) => name.startsWith("on"))).length,
        stored: localStorage.length + document.cookie.length,
      }));
      expect(found).toEqual({ elements: 0, handlers: 0, stored: 0 });
      expect(await page.textContent("main")).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(window.misdeeds).toEqual([]);
    };
    await inert();
    await page.getByRole("button", { name: "Compare", exact: true }).first().click();
    await page.getByLabel("File").setInputFiles({ name: `${"\u202e"}xcod.<img src=x onerror=console.log('EXECUTED')>.docx`, mimeType: "application/octet-stream", buffer: Buffer.from("no document") });
    await page.locator("form").getByRole("button", { name: "Compare" }).click();
    await expect.poll(() => page.locator(".problem").first().textContent()).toMatch(/^[A-Z_]+: /);
    await inert();
    await page.getByRole("button", { name: "Checks" }).click();
    await page.getByLabel("New question").fill(`evil check ${HOSTILE.join(" ")}`);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Ask all 3" }).click();
    await page.getByText("onerror").nth(1).waitFor();
    await page.getByRole("button", { name: "Ask all 3" }).waitFor();
    // The question is the person's own, and is kept.
    await expect.poll(() => page.evaluate(() => Object.keys(localStorage).length)).toBe(1);
    await page.evaluate(() => localStorage.clear());
    await inert();
    await window.close();
  });

  test("asks the person's own questions, and again only when the text has changed", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await page.getByRole("button", { name: "Checks" }).click();
    await page.getByLabel("New question").fill("Is the law named? defined terms");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Ask all 3" }).click();
    await expect.poll(() => page.locator(".card .tag").allTextContents(), { timeout: 30_000 }).toEqual(["good", "look", "good"]);
    await shot(page, "6-checks");
    await expectAccessible(page, "checks");
    await window.close();
  });

  test("is loaded anew: what was said is there, and what was changed can be taken back", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "Make it sixty days.");
    await page.getByText("The period in").waitFor();
    await rest(page);
    await window.reload();
    await page.getByText("The period in").waitFor();
    await page.getByRole("button", { name: "Take these changes back" }).click();
    await page.getByRole("button", { name: "Take back", exact: true }).click();
    await page.getByText("taken back").waitFor();
    expect(texts(await window.bytes())).toEqual(texts(contract));
    await expectSound(window);
    await window.close();
  });

  test("leads from a place of the document to what was said about it", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "peruse it");
    await page.getByText("I have read it").waitFor();
    await rest(page);
    const ask = page.getByRole("button", { name: "What was said about the place" });
    await page.evaluate(() => (globalThis as unknown as Held).fake.select(5));
    await ask.click();
    await page.getByText("Nothing yet.").waitFor();
    await page.evaluate(() => {
      const { fake } = globalThis as unknown as Held;
      fake.person.add(1, "Put in above.");
      fake.select(5);
    });
    await ask.click();
    await page.locator(".talk-row.is-found").waitFor();
    await expect.poll(() => page.locator(".talk-row.is-found").textContent()).toContain("I have read it");
    expect(window.misdeeds).toEqual([]);
    await window.close();
  });

  test("stops when the same goes wrong twice, says why, and can be gone on with", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "be stubborn");
    await page.getByRole("alert").filter({ hasText: "CHANGES_FAIL" }).waitFor();
    await rest(page);
    await expect.poll(() => page.locator(".step").count()).toBe(2);
    await page.getByRole("button", { name: "Close" }).click();
    await say(page, "Make it sixty days.");
    await page.getByText("The period in").waitFor();
    await rest(page);
    await expectSound(window);
    await window.close();
  });

  test("looks something up by the server's model, and shows its sources", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "Tell me what is usual.");
    await page.getByRole("link", { name: "The act" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "The act" }).getAttribute("href")).toBe("https://law.example/act");
    await page.getByText("Two years, by the act.").waitFor();
    await rest(page);
    // The session that searched is gone.
    const { data } = (await (await fetch(`${server.baseUrl}/sessions`)).json()) as { data: { key: string }[] };
    expect(data.filter(({ key }) => key.includes("research-"))).toEqual([]);
    expect(window.misdeeds).toEqual([]);
    await window.close();
  });

  test("compares the document with a file, and leaves it as it is", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await page.getByRole("button", { name: "Compare", exact: true }).first().click();
    await page.getByLabel("File").setInputFiles({ name: "earlier.docx", mimeType: "application/octet-stream", buffer: Buffer.from(markdown(CONTRACT.replace("thirty (30)", "twenty (20)"))) });
    await expectAccessible(page, "compare");
    await page.locator("form").getByRole("button", { name: "Compare" }).click();
    await page.getByText(/^\d+ changes$/).waitFor();
    await page.getByRole("button", { name: "Open the copy" }).click();
    await expect.poll(() => page.evaluate(() => (globalThis as unknown as Held).fake.host.opened.length)).toBe(1);
    const made = Uint8Array.from(await page.evaluate(() => [...((globalThis as unknown as Held).fake.host.opened[0] ?? [])]));
    expect([texts(made)[1], texts(made, "original")[1]]).toEqual(["The Supplier shall deliver within thirty (30) days.", "The Supplier shall deliver within twenty (20) days."]);
    await page.getByLabel("File").setInputFiles({ name: "x.docx", mimeType: "application/octet-stream", buffer: Buffer.from("no document") });
    await page.locator("form").getByRole("button", { name: "Compare" }).click();
    await expect.poll(() => page.locator(".problem").first().textContent()).toMatch(/^[A-Z_]+: /);
    await shot(page, "12-compare");
    await expectSound(window);
    await window.close();
  });

  test("has a long text written outside of calls, over a cut, and puts it in as one change", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "Write the long annex.");
    await page.getByText("Put in.").waitFor({ timeout: 60_000 });
    await rest(page);
    // Its words are in the document and not in the chat, and nothing of it is left on the server.
    expect(await page.textContent(".talk")).not.toContain("Clause 7.");
    await expect.poll(() => page.locator(".step").first().textContent()).toMatch(/Writing a longer text \d{5} bytes · done/);
    const [card] = [page.locator(".card").last()];
    await card.waitFor();
    const here = texts(await window.bytes());
    const made = here.length > 10 ? here : texts(await copied(page));
    expect(made.slice(-CLAUSES.length - 2)).toEqual(["Annex", ...CLAUSES, "Signed by both."]);
    const left = await fetch(`${server.baseUrl}/workspaces/word-texts/files`);
    const { data } = left.ok ? ((await left.json()) as { data: unknown[] }) : { data: [] };
    expect(data).toEqual([]);
    await window.reload();
    await page.getByText("Put in.").waitFor();
    expect(await page.textContent(".talk")).not.toContain("[pane]");
    await expectSound(window);
    await window.close();
  });

  test("stops a long text, of which nothing is left", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await say(page, "Write the slow annex.");
    await page.getByText(/Writing a longer text \d+ bytes/).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    await rest(page);
    const { data } = (await (await fetch(`${server.baseUrl}/write-sessions`)).json()) as { data: { state: string }[] };
    expect(data.filter(({ state }) => !["committed", "cancelled"].includes(state))).toEqual([]);
    await expectSound(window);
    await window.close();
  });

  test("keeps a person's name, questions and wishes, and no word of a document", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Your name").fill("Ada Person");
    await page.getByLabel("Standing instructions").fill("I act for the supplier.");
    await page.getByRole("button", { name: "Checks" }).click();
    await page.getByLabel("New question").fill("Is there a cap?");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Chat", exact: true }).click();
    await say(page, "peruse it");
    await page.getByText("I have read it").waitFor();
    await rest(page);
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(kept).toContain("Is there a cap?");
    for (const word of ["Supplier", "registered post", "peruse"]) expect(kept).not.toContain(word);
    await window.reload();
    await page.getByRole("button", { name: "Settings" }).click();
    expect([await page.getByLabel("Your name").inputValue(), await page.getByLabel("Standing instructions").inputValue()]).toEqual(["Ada Person", "I act for the supplier."]);
    await page.getByRole("button", { name: "Checks" }).click();
    await page.getByText("Is there a cap?").waitFor();
    expect(window.misdeeds).toEqual([]);
    await window.close();
  });

  test("asks for the key once, and keeps it nowhere", async () => {
    const locked = await serveModel(TURNS, {}, "--token", "s3cret-key");
    try {
      const window = await openPane(browser, locked.baseUrl, contract);
      const { page } = window;
      const urls: string[] = [];
      page.on("request", (request) => urls.push(request.url()));
      await page.getByLabel("Key", { exact: true }).fill("wrong");
      await page.getByRole("button", { name: "Enter" }).click();
      await page.getByText("does not take this key").waitFor();
      await expectAccessible(page, "gate");
      await shot(page, "7-gate");
      await page.getByLabel("Key", { exact: true }).fill("s3cret-key");
      await page.getByRole("button", { name: "Enter" }).click();
      // Nothing behind the question can be typed into until it is gone.
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await say(page, "Make it sixty days.");
      await page.getByText("The period in").waitFor();
      await rest(page);
      const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML]));
      expect(kept + urls.join("\n")).not.toContain("s3cret-key");
      expect(window.misdeeds).toEqual([]);
      await window.close();
    } finally {
      await locked.stop();
    }
  });

  test("says when the server is gone, and keeps the message", async () => {
    const own = await serveModel(TURNS, {});
    const window = await openPane(browser, own.baseUrl, contract);
    const { page } = window;
    await page.getByText("Ask about this document").waitFor();
    await rest(page);
    await own.stop();
    await say(page, "Make it sixty days.");
    await page.getByRole("alert").filter({ hasText: "CONNECTION_LOST" }).waitFor({ timeout: 60_000 });
    await expect.poll(() => field(page).inputValue()).toBe("Make it sixty days.");
    await shot(page, "8-lost");
    await window.close();
  });

  test("is worked by keyboard alone", async () => {
    const window = await openPane(browser, server.baseUrl, contract);
    const { page } = window;
    await page.getByText("Ask about this document").waitFor();
    const focus = (name: RegExp) => async () => {
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press("Tab");
        const label = await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.closest("label")?.textContent ?? document.activeElement?.textContent ?? "");
        if (name.test(label)) return;
      }
      throw new Error(`${name} cannot be reached`);
    };
    await focus(/What should change/)();
    await page.keyboard.type("Make it sixty days.");
    await page.keyboard.press("Enter");
    await page.getByText("The period in").waitFor();
    await rest(page);
    await focus(/^Take these changes back …$/)();
    await page.keyboard.press("Enter");
    await page.getByText("What you have typed since stays").waitFor();
    await focus(/^Take back$/)();
    await page.keyboard.press("Enter");
    await page.getByText("taken back").waitFor();
    await focus(/^Settings$/)();
    await page.keyboard.press("Enter");
    await page.getByLabel("Your name").waitFor();
    await expectSound(window);
    await window.close();
  });

  test.each([
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 320, height: 640 } }],
    ["forced colours", { forcedColors: "active" }],
    ["German", { locale: "de-DE" }],
  ] as const)("shuts nobody out: %s", async (name, options) => {
    const window = await openPane(browser, server.baseUrl, contract, { platform: "web" }, { ...options });
    const { page } = window;
    const isGerman = name === "German";
    await page.locator(".hint").waitFor();
    await expectAccessible(page, `${name}, welcome`);
    await page.locator("textarea").fill("Do three things.");
    await page.keyboard.press("Enter");
    await page.getByText("Two of three are done.").waitFor();
    await page.locator(".button.primary").waitFor();
    await page.getByRole("button", { name: isGerman ? "zurücknehmen" : "Take these changes back" }).click();
    await page.locator(".undo").waitFor();
    await expectAccessible(page, `${name}, changed`);
    await shot(page, `9-${name}`);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    for (const view of isGerman ? ["Prüfungen", "Vergleich", "Einstellungen"] : ["Checks", "Compare", "Settings"]) {
      await page.getByRole("button", { name: view, exact: true }).first().click();
      await page.locator(".page").waitFor();
      await expectAccessible(page, `${name}, ${view}`);
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), { message: view }).toBe(true);
    }
    await shot(page, `9-${name}-settings`);
    expect(window.misdeeds).toEqual([]);
    await window.close();
  });
});
