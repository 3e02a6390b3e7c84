// Tracked changes as programs get them, with the faults that hosts have there.
//
// Must never change more than the change that it stands for.
import { ClientObject, Collection, type Context } from "./context.ts";
import * as content from "./content.ts";
import { WordError } from "./error.ts";
import type { Place } from "./host.ts";
import type { Element } from "./xml.ts";

const never = () => new Promise<never>(() => undefined);

type TrackedMembers = "author" | "date" | "text" | "type" | "reject";

export class TrackedChange extends ClientObject implements Pick<Word.TrackedChange, TrackedMembers> {
  readonly #change: content.Change;
  readonly #paragraph: Element;

  constructor(context: Context, paragraph: Element, change: content.Change) {
    super(context);
    this.#change = change;
    this.#paragraph = paragraph;
  }

  get author(): string {
    return this.loaded("author");
  }

  get date(): Date {
    return this.loaded("date");
  }

  get text(): string {
    return this.loaded("text");
  }

  get type(): "None" | "Added" | "Deleted" | "Formatted" {
    return this.loaded("type");
  }

  protected override source(name: string): unknown {
    const { element, start, end } = this.#change;
    if (name === "author") return element.attributes["w:author"] ?? "";
    if (name === "date") return new Date(element.attributes["w:date"] ?? 0);
    if (name === "text") return content.spanText(this.#paragraph, start, end, "All");
    if (name === "type") return element.name === "w:ins" ? "Added" : "Deleted";
    throw new WordError("InvalidArgument");
  }

  reject(): void {
    this.context.askOf("WordApi", 1.6, "TrackedChange.reject", () => this.host.changed("Local", () => content.reject(this.#change)));
  }
}

export class TrackedChangeCollection extends Collection<TrackedChange> {
  readonly #within: () => Place[];

  constructor(context: Context, within: () => Place[]) {
    super(context);
    this.#within = within;
  }

  override load(names?: string | string[] | object): this {
    this.context.askOf("WordApi", 1.6, "getTrackedChanges", () => {
      const isFresh = this.host.exchanges.at(-2)?.some((what) => /insertText|insertOoxml/.test(what)) ?? false;
      if (this.host.quirks.has("moveHang") && this.host.hasMoves) return never();
      if (this.host.quirks.has("freshRangeHang") && isFresh) return never();
      return undefined;
    });
    return super.load(names);
  }

  protected override find(): TrackedChange[] {
    return this.#within().flatMap(({ paragraph, start, end }) =>
      content.changes(paragraph).filter((change) => change.start < end && change.end > start).map((change) => new TrackedChange(this.context, paragraph, change)),
    );
  }
}
