// Scripts for the server's model, written for one test.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ScriptedTurn {
  /** Words of the person that it answers; any without. */
  readonly asked?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
  /** Milliseconds between the pieces of the text. */
  readonly delay?: number;
  /** Whether it says so many pieces and then nothing for ever. */
  readonly hangsAfter?: number;
  /** What it says when the calls are done. */
  readonly then?: string;
  /** Milliseconds between the pieces of that, and the provider's word for why it ends. */
  readonly thenDelay?: number;
  readonly thenReason?: "stop" | "length";
  /** What it calls again whenever calls are done. */
  readonly thenCalls?: ScriptedTurn["calls"];
  /** Whether this answers a search of the web, and what it rests on. */
  readonly sources?: readonly { readonly url: string; readonly title: string }[];
}

/** A file for `--model script:FILE`. */
export function script(...turns: readonly ScriptedTurn[]): string {
  const told = turns.flatMap(({ asked, text = "", calls, delay, hangsAfter, then, thenDelay, thenReason, thenCalls, sources }) => {
    const when = asked === undefined ? {} : { contains: asked };
    const turn = {
      when: sources ? { web_search: true, ...when } : { last_role: "user", ...when },
      ...(sources ? { sources } : {}),
      times: 0,
      text,
      ...(calls ? { tool_calls: calls } : {}),
      ...(delay === undefined ? {} : { delay_ms: delay }),
      ...(hangsAfter === undefined ? {} : { fault: { kind: "hang", after: hangsAfter } }),
    };
    const more = asked === undefined ? {} : { anywhere: asked };
    if (thenCalls) return [turn, { when: { last_role: "tool", ...more }, times: 0, text: "", tool_calls: thenCalls }];
    return then === undefined ? [turn] : [turn, { when: { last_role: "tool", ...more }, times: 0, text: then, ...(thenDelay === undefined ? {} : { delay_ms: thenDelay }), ...(thenReason === undefined ? {} : { finish_reason: thenReason }) }];
  });
  const file = join(mkdtempSync(join(tmpdir(), "engross-script-")), "script.json");
  writeFileSync(file, JSON.stringify({ turns: told, default: { text: "No turn of the script fits this." } }));
  return `script:${file}`;
}
