// What stands in and around each paragraph of a body, as far as it decides where markup may be put in.
//
// Must never be taken for a reading of the document: it only says what is too delicate to be replaced.

export interface Shape {
  /** The last paragraph of the body, a cell or a content control: Word keeps its mark. */
  readonly isLast: boolean;
  /** What it holds or stands in that does not survive being put in anew. */
  readonly delicate: readonly string[];
  /** How many bookmarks begin here less those that end here. */
  readonly bookmarks: number;
}

const DELICATE: Readonly<Record<string, string>> = {
  "w:sdt": "a content control",
  "w:fldChar": "a field",
  "w:fldSimple": "a field",
  "w:footnoteReference": "a note",
  "w:endnoteReference": "a note",
  "w:sectPr": "a section break",
  "w:drawing": "a picture",
  "w:pict": "a picture",
  "w:object": "an object",
  "m:oMath": "a formula",
  "w:commentRangeStart": "a comment",
  "w:commentRangeEnd": "a comment",
  "w:commentReference": "a comment",
  "w:moveFrom": "a tracked move",
  "w:moveTo": "a tracked move",
  "w:moveFromRangeStart": "a tracked move",
  "w:moveToRangeStart": "a tracked move",
};

/** The shapes of the paragraphs of a body, in order, from the document as one XML file. */
export function shapes(flat: string): Shape[] {
  const start = flat.indexOf("<w:body");
  const end = flat.lastIndexOf("</w:body>");
  const found: { isLast: boolean; delicate: Set<string>; bookmarks: number }[] = [];
  const body = flat.slice(start, end < 0 ? undefined : end);
  // The places that end with a paragraph, and the last paragraph in each.
  const places: { name: string; last: number | undefined }[] = [{ name: "w:body", last: undefined }];
  const open: number[] = [];
  let box = 0;
  let controls = 0;
  for (const [, slash, name = "", rest = ""] of body.matchAll(/<(\/?)([A-Za-z0-9]+:[A-Za-z]+)((?:[^>"']|"[^"]*"|'[^']*')*)>/g)) {
    const isClosed = slash === "/";
    const isEmpty = rest.endsWith("/");
    if (name === "w:txbxContent") box += isClosed ? -1 : isEmpty ? 0 : 1;
    if (box > 0) continue;
    if (name === "w:p") {
      if (isClosed) open.pop();
      else {
        const place = places.at(-1);
        if (place) place.last = found.length;
        found.push({ isLast: false, delicate: new Set(controls > 0 ? ["a content control"] : []), bookmarks: 0 });
        if (!isEmpty) open.push(found.length - 1);
      }
    } else if (name === "w:tc" || name === "w:sdtContent") {
      if (!isClosed && !isEmpty) places.push({ name, last: undefined });
      else if (isClosed) {
        const last = found[places.pop()?.last ?? -1];
        if (last) last.isLast = true;
      }
    } else if (name === "w:tbl" && isClosed) {
      // What comes behind a table is the last paragraph, if anything is.
      const place = places.at(-1);
      if (place) place.last = undefined;
    }
    if (name === "w:sdt" && open.length === 0) controls += isClosed ? -1 : isEmpty ? 0 : 1;
    const paragraph = found[open.at(-1) ?? -1];
    if (!paragraph || isClosed) continue;
    const what = DELICATE[name];
    if (what) paragraph.delicate.add(what);
    if (name === "w:bookmarkStart") paragraph.bookmarks += 1;
    if (name === "w:bookmarkEnd") paragraph.bookmarks -= 1;
  }
  const last = found[places[0]?.last ?? -1];
  if (last) last.isLast = true;
  return found.map(({ isLast, delicate, bookmarks }) => ({ isLast, delicate: [...delicate], bookmarks }));
}

/** Why markup must not be put in the place of paragraphs; nothing where it may. */
export function obstacle(all: readonly Shape[], first: number, last: number): string | undefined {
  const concerned = all.slice(first, last + 1);
  if (concerned.length === 0) return "the paragraphs are not there";
  if (concerned.some(({ isLast }) => isLast)) return "the last paragraph of its place keeps its mark";
  const delicate = concerned.flatMap(({ delicate: what }) => what);
  if (delicate.length > 0) return `there is ${delicate[0]}`;
  if (concerned.reduce((sum, { bookmarks }) => sum + bookmarks, 0) !== 0) return "a bookmark reaches beyond it";
  return undefined;
}

/** Whether tables with deleted rows stand in a document: Word for Mac numbers them when lists are put in (office-js#6903). */
export function hasDeletedRows(flat: string): boolean {
  return /<w:trPr>(?:(?!<\/w:trPr>).)*<w:del [^]*?<\/w:trPr>/s.test(flat);
}

export function hasMoves(flat: string): boolean {
  return /<w:move(?:From|To)[ >]/.test(flat);
}
