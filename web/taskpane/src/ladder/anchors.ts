// Where in Word the words of a span are found: by a search whose hits are counted, since Word has no places to count on.
//
// Must never name a hit that the text does not have at exactly that number.
import type { Span } from "./text.ts";

/** An edit at the `index`-th of `count` hits of a text in a paragraph. */
export interface Anchor {
  readonly find: string;
  readonly index: number;
  readonly count: number;
  readonly act: "replace" | "delete" | "insertBefore" | "insertAfter";
  readonly text: string;
}

/** The longest text that Word looks for. */
const LONGEST = 255;

/** Where a text occurs, one after the other as Word finds them. */
function hits(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

/** Straight and curly quotes are the same to Word's search. */
export function searched(text: string): string {
  return text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"');
}

function at(text: string, find: string, place: number, act: Anchor["act"], insert: string): Anchor | undefined {
  if (find === "" || find.length > LONGEST || !isPlain(find)) return undefined;
  const all = hits(searched(text), searched(find));
  const index = all.indexOf(place);
  return index < 0 ? undefined : { find, index, count: all.length, act, text: insert };
}

/** Whether Word finds a text as it stands: no line ends, tabs or signs of its own, and no half characters. */
function isPlain(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return !/[\u0000-\u001f\u2011\u00ad\u00a0]|^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text);
}

/** The longest part beside a place that is found at exactly one number; the fewest hits win. */
function beside(text: string, place: number, act: "insertBefore" | "insertAfter", insert: string): Anchor | undefined {
  let best: Anchor | undefined;
  for (const length of [1, 4, 12, 40, 120, 250]) {
    const from = act === "insertAfter" ? Math.max(0, place - length) : place;
    const find = act === "insertAfter" ? text.slice(from, place) : text.slice(place, place + length);
    const anchor = at(text, find, from, act, insert);
    if (anchor && (!best || anchor.count < best.count)) best = anchor;
    if (best?.count === 1) break;
  }
  return best;
}

/** The edits that carry spans out, the last first; nothing where one of them has no place that can be found. */
export function anchors(text: string, spans: readonly Span[]): Anchor[] | undefined {
  const found: Anchor[] = [];
  for (const { start, end, delete: gone, insert, like } of spans) {
    if (!isPlain(insert) && insert !== "") return undefined;
    let anchor: Anchor | undefined;
    if (gone !== "") anchor = at(text, text.slice(start, end), start, insert === "" ? "delete" : "replace", insert);
    else if (like === "after") anchor = beside(text, start, "insertBefore", insert) ?? beside(text, start, "insertAfter", insert);
    else anchor = beside(text, start, "insertAfter", insert) ?? beside(text, start, "insertBefore", insert);
    if (!anchor || (gone !== "" && text.slice(start, end) !== gone)) return undefined;
    found.push(anchor);
  }
  return found;
}

/** Where words of a paragraph are found for a comment; `undefined`: all of it. */
export function quotedAnchor(text: string, quoted: string): Anchor | undefined {
  const start = text.indexOf(quoted);
  if (quoted === "" || quoted === text || start < 0) return undefined;
  return anchors(text, [{ start, end: start + quoted.length, delete: quoted, insert: "", like: "deleted" }])?.[0];
}
