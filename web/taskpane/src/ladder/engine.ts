// The engine as the ladder uses it: the same calls to a worker of the page and to the module in Node.
//
// Must never leave a document open: what is opened here is closed when the work with it is done.
import type { Call } from "../../../engine/src/calls.ts";
import type { CommentRow, Difference, EditStep, Finding, OperationResult, ParagraphReading, Reading, RevisionRow, Signature, View } from "../../../engine/src/types.ts";

export type { CommentRow, Difference, EditStep, Finding, OperationResult, ParagraphReading, Reading, RevisionRow, Signature, View };

export interface Engine {
  call<T>(call: Call): Promise<T>;
}

/** A document that the engine has open. */
export class OpenFile {
  readonly #engine: Engine;
  readonly file: number;

  private constructor(engine: Engine, file: number) {
    this.#engine = engine;
    this.file = file;
  }

  /** Opens a file, works with it and closes it. */
  static async use<T>(engine: Engine, source: Uint8Array | string, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const number = await engine.call<number>(typeof source === "string" ? { do: "openFlat", xml: source } : { do: "open", bytes: source });
    const file = new OpenFile(engine, number);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }

  async copy(): Promise<OpenFile> {
    return new OpenFile(this.#engine, await this.#engine.call<number>({ do: "copy", file: this.file }));
  }

  close(): Promise<void> {
    return this.#engine.call({ do: "free", file: this.file });
  }

  /** All paragraphs of the body, by their numbers from 1; none where the view does not show it. */
  async paragraphs(view: View): Promise<{ total: number; byNumber: ReadonlyMap<number, ParagraphReading> }> {
    const { total, paragraphs } = await this.#engine.call<Reading>({ do: "read", file: this.file, options: { view, labels: false, limit: 1_000_000 } });
    return { total, byNumber: new Map(paragraphs.map((paragraph) => [paragraph.index, paragraph])) };
  }

  read(options: Record<string, unknown>): Promise<Reading> {
    return this.#engine.call({ do: "read", file: this.file, options });
  }

  apply(operations: readonly { readonly op: string }[], signature: Signature): Promise<OperationResult[]> {
    return this.#engine.call({ do: "apply", file: this.file, batch: { operations: [...operations] }, signature });
  }

  rejectOnly(ids: readonly string[]): Promise<RevisionRow[]> {
    return this.#engine.call({ do: "reject", file: this.file, choice: { ids: [...ids] } });
  }

  revisions(): Promise<RevisionRow[]> {
    return this.#engine.call({ do: "revisions", file: this.file });
  }

  comments(): Promise<CommentRow[]> {
    return this.#engine.call({ do: "comments", file: this.file });
  }

  check(): Promise<Finding[]> {
    return this.#engine.call({ do: "check", file: this.file });
  }

  steps(after: OpenFile): Promise<EditStep[]> {
    return this.#engine.call({ do: "script", file: this.file, after: after.file });
  }

  fragment(first: number, last: number): Promise<string> {
    return this.#engine.call({ do: "fragment", file: this.file, first, last });
  }

  differences(other: OpenFile, view: View): Promise<Difference[]> {
    return this.#engine.call({ do: "differences", file: this.file, other: other.file, view });
  }

  save(): Promise<Uint8Array> {
    return this.#engine.call({ do: "save", file: this.file, untracked: false });
  }

  saveFlat(): Promise<string> {
    return this.#engine.call({ do: "saveFlat", file: this.file, untracked: false });
  }
}
