// What stands in a paragraph: characters in their runs, and how typing and deleting change them.
//
// Must never know the engine: this is a second opinion on what tracked changes mean.
import { child, copyOf, elements, make, replace, type Element } from "./xml.ts";

/** Who types, and whether it is tracked. */
export interface Hand {
  readonly author: string;
  readonly date: string;
  readonly isTracked: boolean;
  /** A number that no tracked change has. */
  readonly id: () => string;
}

/** A character, or something that stands for one. */
interface Cell {
  /** What is seen; empty for what has no text. */
  readonly text: string;
  /** The run, and the elements it stands in, from the paragraph downwards. */
  readonly run: Element;
  readonly way: readonly Element[];
  readonly piece: Element;
  /** Where in the text of its piece. */
  readonly at: number;
}

/** Elements whose content is content of the paragraph. */
const CONTAINERS = new Set(["w:ins", "w:del", "w:moveFrom", "w:moveTo", "w:hyperlink", "w:smartTag", "w:sdt", "w:sdtContent", "w:fldSimple"]);
/** Those that are split where something is put between. */
const CHANGES = new Set(["w:ins", "w:del", "w:moveFrom", "w:moveTo"]);
const GONE = new Set(["w:del", "w:moveFrom"]);
const ADDED = new Set(["w:ins", "w:moveTo"]);

const SIGNS: Readonly<Record<string, string>> = {
  "w:tab": "\t",
  "w:br": "\u000b",
  "w:cr": "\u000b",
  "w:noBreakHyphen": "\u001e",
  "w:footnoteReference": "\u0002",
  "w:endnoteReference": "\u0002",
};

function cells(paragraph: Element): Cell[] {
  const found: Cell[] = [];
  const walk = (parent: Element, way: readonly Element[]) => {
    for (const element of elements(parent)) {
      if (element.name === "w:r") {
        for (const piece of elements(element)) {
          if (piece.name === "w:t" || piece.name === "w:delText") {
            [...piece.children.join("")].reduce((at, text) => {
              found.push({ text, run: element, way, piece, at });
              return at + text.length;
            }, 0);
          } else if (piece.name !== "w:rPr" && piece.name !== "w:instrText") {
            found.push({ text: SIGNS[piece.name] ?? "", run: element, way, piece, at: 0 });
          }
        }
      } else if (CONTAINERS.has(element.name)) walk(element, [...way, element]);
    }
  };
  walk(paragraph, [paragraph]);
  return found;
}

function holds(way: readonly Element[], names: ReadonlySet<string>): boolean {
  return way.some(({ name }) => names.has(name));
}

export type Side = "Original" | "Current" | "All";

/** The text of a paragraph as one of the sides has it. */
export function textOn(paragraph: Element, side: Side): string {
  return spanText(paragraph, 0, Number.POSITIVE_INFINITY, side);
}

/** The text between two places. Places count the characters of both sides. */
export function spanText(paragraph: Element, start: number, end: number, side: Side): string {
  return cells(paragraph)
    .slice(start, end)
    .filter(({ way }) => side === "All" || !holds(way, side === "Current" ? GONE : ADDED))
    .map(({ text }) => text)
    .join("");
}

/** How many places a paragraph has. */
export function length(paragraph: Element): number {
  return cells(paragraph).length;
}

/** Where a text occurs, one after the other as Word finds them, as places. */
export function occurrences(paragraph: Element, wanted: string, from: number, to: number, withDeleted: boolean, matchCase: boolean): [number, number][] {
  const seen = cells(paragraph)
    .map((cell, place) => ({ ...cell, place }))
    .filter(({ way, place, text }) => place >= from && place < to && text !== "" && (withDeleted || !holds(way, GONE)));
  // Word takes straight and curly quotes for the same.
  const plain = (text: string) => text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"');
  const form = (text: string) => (matchCase ? plain(text) : plain(text).toLowerCase());
  const all = form(seen.map(({ text }) => text).join(""));
  const starts: number[] = [];
  seen.reduce((at, { text }, index) => {
    starts[at] = index;
    return at + text.length;
  }, 0);
  const found: [number, number][] = [];
  for (let at = all.indexOf(form(wanted)); at >= 0 && wanted !== ""; at = all.indexOf(form(wanted), at + wanted.length)) {
    const first = seen[starts[at] ?? -1];
    let last = at + wanted.length - 1;
    while (last > at && starts[last] === undefined) last -= 1;
    const end = seen[starts[last] ?? -1];
    if (first && end) found.push([first.place, end.place + 1]);
  }
  return found;
}

/** Splits the run of a place so that a run begins there. */
function cut(paragraph: Element, place: number): void {
  const cell = cells(paragraph)[place];
  if (!cell) return;
  const { run, piece, at, way } = cell;
  const before = cells(paragraph)[place - 1];
  if (before?.run !== run) return;
  const properties = child(run, "w:rPr");
  const later = make("w:r", { ...run.attributes }, ...(properties ? [copyOf(properties)] : []));
  const index = run.children.indexOf(piece);
  const rest = run.children.splice(index + (at > 0 ? 1 : 0));
  if (at > 0) {
    const text = piece.children.join("");
    piece.children = [text.slice(0, at)];
    piece.attributes["xml:space"] = "preserve";
    rest.unshift(make(piece.name, { "xml:space": "preserve" }, text.slice(at)));
  }
  later.children.push(...rest);
  const parent = way.at(-1) as Element;
  replace(parent, run, run, later);
}

/** Splits the changes around a place so that what is put there stands in none; gives the element to put it in, and where. */
function gap(paragraph: Element, place: number): { parent: Element; index: number } {
  cut(paragraph, place);
  const all = cells(paragraph);
  const left = all[place - 1];
  const right = all[place];
  const beside = left ?? right;
  if (!beside) return { parent: paragraph, index: paragraph.children.length };
  const way = [...beside.way];
  let inner: Element = beside.run;
  for (;;) {
    const parent = way.pop() as Element;
    const index = parent.children.indexOf(inner) + (left ? 1 : 0);
    if (!CHANGES.has(parent.name)) return { parent, index };
    const rest = parent.children.splice(index);
    const outer = way.at(-1) as Element;
    if (rest.length > 0 && parent.children.length > 0) {
      replace(outer, parent, parent, make(parent.name, { ...parent.attributes }, ...rest));
    } else if (rest.length > 0) parent.children = rest;
    inner = parent;
  }
}

function runOf(text: string, like: Element | undefined): Element {
  const properties = child(like, "w:rPr");
  const run = make("w:r", {}, ...(properties ? [copyOf(properties)] : []));
  for (const part of text.split(/([\t\u000b])/)) {
    if (part === "\t") run.children.push(make("w:tab"));
    else if (part === "\u000b") run.children.push(make("w:br"));
    else if (part !== "") run.children.push(make("w:t", { "xml:space": "preserve" }, part));
  }
  return run;
}

/** Types at a place; the new text looks like what stands before it, or at another place. */
export function type(paragraph: Element, place: number, text: string, hand: Hand, likeAt = place - 1): void {
  if (text === "") return;
  const all = cells(paragraph);
  const [left, right] = [all[place - 1], all[place]];
  const like = all[likeAt] ?? left ?? right;
  const run = runOf(text, like?.run);
  // What one has inserted oneself and types on in stays one insertion.
  const own = [left, right].find((cell) => cell?.way.some((element) => element.name === "w:ins" && isOwn(element, hand)));
  if (own && hand.isTracked && !holds(own.way, GONE)) {
    cut(paragraph, place);
    const anchor = own === left ? cells(paragraph)[place - 1] : cells(paragraph)[place];
    const parent = anchor?.way.at(-1);
    if (anchor && parent) {
      parent.children.splice(parent.children.indexOf(anchor.run) + (own === left ? 1 : 0), 0, run);
      return;
    }
  }
  const { parent, index } = gap(paragraph, place);
  const put = hand.isTracked ? change("w:ins", hand, run) : run;
  parent.children.splice(index, 0, put);
}

function isOwn(element: Element, { author }: Hand): boolean {
  return element.attributes["w:author"] === author;
}

export function change(name: string, { author, date, id }: Hand, ...children: Element[]): Element {
  return make(name, { "w:id": id(), "w:author": author, "w:date": date }, ...children);
}

/** Deletes what stands between two places. */
export function erase(paragraph: Element, start: number, end: number, hand: Hand): void {
  cut(paragraph, start);
  cut(paragraph, end);
  const runs = new Map(cells(paragraph).slice(start, end).map((cell) => [cell.run, cell.way] as const));
  for (const [run, way] of runs) {
    if (holds(way, GONE)) continue;
    const parent = way.at(-1) as Element;
    const own = way.find((element) => element.name === "w:ins" && isOwn(element, hand));
    if (own || !hand.isTracked) {
      replace(parent, run);
      if (CHANGES.has(parent.name) && parent.children.length === 0) replace(way.at(-2) as Element, parent);
      continue;
    }
    for (const piece of elements(run)) if (piece.name === "w:t") piece.name = "w:delText";
    const index = parent.children.indexOf(run);
    const before = parent.children[index - 1];
    // What stands side by side is one deletion.
    if (typeof before === "object" && before.name === "w:del" && isOwn(before, hand) && before.attributes["w:date"] === hand.date) {
      parent.children.splice(index, 1);
      before.children.push(run);
    } else replace(parent, run, change("w:del", hand, run));
  }
}

/** Marks the end of a paragraph as inserted or deleted. */
export function mark(paragraph: Element, name: "w:ins" | "w:del", hand: Hand): void {
  let properties = child(paragraph, "w:pPr");
  if (!properties) {
    properties = make("w:pPr");
    paragraph.children.unshift(properties);
  }
  let look = child(properties, "w:rPr");
  if (!look) {
    look = make("w:rPr");
    const last = properties.children.findIndex((element) => typeof element === "object" && ["w:sectPr", "w:pPrChange"].includes(element.name));
    properties.children.splice(last < 0 ? properties.children.length : last, 0, look);
  }
  look.children.unshift(change(name, hand));
}

/** A tracked change in a paragraph, and where. */
export interface Change {
  readonly element: Element;
  readonly parent: Element;
  readonly start: number;
  readonly end: number;
}

/** The insertions and deletions of a paragraph, in order. */
export function changes(paragraph: Element): Change[] {
  const found = new Map<Element, Change>();
  cells(paragraph).forEach(({ way }, place) => {
    way.forEach((element, depth) => {
      if (element.name !== "w:ins" && element.name !== "w:del") return;
      const known = found.get(element);
      found.set(element, { element, parent: way[depth - 1] as Element, start: known?.start ?? place, end: place + 1 });
    });
  });
  return [...found.values()];
}

/** Takes an insertion or a deletion back. */
export function reject({ element, parent }: Change): void {
  if (element.name === "w:ins") {
    replace(parent, element);
    return;
  }
  for (const run of elements(element)) for (const piece of elements(run)) if (piece.name === "w:delText") piece.name = "w:t";
  replace(parent, element, ...elements(element));
}

/** Lays the range of a comment around what stands between two places. */
export function anchor(paragraph: Element, start: number, end: number, id: string): void {
  const close = gap(paragraph, end);
  close.parent.children.splice(close.index, 0, make("w:commentRangeEnd", { "w:id": id }), make("w:r", {}, make("w:commentReference", { "w:id": id })));
  const open = gap(paragraph, start);
  open.parent.children.splice(open.index, 0, make("w:commentRangeStart", { "w:id": id }));
}
