// The list of changes as a person reads it: a deletion and the insertion in its place are one replacement, a paragraph and its text one
// insertion.
//
// Must never leave a change out, or put one into two rows.
import type { Revision } from "../../../shared/src/server-client.ts";

export interface ChangeRow {
  /** Counted from 1 in the whole list. */
  readonly number: number;
  readonly ids: readonly string[];
  readonly kind: string;
  readonly author: string;
  readonly date: string | null;
  readonly address: string;
  /** What was there, and what is. */
  readonly before: string;
  readonly after: string;
}

export type ChangeGroup = "text" | "move" | "format" | "structure";

export const GROUPS: readonly ChangeGroup[] = ["text", "move", "format", "structure"];

const TEXT = new Set(["insertion", "deletion", "replacement"]);
const GONE = new Set(["deletion", "move_from"]);
const COME = new Set(["insertion", "move_to"]);

export function groupOf(kind: string): ChangeGroup {
  if (TEXT.has(kind)) return "text";
  if (kind.startsWith("move")) return "move";
  return kind.includes("format") || kind === "numbering" ? "format" : "structure";
}

export function rowsOf(revisions: readonly Revision[]): readonly ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (let at = 0; at < revisions.length; at += 1) {
    const revision = revisions[at];
    if (!revision) continue;
    const { id, kind, author, date, address, text } = revision;
    const next = revisions[at + 1];
    const number = rows.length + 1;
    if (next && isOfOne(revision, next) && kind === "deletion" && next.kind === "insertion") {
      rows.push({ number, ids: [id, next.id], kind: "replacement", author, date, address, before: text, after: next.text });
      at += 1;
    } else if (next && isOfOne(revision, next) && isWholeParagraph(kind, next.kind)) {
      const isGone = next.kind === "deletion";
      rows.push({ number, ids: [id, next.id], kind, author, date, address, before: isGone ? next.text : "", after: isGone ? "" : next.text });
      at += 1;
    } else {
      const before = GONE.has(kind) ? text : "";
      const after = COME.has(kind) || (!GONE.has(kind) && text !== "") ? text : "";
      rows.push({ number, ids: [id], kind, author, date, address, before, after });
    }
  }
  return rows;
}

/** Whether two changes were made at once in one paragraph. */
function isOfOne(one: Revision, next: Revision): boolean {
  return one.author === next.author && one.date === next.date && one.address !== "" && one.address === next.address;
}

/** Whether the end of a paragraph came or went with its text. */
function isWholeParagraph(kind: string, next: string): boolean {
  return (kind === "paragraph_insertion" && next === "insertion") || (kind === "paragraph_deletion" && next === "deletion");
}
