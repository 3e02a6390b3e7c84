// One conversation with the double of Word, and what must be so at its end whatever went wrong.
import { expect } from "vitest";

import { Documents } from "../../engine/src/calls.ts";
import type { Call } from "../../engine/src/calls.ts";
import { EngineError, WordFile } from "../../engine/src/index.ts";
import { errors, nda, texts, word } from "../../fakeword/test/double.ts";
import type { FakeWord, HostOptions } from "../../fakeword/src/index.ts";
import type { Engine } from "../src/ladder/engine.ts";
import { climb } from "../src/ladder/ladder.ts";
import type { Outcome } from "../src/ladder/report.ts";
import { WordDocument } from "../src/ladder/word.ts";
import type { Conversation } from "./conversations.ts";


export const signature = { author: "Ada Person", date: "2026-01-31T09:30:00Z" };

function engineHere(): Engine & { open: () => number } {
  const documents = new Documents();
  const held = new Set<number>();
  return {
    open: () => held.size,
    call: async <T>(call: Call): Promise<T> => {
      const answer = documents.answer({ id: 1, call });
      if ("error" in answer) throw new EngineError(answer.error.code, answer.error.message);
      if (["open", "openFlat", "copy"].includes(call.do)) held.add(answer.value as number);
      if (call.do === "free") held.delete(call.file);
      return answer.value as T;
    },
  };
}

export function source({ document, before }: Conversation): Uint8Array {
  const bytes = document === "nda" ? nda() : word(document).bytes();
  if (!before) return bytes;
  using file = WordFile.open(bytes);
  const results = file.apply(before as never, { author: "Bob Before", date: "2026-01-01T00:00:00Z" });
  expect(results.map(({ status, message }) => message ?? status)).toEqual(before.map(() => "applied"));
  return file.save();
}

export interface Run {
  readonly fake: FakeWord;
  readonly document: WordDocument;
  readonly twin: FakeWord;
  readonly outcomes: Outcome[];
  readonly here: ReturnType<typeof engineHere>;
  readonly bytes: Uint8Array;
  /** Whether somebody has done something meanwhile. */
  readonly acted: boolean;
}

export async function run(conversation: Conversation, options: HostOptions, more: { mayLoseUndo?: boolean; exchange?: number } = {}): Promise<Run> {
  const { exchange = 9, ...said } = more;
  const bytes = source(conversation);
  const all = { ...options, ...(conversation.mode ? { mode: conversation.mode } : {}) };
  const fake = word(bytes, all);
  // The same document with what persons typed, and nothing of the ladder's.
  const twin = word(bytes, all);
  const document = new WordDocument(fake.Office, fake.Word, 2_000);
  const act = conversation.meanwhile;
  let acted = false;
  if (act) {
    fake.before(exchange, () => {
      // What a person does is tracked if they have it so, at any moment; more may be.
      if (conversation.mode === "TrackAll") expect(fake.mode).toBe("TrackAll");
      twin.host.mode = fake.mode;
      try {
        act(fake);
      } catch {
        // The words that the person would have changed are not there any more.
        return;
      }
      acted = true;
      act(twin);
    });
  }
  const here = engineHere();
  const outcomes: Outcome[] = [];
  for (const operations of conversation.rounds) outcomes.push(await climb(document, here, operations, { signature, mayLoseUndo: true, ...said }));
  return { fake, document, twin, outcomes, here, bytes, acted };
}

/** What must be so whatever went wrong. */
export function judge(conversation: Conversation, { fake, twin, outcomes, here, bytes, acted }: Run, where = ""): void {
  const what = where + JSON.stringify(outcomes.map(({ steps, comments, results }) => ({ steps, comments, results: results.map(({ status, code }) => code ?? status) })), null, 1);
  const result = fake.bytes();
  expect(errors(result), what).toEqual(errors(bytes));
  // Reject all: what was there, and what persons typed untracked. Told by the double and by the engine.
  expect(texts(result, "original"), what).toEqual(texts(twin.bytes(), "original"));
  expect(fake.texts("Original").filter((text) => text !== ""), what).toEqual(twin.texts("Original").filter((text) => text !== ""));
  // Nothing that somebody typed is gone, and nothing is there that nobody has said.
  for (const typed of acted ? (conversation.typed ?? []) : []) expect(texts(result).join("\n"), what).toContain(typed);
  // Each step that is told as done is there; all others have left no trace.
  const { author } = { author: fake.host.quirks.has("unknownAuthor") ? "Unknown" : fake.host.user };
  using now = WordFile.open(result);
  const ours = now.revisions().filter((row) => row.author === author || row.author === signature.author);
  const isUntouched = outcomes.every(({ steps }) => steps.every(({ status }) => status !== "done" && status !== "left"));
  if (isUntouched && !acted) expect(ours, what).toEqual([]);
  for (const { steps, proof } of outcomes) {
    for (const step of steps) {
      expect(step.status !== "done" || step.checked, what).toBe(true);
      if (step.status !== "done") expect(step.note ?? "", what).not.toBe("");
    }
    if (!acted) expect(proof?.original ?? [], what).toEqual([]);
    if (!acted && steps.length > 0 && steps.every(({ status }) => status === "done")) expect(proof?.accepted ?? [], what).toEqual([]);
    expect(proof?.errors ?? [], what).toEqual([]);
  }
  // The mode of tracking is the person's.
  expect(fake.mode, what).toBe(conversation.mode ?? "Off");
  expect(here.open(), "documents that the engine has open").toBe(0);
  // What could not be done here is in the copy, whole and proven.
  const last = outcomes.at(-1);
  if (last?.steps.some(({ status }) => status === "elsewhere") && !last.bodyOnly) {
    expect(last.copy, what).toBeDefined();
    expect(errors(last.copy as Uint8Array), what).toEqual(errors(bytes));
  }
}
