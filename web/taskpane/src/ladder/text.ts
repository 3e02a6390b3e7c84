// Texts of paragraphs as Word and as the engine give them, and what became of them.
//
// Must never guess: two texts are the same or they are not.

/** A text of Word's as the engine has it: line breaks, and no signs for what is no text. */
export function plain(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\u000b/g, "\n").replace(/[\u0000-\u0008\r]/g, "").replace(/\u001e/g, "\u2011").replace(/\u001f/g, "\u00ad");
}

/** Words that give way to others: places in a text, the last first. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly delete: string;
  readonly insert: string;
  readonly like: "deleted" | "before" | "after";
}

export function withSpans(text: string, spans: readonly Span[]): string {
  return spans.reduce((sofar, { start, end, insert }) => sofar.slice(0, start) + insert + sofar.slice(end), text);
}

/** The one stretch in which two texts differ: what the first has there gives way to what the second has. */
export function stretch(one: string, other: string): { start: number; end: number; insert: string } {
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let tail = 0;
  while (tail < one.length - start && tail < other.length - start && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return { start, end: one.length - tail, insert: other.slice(start, other.length - tail) };
}

/**
 * What a text becomes by spans that were made for an earlier state of it; nothing where somebody has changed words that the spans
 * touch.
 */
export function rebased(earlier: string, now: string, spans: readonly Span[]): string | undefined {
  if (earlier === now) return withSpans(now, spans);
  const between = stretch(earlier, now);
  const grown = between.insert.length - (between.end - between.start);
  const moved: Span[] = [];
  for (const span of spans) {
    if (span.end < between.start) moved.push(span);
    else if (span.start > between.end) moved.push({ ...span, start: span.start + grown, end: span.end + grown });
    else return undefined;
  }
  return withSpans(now, moved);
}

/** Where a paragraph of an earlier list is in a later one; nothing where that cannot be said. */
export function located(earlier: readonly string[], later: readonly string[], index: number): number | undefined {
  let head = 0;
  while (head < earlier.length && head < later.length && earlier[head] === later[head]) head += 1;
  if (index < head) return index;
  let tail = 0;
  while (tail < earlier.length - head && tail < later.length - head && earlier.at(-1 - tail) === later.at(-1 - tail)) tail += 1;
  return index >= earlier.length - tail ? index + later.length - earlier.length : undefined;
}
