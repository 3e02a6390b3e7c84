// One conversation in the real pane, in a real browser beside the double of Word, judged after each request by what the person sees and by
// what is in the document then.
//
// Must never take a word of the pane for granted: what it says is held against the document.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

import { WordFile } from "../../engine/src/index.ts";
import { QUIRKS, type HostOptions, type Platform, type Quirk } from "../../fakeword/src/index.ts";
import { texts } from "../../fakeword/test/double.ts";
import { binary } from "../../shared/test/server.ts";
import { script } from "../../workbench/test/script.ts";
import { CONVERSATIONS, type Conversation, type Operation } from "./conversations.ts";
import { openPane, type Held } from "./pane-browser.ts";
import { signature, source } from "./runs.ts";

/** What makes a conversation's request known to the script. */
const asked = (conversation: number, round: number) => `request ${conversation}-${round} please`;

/** The model of a server that carries all conversations out. */
export function scriptOfAll(): string {
  return script(...CONVERSATIONS.flatMap(({ rounds }, at) => rounds.map((operations, round) => ({ asked: asked(at, round), calls: [{ name: "apply_redlines", args: { operations } }], then: "That is all." }))));
}

export interface Host {
  readonly name: string;
  readonly options: HostOptions;
}

const PLATFORMS: readonly Platform[] = ["web", "windows", "mac", "ipad", "ltsc"];

/** A Word for each known fault, and each platform with all that it does. */
export const HOSTS: readonly Host[] = [
  ...(Object.keys(QUIRKS) as Quirk[]).map((quirk) => ({ name: quirk, options: { isPlain: true, quirks: [quirk] } })),
  ...PLATFORMS.map((platform) => ({ name: platform, options: { platform } })),
];

/** What a row of the pane may say of a change, and which of it means that it is in the document. */
const SAID = /(Changed · (typed by Word|put in as markup) · .+ · read back|Not done: somebody has changed it|Not in this document|Went wrong, and is as it was|Went wrong: please look|Comment · (Changed|Not done: somebody has changed it|Not in this document))/;
const DONE = /Changed · (typed by Word|put in as markup)|Comment · Changed/;

export interface Told {
  readonly rows: readonly string[];
  /** How often each rung was named. */
  readonly rungs: Readonly<Record<"typed" | "markup" | "copy" | "open", number>>;
}

interface Seen {
  readonly accepted: readonly string[];
  readonly original: readonly string[];
}

const seen = (bytes: Uint8Array): Seen => ({ accepted: texts(bytes), original: texts(bytes, "original") });

/** The document as it should be when everything is carried out. */
function meant(bytes: Uint8Array, operations: readonly Operation[]): Seen & { readonly refused: number; readonly comments: readonly string[] } {
  using file = WordFile.open(bytes);
  const refused = file.apply(operations as never, signature).filter(({ status }) => status !== "applied" && status !== "no_change").length;
  const comments = file.comments().map(({ text }) => text);
  return { ...seen(file.save()), refused, comments };
}

/** Whether `engross check` of the binary finds no more than it did before. */
async function checked(bytes: Uint8Array): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "engross-screen-"));
  try {
    writeFileSync(join(folder, "x.docx"), bytes);
    const { stdout } = await promisify(execFile)(binary ?? "", ["check", join(folder, "x.docx"), "--json"]).catch((failed: { stdout?: string }) => ({ stdout: failed.stdout ?? "" }));
    const { findings, problems } = JSON.parse(stdout) as { findings?: { severity: string; code: string }[]; problems?: { severity: string; code: string }[] };
    const all = findings ?? problems;
    if (!all) throw new Error(`check says: ${stdout.slice(0, 300)}`);
    return all.filter(({ severity }) => severity === "error").map(({ code }) => code).join();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function downloaded(page: Page): Promise<Uint8Array> {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download it" }).last().click()]);
  return readFileSync(await file.path());
}

export interface Moment {
  /** Which exchange with Word somebody types before. */
  readonly exchange: number;
}

/** Runs a conversation; fails where anything is lost that the pane does not say. */
export async function converse(browser: Browser, baseUrl: string, at: number, host: Host, moment?: Moment): Promise<Told> {
  const conversation = CONVERSATIONS[at] as Conversation;
  const options = { ...host.options, ...(conversation.mode ? { mode: conversation.mode } : {}) };
  const window = await openPane(browser, baseUrl, source(conversation), options);
  const { page } = window;
  const rows: string[] = [];
  const rungs = { typed: 0, markup: 0, copy: 0, open: 0 };
  try {
    await page.getByText("Ask about this document").waitFor();
    for (const [round, operations] of conversation.rounds.entries()) {
      const before = await window.bytes();
      const [was, wanted] = [seen(before), meant(before, operations)];
      const hasActed = moment && conversation.meanwhile ? await meanwhile(page, conversation.meanwhile, moment) : () => Promise.resolve(false);
      await page.getByLabel("What should change").fill(asked(at, round));
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("That is all.").nth(round).waitFor({ timeout: 120_000 });
      await page.getByRole("button", { name: "Send" }).waitFor();
      const card = page.locator(".card").last();
      const told = (await card.locator(".outcome").allTextContents()).filter((row) => row !== "");
      const after = await window.bytes();
      const now = seen(after);
      const acted = await hasActed();
      const what = `${host.name}, ${conversation.name}, request ${round + 1}${moment ? `, typed before exchange ${moment.exchange}` : ""}: ${JSON.stringify({ told, was, wanted, now }, null, 1)}`;
      rows.push(...told);
      // Each row says what became of it, and a change that is there by which rung and that it was read back.
      const steps = told.filter((row) => !/^[A-Z_]{4,}/.test(row));
      for (const row of steps) expect(row, what).toMatch(SAID);
      rungs.typed += steps.filter((row) => row.includes("typed by Word")).length;
      rungs.markup += steps.filter((row) => row.includes("put in as markup")).length;
      rungs.open += steps.filter((row) => !DONE.test(row)).length;
      expect(await checked(after), what).toBe(await checked(before));
      const isAll = steps.every((row) => DONE.test(row));
      // Where somebody types before the document is read, the engine refuses what it does not find there any more.
      const refused = told.length - steps.length;
      expect(acted ? Math.max(refused, wanted.refused) : wanted.refused, `${what}: what is refused is said`).toBe(refused);
      if (acted) {
        expect(told.length, `${what}: nothing is said at all`).toBeGreaterThan(0);
        for (const typed of conversation.typed ?? []) expect(now.accepted.join("\n"), what).toContain(typed);
      } else {
        // Rejecting everything gives what was there; accepting gives what was meant, or what was there, and nothing else.
        expect(now.original, what).toEqual(was.original);
        if (isAll) expect(now.accepted, what).toEqual(wanted.accepted);
        const known = new Set([...was.accepted, ...wanted.accepted]);
        expect(now.accepted.filter((text) => !known.has(text)), what).toEqual([]);
        // What nobody meant to change is there.
        const kept = was.accepted.filter((text) => wanted.accepted.includes(text));
        for (const text of kept) expect(now.accepted, what).toContain(text);
        // What is not there is said: fewer rows that are done than there are changes is never silent.
        if (now.accepted.join("\n") !== wanted.accepted.join("\n")) expect(isAll, `${what}: something is missing and no row says so`).toBe(false);
      }
      const isElsewhere = steps.some((row) => /Not in this document|Went wrong/.test(row));
      if (isElsewhere && !options.quirks?.includes("fileRefused")) {
        rungs.copy += 1;
        const copy = await downloaded(page);
        expect(await checked(copy), what).toBe(await checked(before));
        if (!acted) expect(seen(copy), what).toEqual({ accepted: wanted.accepted, original: was.original });
      }
      const mode = await page.evaluate(() => (globalThis as unknown as Held).fake.mode);
      expect(mode, what).toBe(conversation.mode ?? "Off");
    }
    expect(window.misdeeds).toEqual([]);
    return { rows, rungs };
  } finally {
    await window.close();
  }
}

/** Has somebody type before an exchange; gives a way to ask whether they have. */
async function meanwhile(page: Page, act: NonNullable<Conversation["meanwhile"]>, { exchange }: Moment): Promise<() => Promise<boolean>> {
  await page.evaluate(
    `(() => {
      const act = ${act.toString()};
      globalThis.acted = false;
      fake.before(${exchange}, () => {
        try { act(fake); } catch { return; }
        globalThis.acted = true;
      });
    })()`,
  );
  return async () => page.evaluate(() => (globalThis as unknown as { acted: boolean }).acted);
}
