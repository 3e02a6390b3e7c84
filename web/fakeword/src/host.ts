// The document that is open in the double of Word: what its parts hold, what can be undone, who listens.
//
// Must never lose a part of the package: what the double does not understand stays as it came.
import { WordFile } from "../../engine/src/index.ts";
import * as content from "./content.ts";
import type { Hand } from "./content.ts";
import { WordError } from "./error.ts";
import { putIn } from "./putting-in.ts";
import { SETS, USUAL, type Platform, type Quirk } from "./quirks.ts";
import { beneath, child, copyOf, elements, make, parentOf, parse, replace, serialised, textOf, type Element } from "./xml.ts";

export type Mode = "Off" | "TrackAll" | "TrackMineOnly";

export interface HostOptions {
  readonly platform?: Platform;
  readonly quirks?: readonly Quirk[];
  /** Leaves out what the platform usually does. */
  readonly isPlain?: boolean;
  /** Requirement sets instead of those of the platform. */
  readonly sets?: Readonly<Record<string, number>>;
  /** Who is signed in. */
  readonly user?: string;
  readonly mode?: Mode;
  /** Milliseconds that each exchange with Word takes. */
  readonly latency?: number;
}

export interface Place {
  paragraph: Element;
  start: number;
  end: number;
}

export type Listener = (event: { uniqueLocalIds: string[]; source: "Local" | "Remote"; type: string }) => unknown;

const DOCUMENT = "/word/document.xml";
const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export class Host {
  readonly platform: Platform;
  readonly quirks: ReadonlySet<Quirk>;
  readonly sets: Readonly<Record<string, number>>;
  readonly user: string;
  readonly latency: number;
  mode: Mode;
  selection: Place;
  /** Places that move along while the text around them changes. */
  readonly places = new Set<Place>();
  readonly listeners = new Map<string, Set<Listener>>();
  readonly settings = new Map<string, unknown>();
  /** Documents that were made and opened beside this one. */
  readonly opened: Uint8Array[] = [];
  /** Paragraphs that were highlighted without a trace in the file. */
  readonly highlights: string[] = [];
  /** Each exchange with Word: what was asked in it. */
  readonly exchanges: string[][] = [];
  #package: Element;
  #undo: { package: Element; ids: Map<Element, string> }[] = [];
  #ids = new Map<Element, string>();
  #next = 1;
  #clock = 0;

  constructor(bytes: Uint8Array, options: HostOptions = {}) {
    this.platform = options.platform ?? "windows";
    this.quirks = new Set([...(options.isPlain ? [] : USUAL[this.platform]), ...(options.quirks ?? [])]);
    this.sets = options.sets ?? SETS[this.platform];
    this.user = options.user ?? "Ada Person";
    this.mode = options.mode ?? "Off";
    this.latency = options.latency ?? 0;
    using file = WordFile.open(bytes);
    this.#package = parse(file.saveFlat().replace(/^\ufeff/, ""));
    // Word gives an empty body a paragraph.
    if (this.paragraphs().length === 0) this.body.children.unshift(make("w:p"));
    const first = this.paragraphs()[0] as Element;
    this.selection = { paragraph: first, start: 0, end: 0 };
    this.places.add(this.selection);
  }

  isSetSupported(name: string, version = 1): boolean {
    // 1.10 does not occur, so that numbers do.
    return (this.sets[name] ?? 0) >= version;
  }

  /** The file as it would be saved now. */
  bytes(): Uint8Array {
    using file = WordFile.openFlat(serialised(this.#package));
    return file.save();
  }

  get body(): Element {
    const body = child(child(this.part(DOCUMENT), "w:document"), "w:body");
    if (!body) throw new Error("the package has no body");
    return body;
  }

  part(name: string): Element | undefined {
    const part = elements(this.#package).find(({ attributes }) => attributes["pkg:name"] === name);
    return child(part, "pkg:xmlData");
  }

  /** A part that there is from now on, with its relationship. */
  partOrNew(name: string, root: string, kind: string, type: string): Element {
    const known = this.part(name);
    if (known) return elements(known)[0] as Element;
    const element = make(root, { "xmlns:w": WORD });
    this.#package.children.push(make("pkg:part", { "pkg:name": name, "pkg:contentType": type }, make("pkg:xmlData", {}, element)));
    const relationships = elements(this.part("/word/_rels/document.xml.rels") ?? make("none"))[0];
    relationships?.children.push(make("Relationship", { Id: `rIdFake${relationships.children.length}`, Type: `${OFFICE}/${kind}`, Target: name.replace("/word/", "") }));
    return element;
  }

  /** All paragraphs of the body, those of tables and content controls, too; not those of text boxes. */
  paragraphs(): Element[] {
    const found: Element[] = [];
    const walk = (parent: Element) => {
      for (const element of elements(parent)) {
        if (element.name === "w:p") found.push(element);
        else if (element.name !== "w:sectPr") walk(element);
      }
    };
    walk(this.body);
    return found;
  }

  idOf(paragraph: Element): string {
    let id = this.#ids.get(paragraph);
    if (id === undefined) {
      id = `L${this.#next++}`;
      this.#ids.set(paragraph, id);
    }
    return id;
  }

  /** A number that no tracked change or comment has. */
  freshId(): string {
    let most = 0;
    for (const { attributes } of beneath(this.#package)) most = Math.max(most, Number(attributes["w:id"] ?? 0) || 0);
    return String(most + 1);
  }

  now(): string {
    this.#clock += 1;
    return new Date(Date.UTC(2026, 1, 1, 12, 0, this.#clock)).toISOString().replace(".000", "");
  }

  /** The hand of the program that uses the interface. */
  hand(date = this.now()): Hand {
    return this.handOf(this.quirks.has("unknownAuthor") ? "Unknown" : this.user, this.mode !== "Off", date);
  }

  handOf(author: string, isTracked: boolean, date = this.now()): Hand {
    return { author, date, isTracked, id: () => this.freshId() };
  }

  setMode(mode: Mode): void {
    if (this.quirks.has("trackingStuckOff")) return;
    if (mode === "TrackMineOnly" && this.quirks.has("trackMineOnlyIgnored")) return;
    this.mode = mode;
  }

  /** Notes the state before a change, and tells who listens after it. */
  changed<T>(source: "Local" | "Remote", change: () => T): T {
    const ids = new Map<Element, string>();
    const kept = this.#copy(this.#package, ids);
    const before = this.#texts();
    const value = change();
    this.#undo.push({ package: kept, ids });
    const after = this.#texts();
    const tell = (type: string, uniqueLocalIds: string[]) => {
      if (uniqueLocalIds.length > 0) for (const listener of this.listeners.get(type) ?? []) queueMicrotask(() => void listener({ uniqueLocalIds, source, type }));
    };
    tell("onParagraphAdded", [...after.keys()].filter((id) => !before.has(id)));
    tell("onParagraphDeleted", [...before.keys()].filter((id) => !after.has(id)));
    tell("onParagraphChanged", [...after.keys()].filter((id) => before.has(id) && before.get(id) !== after.get(id)));
    return value;
  }

  #texts(): Map<string, string> {
    return new Map(this.paragraphs().map((paragraph) => [this.idOf(paragraph), content.textOn(paragraph, "All")]));
  }

  #copy(element: Element, ids: Map<Element, string>): Element {
    const copy: Element = {
      name: element.name,
      attributes: { ...element.attributes },
      children: element.children.map((part) => (typeof part === "string" ? part : this.#copy(part, ids))),
    };
    const id = this.#ids.get(element);
    if (id !== undefined) ids.set(copy, id);
    return copy;
  }

  get undoable(): number {
    return this.#undo.length;
  }

  /** Takes back the last change; says whether there was one. */
  undo(): boolean {
    const last = this.#undo.pop();
    if (!last) return false;
    this.#package = last.package;
    this.#ids = last.ids;
    return true;
  }

  /** Types text at a place, as a person here does or one elsewhere. */
  type(place: Place, text: string, hand: Hand, source: "Local" | "Remote" = "Local", likeAt?: number): void {
    const { paragraph, start: at } = place;
    this.changed(source, () => {
      const before = content.length(paragraph);
      content.type(paragraph, at, text, hand, likeAt);
      const grown = content.length(paragraph) - before;
      for (const other of this.places) {
        if (other.paragraph !== paragraph || other === place) continue;
        if (other.start >= at) other.start += grown;
        if (other.end > at) other.end += grown;
      }
    });
  }

  erase({ paragraph, start, end }: Place, hand: Hand, source: "Local" | "Remote" = "Local"): void {
    this.changed(source, () => {
      const before = content.length(paragraph);
      content.erase(paragraph, start, end, hand);
      const shrunk = before - content.length(paragraph);
      for (const other of this.places) {
        if (other.paragraph !== paragraph || shrunk === 0) continue;
        // What was taken out is taken for the end of the span, which is exact where all of it goes.
        const moved = (at: number) => (at >= end ? at - shrunk : Math.min(at, Math.max(start, end - shrunk)));
        other.start = moved(other.start);
        other.end = moved(other.end);
      }
    });
  }

  /** Puts the paragraphs of a package where some are. */
  insertOoxml(paragraphs: readonly Element[], xml: string): Element[] {
    if (this.quirks.has("ooxmlIsMalformed")) throw new WordError("ooxmlIsMalformed");
    let source: Element;
    try {
      source = parse(xml.replace(/^\ufeff/, ""));
    } catch {
      throw new WordError("ooxmlIsMalformed");
    }
    const put = this.changed("Local", () => putIn(this, paragraphs, source));
    if (this.quirks.has("webUndoLost")) this.#undo = [];
    return put;
  }

  /** Some paragraphs as a package of their own, with all other parts. */
  ooxml(paragraphs: readonly Element[]): string {
    const copy = copyOf(this.#package);
    const body = child(child(child(elements(copy).find(({ attributes }) => attributes["pkg:name"] === DOCUMENT), "pkg:xmlData"), "w:document"), "w:body");
    if (!body) throw new Error("the package has no body");
    const last = elements(body).at(-1);
    const blocks = new Set(paragraphs.map((paragraph) => this.#block(paragraph, paragraphs.length > 1)));
    body.children = [...blocks].map(copyOf);
    if (last?.name === "w:sectPr") body.children.push(last);
    const settings = child(child(elements(copy).find(({ attributes }) => attributes["pkg:name"] === "/word/settings.xml"), "pkg:xmlData"), "w:settings");
    // What `getOoxml` leaves out (office-js#2123).
    const tracking = child(settings, "w:trackRevisions");
    if (settings && tracking) replace(settings, tracking);
    return serialised(copy);
  }

  /** A paragraph by itself, or with others the block of the body that it stands in. */
  #block(paragraph: Element, withOthers: boolean): Element {
    if (!withOthers) return paragraph;
    let block = paragraph;
    for (let parent = parentOf(this.body, block); parent && parent !== this.body; parent = parentOf(this.body, block)) block = parent;
    return block;
  }

  comment(place: Place, text: string, author = this.quirks.has("unknownAuthor") ? "Unknown" : this.user): string {
    return this.changed("Local", () => {
      const comments = this.partOrNew("/word/comments.xml", "w:comments", "comments", "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml");
      const id = this.freshId();
      const note = make("w:comment", { "w:id": id, "w:author": author, "w:date": this.now(), "w:initials": author.slice(0, 1) });
      note.children.push(make("w:p", {}, make("w:r", {}, make("w:t", { "xml:space": "preserve" }, text))));
      comments.children.push(note);
      content.anchor(place.paragraph, place.start, place.end, id);
      return id;
    });
  }

  comments(): { id: string; author: string; text: string }[] {
    const root = elements(this.part("/word/comments.xml") ?? make("none"))[0];
    return elements(root ?? make("none")).map((note) => ({ id: note.attributes["w:id"] ?? "", author: note.attributes["w:author"] ?? "", text: textOf(note) }));
  }

  deleteComment(id: string): void {
    this.changed("Local", () => {
      const root = elements(this.part("/word/comments.xml") ?? make("none"))[0];
      if (root) root.children = root.children.filter((note) => typeof note === "string" || note.attributes["w:id"] !== id);
      for (const element of [...beneath(this.body)]) {
        element.children = element.children.filter(
          (part) => typeof part === "string" || part.attributes["w:id"] !== id || !["w:commentRangeStart", "w:commentRangeEnd"].includes(part.name),
        );
        element.children = element.children.filter(
          (part) => typeof part === "string" || part.name !== "w:r" || !elements(part).some((piece) => piece.name === "w:commentReference" && piece.attributes["w:id"] === id),
        );
      }
    });
  }

  get hasMoves(): boolean {
    return [...beneath(this.body)].some(({ name }) => name === "w:moveFrom" || name === "w:moveTo");
  }
}
