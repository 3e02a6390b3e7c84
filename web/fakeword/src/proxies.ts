// Ranges and paragraphs as programs get them: each stands for a part of the document that is open.
//
// Must never offer a member that Word does not have: each class is held against the vendor's types.
import { Comment } from "./comments.ts";
import { ClientObject, Collection, Context, Result } from "./context.ts";
import * as content from "./content.ts";
import { WordError } from "./error.ts";
import type { Place } from "./host.ts";
import { TrackedChangeCollection } from "./tracked-changes.ts";
import { child, elements, make, parentOf, type Element } from "./xml.ts";

const as = <T>(value: unknown): T => value as T;

type RangeMembers = "text" | "load" | "insertText" | "delete" | "insertOoxml" | "getOoxml" | "insertComment" | "search" | "expandTo" | "select" | "getReviewedText" | "highlight" | "getTrackedChanges" | "paragraphs";

export class Range extends ClientObject implements Pick<Word.Range, Exclude<RangeMembers, "load">> {
  readonly at: () => Place;
  /** Whether it stands for whole paragraphs, with their marks. */
  readonly #whole: () => readonly Element[] | undefined;

  constructor(context: Context, at: () => Place, whole: () => readonly Element[] | undefined = () => undefined) {
    super(context);
    let place: Place | undefined;
    this.at = () => {
      if (!place) {
        place = at();
        context.host.places.add(place);
      }
      return place;
    };
    this.#whole = whole;
  }

  get text(): string {
    return this.loaded("text");
  }

  get paragraphs(): Word.ParagraphCollection {
    return as(new ParagraphCollection(this.context, () => [...(this.#whole() ?? [this.at().paragraph])]));
  }

  protected override source(name: string): unknown {
    if (name !== "text") throw new WordError("InvalidArgument");
    const { paragraph, start, end } = this.at();
    return content.spanText(paragraph, start, end, this.host.quirks.has("rangeTextWithoutDeleted") ? "Current" : "All");
  }

  insertText(text: string, where: Word.InsertLocation | "Replace" | "Start" | "End" | "Before" | "After"): Word.Range {
    const made: Place = { paragraph: make("none"), start: 0, end: 0 };
    this.context.ask(`Range.insertText ${where}`, () => {
      if (/[\n\r]/.test(text)) throw new WordError("GeneralException", "the double types no paragraphs");
      const place = this.at();
      const hand = this.host.hand();
      const atStart = where === "Start" || where === "Before";
      const typed = this.host.quirks.has("runEdgeSpace") && hand.isTracked ? text.replace(/ $/, "") : text;
      const at = atStart ? place.start : place.end;
      this.host.type({ paragraph: place.paragraph, start: at, end: at }, typed, hand, "Local", atStart || where === "Replace" ? place.start : undefined);
      if (where === "Replace") this.host.erase({ ...place }, hand);
      Object.assign(made, { paragraph: place.paragraph, start: at, end: at + typed.length });
    });
    return as(new Range(this.context, () => made));
  }

  delete(): void {
    this.context.ask("Range.delete", () => this.host.erase({ ...this.at() }, this.host.hand()));
  }

  insertOoxml(xml: string, where: Word.InsertLocation | "Replace" | "Start" | "End"): Word.Range {
    let put: Element[] = [];
    this.context.ask(`Range.insertOoxml ${where}`, () => {
      const paragraphs = this.#whole();
      if (!paragraphs || where !== "Replace") throw new WordError("GeneralException", "the double puts whole paragraphs in the place of whole paragraphs");
      put = this.host.insertOoxml(paragraphs, xml);
    });
    return as(new Range(this.context, () => this.#span(put[0] ?? make("none")), () => put));
  }

  #span(paragraph: Element): Place {
    return { paragraph, start: 0, end: content.length(paragraph) };
  }

  getOoxml(): OfficeExtension.ClientResult<string> {
    return as(new Result(this.context, "Range.getOoxml", () => this.host.ooxml(this.#whole() ?? [this.at().paragraph])));
  }

  getReviewedText(version?: Word.ChangeTrackingVersion | "Original" | "Current"): OfficeExtension.ClientResult<string> {
    const side = version === "Original" ? "Original" : "Current";
    const read = () => {
      const { paragraph, start, end } = this.at();
      return this.#whole()?.map((each) => content.textOn(each, side)).join("\n") ?? content.spanText(paragraph, start, end, side);
    };
    return as(new Result(this.context, "Range.getReviewedText", read, ["WordApi", 1.4]));
  }

  insertComment(text: string): Word.Comment {
    let id = "";
    this.context.askOf("WordApi", 1.4, "Range.insertComment", () => {
      id = this.host.comment(this.at(), text);
    });
    return as(new Comment(this.context, () => id));
  }

  search(text: string, options?: { matchCase?: boolean }): Word.RangeCollection {
    return as(new RangeCollection(this.context, () => found(this.context, this.at(), text, options?.matchCase ?? false)));
  }

  expandTo(other: Word.Range): Word.Range {
    const their = as<Range>(other);
    const union = () => {
      const [first, last] = [this.#whole()?.[0], their.#whole()?.at(-1)];
      const all = this.host.paragraphs();
      return first && last ? all.slice(all.indexOf(first), all.indexOf(last) + 1) : undefined;
    };
    return as(
      new Range(this.context, () => {
        const [mine, theirs] = [this.at(), their.at()];
        if (union()) return mine;
        if (mine.paragraph !== theirs.paragraph) throw new WordError("GeneralException", "the double expands within a paragraph");
        return { paragraph: mine.paragraph, start: Math.min(mine.start, theirs.start), end: Math.max(mine.end, theirs.end) };
      }, union),
    );
  }

  select(): void {
    this.context.ask("Range.select", () => Object.assign(this.host.selection, this.at()));
  }

  highlight(): void {
    this.context.askOf("WordApi", 1.8, "Range.highlight", () => {
      const { paragraph, start, end } = this.at();
      this.host.highlights.push(content.spanText(paragraph, start, end, "Current"));
    });
  }

  getTrackedChanges(): Word.TrackedChangeCollection {
    return as(new TrackedChangeCollection(this.context, () => [this.at()]));
  }
}

function found(context: Context, within: Place, text: string, matchCase: boolean): Range[] {
  if (text.length > 255) throw new WordError("SearchStringInvalidOrTooLong");
  if (text === "") throw new WordError("InvalidArgument");
  const { paragraph } = within;
  const withDeleted = !context.host.quirks.has("rangeTextWithoutDeleted");
  const plain = text.replace(/\^(.)/g, (code, sign: string) => ({ "^": "^", t: "\t", l: "\u000b" })[sign] ?? code);
  return content.occurrences(paragraph, plain, within.start, within.end, withDeleted, matchCase).map(([start, end]) => new Range(context, () => ({ paragraph, start, end })));
}

export class RangeCollection extends Collection<Range> {
  readonly #find: () => Range[];

  constructor(context: Context, find: () => Range[]) {
    super(context);
    this.#find = find;
  }

  protected override find(): Range[] {
    const ranges = this.#find();
    for (const range of ranges) range.at();
    return ranges;
  }
}

type ParagraphMembers = "text" | "uniqueLocalId" | "tableNestingLevel" | "isLastParagraph" | "style" | "getRange" | "getReviewedText" | "search" | "getOoxml" | "delete" | "select" | "insertParagraph";

export class Paragraph extends ClientObject implements Pick<Word.Paragraph, ParagraphMembers> {
  readonly element: () => Element;

  constructor(context: Context, element: () => Element) {
    super(context);
    this.element = element;
  }

  get text(): string {
    return this.loaded("text");
  }

  get uniqueLocalId(): string {
    return this.loaded("uniqueLocalId");
  }

  get tableNestingLevel(): number {
    return this.loaded("tableNestingLevel");
  }

  get isLastParagraph(): boolean {
    return this.loaded("isLastParagraph");
  }

  get style(): string {
    return this.loaded("style");
  }

  protected override source(name: string): unknown {
    const element = this.element();
    switch (name) {
      case "text":
        return content.textOn(element, this.host.quirks.has("rangeTextWithoutDeleted") ? "Current" : "All");
      case "uniqueLocalId":
        if (!this.host.isSetSupported("WordApi", 1.6)) throw new WordError("ApiNotFound", "uniqueLocalId needs WordApi 1.6");
        return this.host.idOf(element);
      case "tableNestingLevel": {
        let level = 0;
        for (let parent = parentOf(this.host.body, element); parent && parent !== this.host.body; parent = parentOf(this.host.body, parent)) {
          if (parent.name === "w:tbl") level += 1;
        }
        return level;
      }
      case "isLastParagraph":
        return elements(this.host.body).filter((block) => block.name !== "w:sectPr").at(-1) === element;
      case "style":
        return child(child(element, "w:pPr"), "w:pStyle")?.attributes["w:val"] ?? "Normal";
      default:
        throw new WordError("InvalidArgument");
    }
  }

  getRange(where: Word.RangeLocation | "Whole" | "Start" | "End" | "After" | "Content" = "Whole"): Word.Range {
    const place = (): Place => {
      const end = content.length(this.element());
      return { paragraph: this.element(), start: where === "End" || where === "After" ? end : 0, end: where === "Start" ? 0 : end };
    };
    return as(new Range(this.context, place, () => (where === "Whole" ? [this.element()] : undefined)));
  }

  getReviewedText(version?: Word.ChangeTrackingVersion | "Original" | "Current"): OfficeExtension.ClientResult<string> {
    const read = () => content.textOn(this.element(), version === "Original" ? "Original" : "Current");
    return as(new Result(this.context, "Paragraph.getReviewedText", read, ["WordApi", 1.4]));
  }

  search(text: string, options?: { matchCase?: boolean }): Word.RangeCollection {
    const within = () => ({ paragraph: this.element(), start: 0, end: content.length(this.element()) });
    return as(new RangeCollection(this.context, () => found(this.context, within(), text, options?.matchCase ?? false)));
  }

  getOoxml(): OfficeExtension.ClientResult<string> {
    return as(new Result(this.context, "Paragraph.getOoxml", () => this.host.ooxml([this.element()])));
  }

  delete(): void {
    this.context.ask("Paragraph.delete", () => {
      const hand = this.host.hand();
      const paragraph = this.element();
      this.host.erase({ paragraph, start: 0, end: content.length(paragraph) }, hand);
      if (hand.isTracked) content.mark(paragraph, "w:del", hand);
      else {
        const parent = parentOf(this.host.body, paragraph);
        if (parent) parent.children = parent.children.filter((block) => block !== paragraph);
      }
    });
  }

  insertParagraph(text: string, where: "Before" | "After"): Word.Paragraph {
    const made = make("w:p");
    this.context.ask("Paragraph.insertParagraph", () => {
      const hand = this.host.hand();
      const beside = this.element();
      this.host.changed("Local", () => {
        const parent = parentOf(this.host.body, beside) ?? this.host.body;
        const properties = child(beside, "w:pPr");
        if (properties) made.children.push(make("w:pPr", {}, ...elements(properties).filter(({ name }) => !["w:rPr", "w:sectPr", "w:pPrChange"].includes(name)).map((each) => structuredClone(each))));
        content.type(made, 0, text, hand);
        if (hand.isTracked) content.mark(made, "w:ins", hand);
        parent.children.splice(parent.children.indexOf(beside) + (where === "After" ? 1 : 0), 0, made);
      });
    });
    return as(new Paragraph(this.context, () => made));
  }

  select(mode?: Word.SelectionMode | "Select" | "Start" | "End"): void {
    this.context.ask(`Paragraph.select ${mode ?? "Select"}`, () =>
      Object.assign(this.host.selection, { paragraph: this.element(), start: 0, end: content.length(this.element()) }),
    );
  }
}

export class ParagraphCollection extends Collection<Paragraph> {
  readonly #paragraphs: () => Element[];

  constructor(context: Context, paragraphs: () => Element[]) {
    super(context);
    this.#paragraphs = paragraphs;
  }

  protected override find(): Paragraph[] {
    return this.#paragraphs().map((element) => new Paragraph(this.context, () => element));
  }
}
