// The document that is open in Word, through Office.js: what the ladder asks of it and nothing else.
//
// Must never decide anything, and never change the document but in the two calls that say so: `type` and `put`.
import type { Anchor } from "./anchors.ts";
import { searched } from "./anchors.ts";
import { plain } from "./text.ts";

export type OfficeApi = typeof Office;
export type WordApi = Pick<typeof Word, "run">;
export type Platform = "windows" | "mac" | "web" | "ipad";
export type Mode = "Off" | "TrackAll" | "TrackMineOnly";

/** The paragraphs of the body. */
export interface Survey {
  /** As Word tells them; whether with what is marked as deleted depends on the host, so that they are only held against each other. */
  readonly texts: readonly string[];
  readonly ids: readonly string[] | undefined;
}

/** A paragraph with all that is needed to judge it and to put it back. */
export interface State {
  readonly accepted: string;
  readonly original: string;
  /** Paragraphs as one XML file. */
  readonly ooxml: string;
}

/** What came of an edit: the state in the moment before it, and the one behind it. */
export interface Edited {
  readonly before: State;
  readonly after: State;
}

export class HostError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "HostError";
    this.code = code;
  }

  static of(thrown: unknown): HostError {
    if (thrown instanceof HostError) return thrown;
    const { code, message } = thrown as { code?: unknown; message?: unknown };
    return new HostError(typeof code === "string" || typeof code === "number" ? String(code) : "UNKNOWN", typeof message === "string" ? message : String(thrown));
  }
}

/** How long Word may take for anything before it counts as stuck. */
const PATIENCE = 60_000;

export class WordDocument {
  readonly #office: OfficeApi;
  readonly #word: WordApi;
  readonly #patience: number;

  constructor(office: OfficeApi, word: WordApi, patience = PATIENCE) {
    this.#office = office;
    this.#word = word;
    this.#patience = patience;
  }

  supports(set: string, version: string): boolean {
    return this.#office.context.requirements.isSetSupported(set, version);
  }

  get platform(): Platform {
    const { platform } = this.#office.context;
    const { PlatformType } = this.#office;
    if (platform === PlatformType.Mac) return "mac";
    if (platform === PlatformType.OfficeOnline) return "web";
    return platform === PlatformType.iOS ? "ipad" : "windows";
  }

  async #run<T>(batch: (context: Word.RequestContext) => Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stuck = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new HostError("STUCK", "Word does not answer")), this.#patience);
    });
    try {
      return await Promise.race([this.#word.run(batch), stuck]);
    } catch (thrown) {
      throw HostError.of(thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The whole file, as it would be saved now. */
  async file(): Promise<Uint8Array> {
    const asked = <T>(call: (callback: (result: Office.AsyncResult<T>) => void) => void) =>
      new Promise<T>((resolve, reject) => {
        const timer = setTimeout(() => reject(new HostError("STUCK", "Word does not answer")), this.#patience);
        call(({ status, value, error }) => {
          clearTimeout(timer);
          if (status === this.#office.AsyncResultStatus.Succeeded) resolve(value);
          else reject(new HostError(String(error?.code ?? "UNKNOWN"), error?.message ?? "the file could not be had"));
        });
      });
    const file = await asked<Office.File>((callback) => this.#office.context.document.getFileAsync(this.#office.FileType.Compressed, { sliceSize: 4_194_304 }, callback));
    try {
      const slices: Uint8Array[] = [];
      // One after the other: several at once fail.
      for (let index = 0; index < file.sliceCount; index += 1) {
        const slice = await asked<Office.Slice>((callback) => file.getSliceAsync(index, callback));
        slices.push(Uint8Array.from(slice.data as ArrayLike<number>));
      }
      const whole = new Uint8Array(slices.reduce((sum, { length }) => sum + length, 0));
      slices.reduce((at, slice) => {
        whole.set(slice, at);
        return at + slice.length;
      }, 0);
      return whole;
    } finally {
      // Without this the next one fails.
      await asked<void>((callback) => file.closeAsync(callback)).catch(() => undefined);
    }
  }

  /** The body as one XML file, where the whole file cannot be had. */
  bodyOoxml(): Promise<string> {
    return this.#run(async (context) => {
      const xml = context.document.body.getOoxml();
      await context.sync();
      return xml.value;
    });
  }

  survey(): Promise<Survey> {
    const hasIds = this.supports("WordApi", "1.6");
    return this.#run(async (context) => {
      const { paragraphs } = context.document.body;
      paragraphs.load(hasIds ? "items/text,items/uniqueLocalId" : "items/text");
      await context.sync();
      return { texts: paragraphs.items.map(({ text }) => text), ids: hasIds ? paragraphs.items.map(({ uniqueLocalId }) => uniqueLocalId) : undefined };
    });
  }

  /** What paragraphs are now, counted from 0. */
  state(first: number, last = first): Promise<State> {
    return this.#run(async (context) => {
      const read = reading(context, await ranges(context, first, last));
      await context.sync();
      return read();
    });
  }

  /**
   * Types into one paragraph, tracked. Nothing is typed where `expected` is not its text, where an anchor does not hold, or where
   * tracking cannot be switched on. The mode is put back in any case.
   */
  async type(index: number, expected: string, anchors: readonly Anchor[]): Promise<Edited> {
    return this.#run(async (context) => {
      const { document } = context;
      document.load("changeTrackingMode");
      const { paragraphs } = document.body;
      paragraphs.load("items/text");
      await context.sync();
      const mode = document.changeTrackingMode as Mode;
      const paragraph = paragraphs.items[index];
      if (!paragraph) throw new HostError("CHANGED_MEANWHILE", "the paragraph is gone");
      try {
        document.changeTrackingMode = "TrackAll";
        document.load("changeTrackingMode");
        const found = anchors.map(({ find }) => paragraph.search(escaped(find), { matchCase: true }));
        for (const hits of found) hits.load("items/text");
        const now = paragraph.getReviewedText("Current");
        await context.sync();
        if (document.changeTrackingMode !== "TrackAll") throw new HostError("NOT_TRACKED", "Word does not track changes here");
        if (plain(now.value) !== expected) throw new HostError("CHANGED_MEANWHILE", "somebody has changed the paragraph");
        const targets = anchors.map((anchor, at) => target(anchor, found[at]?.items ?? []));
        const before = reading(context, [paragraph]);
        anchors.forEach(({ act, text }, at) => {
          const range = targets[at] as Word.Range;
          if (act === "delete") range.delete();
          else range.insertText(text, act === "replace" ? "Replace" : act === "insertBefore" ? "Start" : "End");
        });
        const after = reading(context, [paragraph]);
        await context.sync();
        return { before: before(), after: after() };
      } finally {
        document.changeTrackingMode = mode;
        await context.sync();
      }
    });
  }

  /**
   * Puts paragraphs of a package in the place of others, as they are and untracked. Tells what stood there in the moment before, and
   * what it says in the moment after. All of it is one exchange, so that nobody types in between, or untracked.
   */
  async put(first: number, last: number, xml: string): Promise<{ readonly before: State; readonly after: Omit<State, "ooxml"> }> {
    return this.#run(async (context) => {
      const { document } = context;
      document.load("changeTrackingMode");
      const paragraphs = await ranges(context, first, last);
      const mode = document.changeTrackingMode as Mode;
      // Whether tracking can be switched off is tried before anything is put in: else all that is there would be struck.
      document.changeTrackingMode = "Off";
      document.load("changeTrackingMode");
      document.changeTrackingMode = mode;
      await context.sync();
      if ((document.changeTrackingMode as Mode) !== "Off") throw new HostError("ALWAYS_TRACKED", "Word tracks all changes here");
      const before = reading(context, paragraphs);
      const range = whole(paragraphs);
      document.changeTrackingMode = "Off";
      const put = range.insertOoxml(xml, "Replace");
      const sides = (["Current", "Original"] as const).map((side) => put.getReviewedText(side));
      document.changeTrackingMode = mode;
      try {
        await context.sync();
      } catch (thrown) {
        document.changeTrackingMode = mode;
        await context.sync();
        throw thrown;
      }
      const [accepted = "", original = ""] = sides.map(({ value }) => plain(value));
      return { before: before(), after: { accepted, original } };
    });
  }

  /** Deletes a paragraph that has no text, without a trace. */
  removeEmpty(index: number): Promise<void> {
    return this.#run(async (context) => {
      const { document } = context;
      document.load("changeTrackingMode");
      const [paragraph] = await ranges(context, index, index);
      const mode = document.changeTrackingMode as Mode;
      if (!paragraph || paragraph.text !== "") return;
      document.changeTrackingMode = "Off";
      paragraph.delete();
      document.changeTrackingMode = mode;
      await context.sync();
    });
  }

  /** Takes the tracked changes back that `isMeant` chooses, as a person does by hand; tells how many. */
  reject(index: number, isMeant: (change: { author: string; text: string; isInsertion: boolean }) => boolean): Promise<number> {
    return this.#run(async (context) => {
      const [paragraph] = await ranges(context, index, index);
      const changes = paragraph?.getRange("Content").getTrackedChanges();
      changes?.load("items/author,items/text,items/type");
      await context.sync();
      const meant = (changes?.items ?? []).filter(({ author, text, type }) => isMeant({ author, text: plain(text), isInsertion: type === "Added" }));
      for (const change of meant) change.reject();
      await context.sync();
      return meant.length;
    });
  }

  /** Comments words of a paragraph, or all of it. */
  comment(index: number, anchor: Anchor | undefined, text: string): Promise<void> {
    return this.#run(async (context) => {
      const [paragraph] = await ranges(context, index, index);
      if (!paragraph) throw new HostError("CHANGED_MEANWHILE", "the paragraph is gone");
      if (!anchor) paragraph.getRange("Content").insertComment(text);
      else {
        const found = paragraph.search(escaped(anchor.find), { matchCase: true });
        found.load("items/text");
        await context.sync();
        target(anchor, found.items).insertComment(text);
      }
      await context.sync();
    });
  }

  /** Deletes the newest comment that says something. */
  uncomment(text: string): Promise<boolean> {
    return this.#run(async (context) => {
      const comments = context.document.body.getComments();
      comments.load("items/content");
      await context.sync();
      const found = comments.items.filter(({ content }) => content === text).at(-1);
      found?.delete();
      await context.sync();
      return found !== undefined;
    });
  }

  /** Shows the person a paragraph, or words in it. */
  show(index: number, words?: string): Promise<boolean> {
    return this.#run(async (context) => {
      const [paragraph] = await ranges(context, index, index);
      if (!paragraph) return false;
      if (words !== undefined && words !== "" && words.length <= 255) {
        const found = paragraph.search(escaped(words), { matchCase: true });
        found.load("items/text");
        await context.sync();
        if (found.items[0]) {
          found.items[0].select();
          await context.sync();
          return true;
        }
      }
      paragraph.select();
      await context.sync();
      return true;
    });
  }

  /** What the person has selected: its text, and the paragraphs that it touches. */
  selection(): Promise<{ text: string; paragraphs: string[]; ids: string[] | undefined }> {
    const hasIds = this.supports("WordApi", "1.6");
    return this.#run(async (context) => {
      const range = context.document.getSelection();
      range.load("text");
      const { paragraphs } = range;
      paragraphs.load(hasIds ? "items/text,items/uniqueLocalId" : "items/text");
      await context.sync();
      return { text: plain(range.text), paragraphs: paragraphs.items.map(({ text }) => text), ids: hasIds ? paragraphs.items.map(({ uniqueLocalId }) => uniqueLocalId) : undefined };
    });
  }

  /** Opens a file as a document beside this one. */
  openNew(bytes: Uint8Array): Promise<void> {
    let binary = "";
    for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
    return this.#run(async (context) => {
      context.application.createDocument(btoa(binary)).open();
      await context.sync();
    });
  }
}

async function ranges(context: Word.RequestContext, first: number, last: number): Promise<Word.Paragraph[]> {
  const { paragraphs } = context.document.body;
  paragraphs.load("items/text");
  await context.sync();
  const found = paragraphs.items.slice(first, last + 1);
  if (found.length !== last - first + 1) throw new HostError("CHANGED_MEANWHILE", "the paragraphs are gone");
  return found;
}

function whole(paragraphs: readonly Word.Paragraph[]): Word.Range {
  const [first, last] = [paragraphs[0], paragraphs.at(-1)] as [Word.Paragraph, Word.Paragraph];
  return first === last ? first.getRange("Whole") : first.getRange("Whole").expandTo(last.getRange("Whole"));
}

/** Asks what paragraphs are at this place of a batch; the answer is there after its `sync`. */
function reading(_context: Word.RequestContext, paragraphs: readonly Word.Paragraph[]): () => State {
  const sides = (["Current", "Original"] as const).map((side) => paragraphs.map((paragraph) => paragraph.getReviewedText(side)));
  const ooxml = whole(paragraphs).getOoxml();
  const text = (side: (typeof sides)[number] | undefined) => (side ?? []).map(({ value }) => plain(value)).join("\n");
  return () => ({ accepted: text(sides[0]), original: text(sides[1]), ooxml: ooxml.value });
}

function target({ find, index, count }: Anchor, items: readonly Word.Range[]): Word.Range {
  const range = items[index];
  if (items.length !== count || !range || searched(plain(range.text)) !== searched(find)) throw new HostError("ANCHOR_NOT_FOUND", "Word finds the words at another number of places");
  return range;
}

/** Word's search takes a circumflex for a sign of its own. */
function escaped(text: string): string {
  return text.replaceAll("^", "^^");
}
