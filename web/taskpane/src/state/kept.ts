// What changes have come to, kept while the pane is open, so that they can be taken back after it was loaded anew.
//
// Must never outlive the pane: it holds words of the document. The browser forgets it with the window.
import type { Outcome } from "../ladder/report.ts";
import { conversationKey } from "./pane.ts";

const ALL = "engross.change.";

/** Of this conversation, which belongs to one document. */
function place(call: string): string {
  return `${ALL}${conversationKey.value}.${call}`;
}

/** Characters of one that is kept, and how many are. */
const LARGEST = 300_000;
const MOST = 30;

/** Keeps an outcome, or forgets it. */
export function keepOutcome(call: string, outcome: Outcome | undefined): void {
  try {
    if (!outcome) return sessionStorage.removeItem(place(call));
    if (outcome.changeSet.steps.length + outcome.changeSet.comments.length === 0) return;
    const text = JSON.stringify({ ...outcome, copy: undefined });
    const known = Object.keys(sessionStorage).filter((key) => key.startsWith(ALL));
    if (text.length <= LARGEST && known.length < MOST) sessionStorage.setItem(place(call), text);
  } catch {
    // A browser that keeps nothing is as good; the change can be taken back until the pane is closed.
  }
}

export function keptOutcome(call: string): Outcome | undefined {
  try {
    const text = sessionStorage.getItem(place(call));
    if (text === null) return undefined;
    const outcome = JSON.parse(text) as Outcome;
    return Array.isArray(outcome.steps) && Array.isArray(outcome.changeSet?.steps) && Array.isArray(outcome.results) && Array.isArray(outcome.comments) ? { ...outcome, copy: undefined } : undefined;
  } catch {
    return undefined;
  }
}
