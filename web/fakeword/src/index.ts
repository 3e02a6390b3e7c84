// A double of Word for programs that use its JavaScript interface: a real document in, the document as it became out.
//
// Must never be gentler than Word: what is not loaded cannot be read, and what a platform lacks is not there.
import * as content from "./content.ts";
import { Context, type Interference } from "./context.ts";
import { Document } from "./document.ts";
import { WordError } from "./error.ts";
import { Host, type HostOptions, type Mode, type Place } from "./host.ts";
import { officeOf } from "./office.ts";
import { elements, make, parentOf } from "./xml.ts";

export { QUIRKS, SETS, type Platform, type Quirk } from "./quirks.ts";
export { WordError } from "./error.ts";
export type { HostOptions, Mode } from "./host.ts";

/** What of `Word` there is. */
export type WordInterface = Pick<typeof Word, "run">;

/** Who changes the document beside the program. */
export interface Somebody {
  /** Types into a paragraph, counted from 1, before the first place where `before` stands, or at its end. */
  type(paragraph: number, text: string, before?: string): void;
  /** Deletes the first place where a text stands. */
  erase(paragraph: number, text: string): void;
  /** Adds a paragraph behind one. */
  add(after: number, text: string): void;
}

export class FakeWord {
  readonly host: Host;
  readonly Office: typeof globalThis.Office;
  readonly Word: WordInterface;
  readonly #interferences: Interference[] = [];

  constructor(bytes: Uint8Array, options: HostOptions = {}) {
    this.host = new Host(bytes, options);
    this.Office = officeOf(this.host);
    const run = async <T>(...given: unknown[]): Promise<T> => {
      const batch = given.at(-1) as (context: Word.RequestContext) => Promise<T>;
      const context = new Context(this.host, this.#interferences);
      const value = await batch(this.#offered(context));
      await context.sync();
      return value;
    };
    this.Word = { run } as WordInterface;
  }

  #offered(context: Context): Word.RequestContext {
    const { host } = this;
    const createDocument = (base64?: string) => ({
      open: () =>
        context.askOf("WordApi", 1.3, "DocumentCreated.open", () => {
          if (host.quirks.has("noNewDocument")) throw new WordError("GeneralException");
          host.opened.push(Uint8Array.from(atob(base64 ?? ""), (character) => character.charCodeAt(0)));
        }),
    });
    const offered: Pick<Word.RequestContext, "document" | "application" | "sync"> = {
      document: new Document(context) as unknown as Word.Document,
      application: { createDocument } as unknown as Word.Application,
      sync: (async () => context.sync()) as Word.RequestContext["sync"],
    };
    return offered as Word.RequestContext;
  }

  /** Something that happens between two exchanges: before the one counted from now. */
  before(exchange: number, act: () => void): void {
    this.#interferences.push({ left: exchange, act });
  }

  /** The person at this Word. */
  get person(): Somebody {
    return this.#somebody(this.host.user, "Local");
  }

  /** Somebody who has the document open elsewhere. */
  remote(name = "Rita Remote"): Somebody {
    return this.#somebody(name, "Remote");
  }

  #somebody(name: string, source: "Local" | "Remote"): Somebody {
    const { host } = this;
    const hand = () => host.handOf(name, host.mode !== "Off");
    const place = (number: number, text?: string): Place => {
      const paragraph = host.paragraphs()[number - 1];
      if (!paragraph) throw new Error(`there is no paragraph ${number}`);
      const end = content.length(paragraph);
      if (text === undefined) return { paragraph, start: end, end };
      const [first] = content.occurrences(paragraph, text, 0, end, false, true);
      if (!first) throw new Error(`paragraph ${number} has no "${text}"`);
      return { paragraph, start: first[0], end: first[1] };
    };
    return {
      type: (number, text, before) => host.type(place(number, before), text, hand(), source),
      erase: (number, text) => host.erase(place(number, text), hand(), source),
      add: (after, text) => {
        const { paragraph } = place(after);
        host.changed(source, () => {
          const parent = parentOf(host.body, paragraph) ?? host.body;
          const made = make("w:p");
          content.type(made, 0, text, hand());
          if (host.mode !== "Off") content.mark(made, "w:ins", hand());
          parent.children.splice(parent.children.indexOf(paragraph) + 1, 0, made);
        });
      },
    };
  }

  /** What the person sees as selected from now on. */
  select(number: number, text?: string): void {
    const paragraph = this.host.paragraphs()[number - 1];
    if (!paragraph) throw new Error(`there is no paragraph ${number}`);
    const [found] = text === undefined ? [[0, content.length(paragraph)] as const] : content.occurrences(paragraph, text, 0, content.length(paragraph), false, true);
    Object.assign(this.host.selection, { paragraph, start: found?.[0] ?? 0, end: found?.[1] ?? 0 });
  }

  get mode(): Mode {
    return this.host.mode;
  }

  /** The file as it would be saved now. */
  bytes(): Uint8Array {
    return this.host.bytes();
  }

  /** The texts of the body as accepted. */
  texts(side: "Original" | "Current" = "Current"): string[] {
    return this.host.paragraphs().map((paragraph) => content.textOn(paragraph, side));
  }

  /** How many paragraphs the body has at its top. */
  get blocks(): number {
    return elements(this.host.body).length;
  }
}
