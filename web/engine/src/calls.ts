//! What goes between a page and the worker that runs the engine: types and one function that carries a call out.
//!
//! Must never know a worker: this is all that can be tried without one.

import { WordFile, compare, styleSheet } from "./index.ts";
import { EngineError } from "./types.ts";
import type { Batch, Choice, CompareOptions, HtmlOptions, ReadOptions, Signature, View } from "./types.ts";

/** A call on a document that the worker holds by a number. */
export type Call =
  | { do: "open"; bytes: Uint8Array }
  | { do: "openFlat"; xml: string }
  | { do: "copy"; file: number }
  | { do: "read"; file: number; options: ReadOptions }
  | { do: "apply"; file: number; batch: Batch; signature: Signature }
  | { do: "accept" | "reject"; file: number; choice: Choice }
  | { do: "revisions" | "comments" | "check" | "revision" | "free"; file: number }
  | { do: "html"; file: number; options: HtmlOptions }
  | { do: "toMarkdown"; file: number; view: View }
  | { do: "save" | "saveFlat"; file: number; untracked: boolean }
  | { do: "script"; file: number; after: number }
  | { do: "fragment"; file: number; first: number; last: number; story?: string }
  | { do: "differences"; file: number; other: number; view?: View }
  | { do: "compare"; before: Uint8Array; after: Uint8Array; options: CompareOptions }
  | { do: "styleSheet" };

export interface Request {
  id: number;
  call: Call;
}

export type Response =
  | { id: number; value: unknown }
  | { id: number; error: { code: string; message: string } };

/** The documents of a worker. */
export class Documents {
  readonly #files = new Map<number, WordFile>();
  #next = 1;

  /** Carries a call out; what goes wrong is an answer, too. */
  answer({ id, call }: Request): Response {
    try {
      return { id, value: this.#carryOut(call) };
    } catch (thrown) {
      const { code, message } = EngineError.of(thrown);
      return { id, error: { code, message } };
    }
  }

  #carryOut(call: Call): unknown {
    switch (call.do) {
      case "open":
        return this.#keep(WordFile.open(call.bytes));
      case "openFlat":
        return this.#keep(WordFile.openFlat(call.xml));
      case "copy":
        return this.#keep(this.#file(call.file).copy());
      case "read":
        return this.#file(call.file).read(call.options);
      case "apply":
        return this.#file(call.file).apply(call.batch, call.signature);
      case "accept":
        return this.#file(call.file).accept(call.choice);
      case "reject":
        return this.#file(call.file).reject(call.choice);
      case "revisions":
        return this.#file(call.file).revisions();
      case "comments":
        return this.#file(call.file).comments();
      case "check":
        return this.#file(call.file).check();
      case "revision":
        return this.#file(call.file).revision();
      case "html":
        return this.#file(call.file).html(call.options);
      case "toMarkdown":
        return this.#file(call.file).toMarkdown(call.view);
      case "save":
        return this.#file(call.file).save({ untracked: call.untracked });
      case "saveFlat":
        return this.#file(call.file).saveFlat({ untracked: call.untracked });
      case "script":
        return this.#file(call.file).script(this.#file(call.after));
      case "fragment":
        return this.#file(call.file).fragment(call.first, call.last, call.story);
      case "differences":
        return this.#file(call.file).differences(this.#file(call.other), call.view);
      case "compare":
        return compare(call.before, call.after, call.options);
      case "styleSheet":
        return styleSheet();
      case "free":
        this.#file(call.file).free();
        this.#files.delete(call.file);
        return null;
    }
  }

  #keep(file: WordFile): number {
    const number = this.#next++;
    this.#files.set(number, file);
    return number;
  }

  #file(number: number): WordFile {
    const file = this.#files.get(number);
    if (file === undefined) throw new EngineError("INVALID_REQUEST", `there is no open document ${number}`);
    return file;
  }
}
