// What became of an edit of the open document, for people, models and for taking it back.
//
// Must never say more than was checked.
import type { Difference, OperationResult, RevisionRow } from "./engine.ts";
import type { Rung } from "./plan.ts";

export type StepStatus =
  /** It is in the document, and was read back. */
  | "done"
  /** Somebody changed the paragraph meanwhile; nothing was done. */
  | "changedMeanwhile"
  /** It cannot be done in the open document; it is in the copy. */
  | "elsewhere"
  /** It went wrong, and the paragraph is as it was. */
  | "putBack"
  /** It went wrong, and could not be put back; what stands there now is told. */
  | "left"
  | "cancelled";

export interface StepReport {
  readonly status: StepStatus;
  readonly rung: Rung;
  /** The paragraph, counted from 1, as it was read. */
  readonly paragraph: number;
  /** Whether both sides were read back through the engine and are as meant. */
  readonly checked: boolean;
  readonly author: string | undefined;
  readonly changes: number;
  /** Why, or what else there is to know. */
  readonly note?: string;
}

/** A step that is in the document, as it is found again. */
export interface MadeStep {
  readonly rung: "A" | "B";
  /** Where its paragraphs were then, counted from 0, and how many they are. */
  readonly at: number;
  readonly count: number;
  readonly ids: readonly string[] | undefined;
  readonly accepted: string;
  readonly original: string;
  /** The tracked changes that it made. */
  readonly rows: readonly Pick<RevisionRow, "kind" | "author" | "date" | "text">[];
  /** Why it cannot be taken back by itself. */
  readonly mixed?: string;
}

/** All that one request has put into the document. */
export interface ChangeSet {
  readonly steps: readonly MadeStep[];
  readonly comments: readonly string[];
}

export interface CommentReport {
  readonly paragraph: number;
  readonly status: "done" | "elsewhere" | "changedMeanwhile" | "cancelled";
  readonly note?: string;
}

export interface Outcome {
  /** What the engine said to each operation. */
  readonly results: readonly OperationResult[];
  readonly steps: readonly StepReport[];
  readonly comments: readonly CommentReport[];
  readonly changeSet: ChangeSet;
  /** Whether only the body could be read. */
  readonly bodyOnly: boolean;
  /** The document with all changes, where some are not in the open one; made from the state that was read. */
  readonly copy: Uint8Array | undefined;
  /** Where the document, read anew as a whole, is not as meant. `undefined`: it could not be read anew. */
  readonly proof: { readonly original: readonly Difference[]; readonly accepted: readonly Difference[] | undefined; readonly errors: readonly string[] } | undefined;
  /** Whether others have changed the document meanwhile. */
  readonly others: boolean;
}

function keyOf({ kind, author, date, text }: Pick<RevisionRow, "kind" | "author" | "date" | "text">): string {
  return JSON.stringify([kind, author, date, text]);
}

/** The rows of the first list that the second does not have, as often as they occur. */
export function without<T extends Pick<RevisionRow, "kind" | "author" | "date" | "text">>(rows: readonly T[], others: readonly Pick<RevisionRow, "kind" | "author" | "date" | "text">[]): T[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(keyOf(row), (left.get(keyOf(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(keyOf(row)) ?? 0;
    if (count > 0) left.set(keyOf(row), count - 1);
    return count === 0;
  });
}

/** How many steps ended in each way. */
export function counts({ steps }: Pick<Outcome, "steps">): Readonly<Record<StepStatus, number>> {
  const sum: Record<StepStatus, number> = { done: 0, changedMeanwhile: 0, elsewhere: 0, putBack: 0, left: 0, cancelled: 0 };
  for (const { status } of steps) sum[status] += 1;
  return sum;
}
