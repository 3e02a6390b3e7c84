// What `insertOoxml` does with a package: paragraphs in the place of others, and of the other parts only what is new.
//
// Must never update a style or a numbering that the document has: Word does not, either (office-js#5243).
import * as content from "./content.ts";
import { WordError } from "./error.ts";
import type { Quirk } from "./quirks.ts";
import { beneath, child, copyOf, elements, make, parentOf, replace, type Element } from "./xml.ts";

/** The document that something is put into. */
export interface Receiver {
  readonly body: Element;
  readonly mode: string;
  readonly quirks: ReadonlySet<Quirk>;
  part(name: string): Element | undefined;
  partOrNew(name: string, root: string, kind: string, type: string): Element;
  freshId(): string;
  hand(): content.Hand;
}

const KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DOCUMENT = `${KIND}.document.main+xml`;

function partOf(source: Element, suffix: string): Element | undefined {
  const found = elements(source).find(({ attributes }) => attributes["pkg:contentType"] === `${KIND}${suffix}` || attributes["pkg:contentType"] === suffix);
  const data = child(found, "pkg:xmlData");
  return data && elements(data)[0];
}

/** Puts the paragraphs of `source` where `old` are; gives them. */
export function putIn(host: Receiver, old: readonly Element[], source: Element): Element[] {
  const document = partOf(source, DOCUMENT);
  const body = child(document, "w:body");
  const [first] = old;
  if (!body || !first) throw new WordError("ooxmlIsMalformed");
  const put = elements(body).filter(({ name }) => name !== "w:sectPr").map(copyOf);
  rename(host, put, source);
  const parent = parentOf(host.body, first);
  if (!parent || old.some((paragraph) => !parent.children.includes(paragraph))) throw new WordError("GeneralException");
  const isLast = lastParagraph(parent) === old.at(-1);
  const twice = host.quirks.has("controlTwice") ? put.filter(hasControlBesideText).map(copyOf) : [];
  put.push(...twice);
  if (host.mode === "Off") {
    for (const paragraph of old.slice(1)) replace(parent, paragraph);
    replace(parent, first, ...put);
  } else {
    // With tracking all that was there is deleted, and all that comes is inserted (office-js#334).
    const hand = host.hand();
    for (const paragraph of old) {
      content.erase(paragraph, 0, content.length(paragraph), hand);
      content.mark(paragraph, "w:del", hand);
    }
    for (const paragraph of put.filter(({ name }) => name === "w:p")) {
      for (const run of elements(paragraph).filter(({ name }) => name === "w:r")) replace(paragraph, run, content.change("w:ins", hand, run));
      content.mark(paragraph, "w:ins", hand);
    }
    replace(parent, first, first, ...put);
  }
  // The last mark of a body, a cell or a control stays where it is.
  if (isLast || host.quirks.has("trailingParagraph")) {
    const after = put.at(-1) as Element;
    replace(parent, after, after, make("w:p"));
  }
  for (const paragraph of put) for (const element of [paragraph, ...beneath(paragraph)]) delete element.attributes["w14:paraId"];
  if (host.quirks.has("macListLeak") && put.some((paragraph) => [...beneath(paragraph)].some(({ name }) => name === "w:numPr"))) leak(host, put);
  return put.filter(({ name }) => name === "w:p");
}

function lastParagraph(parent: Element): Element | undefined {
  return elements(parent).filter(({ name }) => name !== "w:sectPr").at(-1);
}

function hasControlBesideText(paragraph: Element): boolean {
  const names = elements(paragraph).map(({ name }) => name);
  return names.includes("w:sdt") && names.includes("w:r");
}

/** Gives new numbers to what the document numbers, and takes over styles, lists and links that it does not have. */
function rename(host: Receiver, put: readonly Element[], source: Element): void {
  const links = new Map<string, string>();
  const theirs = child(child(elements(source).find(({ attributes }) => attributes["pkg:name"] === "/word/_rels/document.xml.rels"), "pkg:xmlData"), "Relationships");
  const ours = child(host.part("/word/_rels/document.xml.rels"), "Relationships");
  for (const { attributes } of elements(theirs ?? make("none"))) {
    const same = elements(ours ?? make("none")).find((known) => known.attributes["Target"] === attributes["Target"] && known.attributes["Type"] === attributes["Type"]);
    if (same) links.set(attributes["Id"] ?? "", same.attributes["Id"] ?? "");
    else if (attributes["Type"] === `${RELATIONSHIPS}/hyperlink` && ours) {
      const id = `rIdPut${ours.children.length}`;
      ours.children.push(make("Relationship", { ...attributes, Id: id }));
      links.set(attributes["Id"] ?? "", id);
    }
  }
  let next = Number(host.freshId());
  for (const block of put) {
    for (const element of beneath(block)) {
      const { attributes, name } = element;
      if (["w:ins", "w:del", "w:rPrChange", "w:pPrChange", "w:moveFrom", "w:moveTo"].includes(name)) attributes["w:id"] = String(next++);
      const link = links.get(attributes["r:id"] ?? "");
      if (link !== undefined) attributes["r:id"] = link;
    }
  }
  const known = (part: string, root: string, key: string) =>
    new Set(elements(child(host.part(part), root) ?? make("none")).map((element) => element.attributes[key]));
  const styles = child(host.part("/word/styles.xml"), "w:styles");
  const ids = known("/word/styles.xml", "w:styles", "w:styleId");
  for (const style of elements(partOf(source, ".styles+xml") ?? make("none"))) {
    if (style.name === "w:style" && !ids.has(style.attributes["w:styleId"])) styles?.children.push(copyOf(style));
  }
  const lists = partOf(source, ".numbering+xml");
  if (!lists || elements(lists).length === 0) return;
  const numbering = host.partOrNew("/word/numbering.xml", "w:numbering", "numbering", `${KIND}.numbering+xml`);
  for (const [name, key] of [["w:abstractNum", "w:abstractNumId"], ["w:num", "w:numId"]] as const) {
    const there = new Set(elements(numbering).filter((element) => element.name === name).map(({ attributes }) => attributes[key]));
    const fresh = elements(lists).filter((element) => element.name === name && !there.has(element.attributes[key])).map(copyOf);
    const at = numbering.children.findIndex((element) => typeof element === "object" && element.name === "w:num");
    numbering.children.splice(name === "w:num" || at < 0 ? numbering.children.length : at, 0, ...fresh);
  }
}

/** Numbers the paragraphs of deleted tables, as Word for Mac does (office-js#6903). */
function leak(host: Receiver, put: readonly Element[]): void {
  const list = put.flatMap((block) => [...beneath(block)]).find(({ name }) => name === "w:numPr");
  for (const row of [...beneath(host.body)].filter(({ name }) => name === "w:tr")) {
    if (!list || !child(child(row, "w:trPr"), "w:del")) continue;
    for (const paragraph of [...beneath(row)].filter(({ name }) => name === "w:p")) {
      const properties = child(paragraph, "w:pPr") ?? make("w:pPr");
      if (!paragraph.children.includes(properties)) paragraph.children.unshift(properties);
      if (!child(properties, "w:numPr")) properties.children.splice(child(properties, "w:pStyle") ? 1 : 0, 0, copyOf(list));
    }
  }
}
