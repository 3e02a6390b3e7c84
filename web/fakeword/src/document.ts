// The document and its body as programs get them, and the events of paragraphs.
//
// Must never tell of an event that nobody has asked for.
import { CommentCollection } from "./comments.ts";
import { ClientObject, Result, type Context } from "./context.ts";
import { WordError } from "./error.ts";
import type { Mode } from "./host.ts";
import { ParagraphCollection, Range } from "./proxies.ts";

const as = <T>(value: unknown): T => value as T;

export class Body extends ClientObject implements Pick<Word.Body, "paragraphs" | "getOoxml" | "getComments"> {
  get paragraphs(): Word.ParagraphCollection {
    return as(new ParagraphCollection(this.context, () => this.host.paragraphs()));
  }

  getOoxml(): OfficeExtension.ClientResult<string> {
    return as(new Result(this.context, "Body.getOoxml", () => this.host.ooxml(this.host.paragraphs())));
  }

  getComments(): Word.CommentCollection {
    return as(new CommentCollection(this.context));
  }
}

/** One kind of event. */
class Events {
  readonly #context: Context;
  readonly #name: string;

  constructor(context: Context, name: string) {
    this.#context = context;
    this.#name = name;
  }

  add(listener: (event: never) => unknown): { remove(): void } {
    const { host } = this.#context;
    const set = host.listeners.get(this.#name) ?? new Set();
    this.#context.askOf("WordApi", 1.6, `${this.#name}.add`, () => {
      host.listeners.set(this.#name, set);
      set.add(listener as never);
    });
    return { remove: () => this.#context.ask(`${this.#name}.remove`, () => set.delete(listener as never)) };
  }
}

type DocumentMembers = "body" | "changeTrackingMode" | "getSelection" | "undo" | "onParagraphAdded" | "onParagraphChanged" | "onParagraphDeleted";

export class Document extends ClientObject implements Pick<Word.Document, DocumentMembers> {
  get body(): Word.Body {
    return as(new Body(this.context));
  }

  get onParagraphAdded(): OfficeExtension.EventHandlers<Word.ParagraphAddedEventArgs> {
    return as(new Events(this.context, "onParagraphAdded"));
  }

  get onParagraphChanged(): OfficeExtension.EventHandlers<Word.ParagraphChangedEventArgs> {
    return as(new Events(this.context, "onParagraphChanged"));
  }

  get onParagraphDeleted(): OfficeExtension.EventHandlers<Word.ParagraphDeletedEventArgs> {
    return as(new Events(this.context, "onParagraphDeleted"));
  }

  get changeTrackingMode(): Mode {
    return this.loaded("changeTrackingMode");
  }

  set changeTrackingMode(mode: Mode) {
    this.set("changeTrackingMode", mode);
    this.context.askOf("WordApi", 1.4, `changeTrackingMode = ${mode}`, () => this.host.setMode(mode));
  }

  protected override source(name: string): unknown {
    if (name !== "changeTrackingMode") throw new WordError("InvalidArgument");
    return this.host.mode;
  }

  getSelection(): Word.Range {
    return as(new Range(this.context, () => ({ ...this.host.selection })));
  }

  undo(times = 1): OfficeExtension.ClientResult<boolean> {
    const back = () => Array.from({ length: times }, () => this.host.undo()).every(Boolean);
    return as(new Result(this.context, "Document.undo", back, ["WordApiDesktop", 1.4]));
  }
}
