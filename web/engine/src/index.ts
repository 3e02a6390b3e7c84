//! The document engine in a page, a worker, Node, Bun or Deno.
//!
//! Must never ask the clock or the network: the caller says who edits and when, and hands in the module.

import * as glue from "../pkg/engross_wasm.js";
import { EngineError } from "./types.ts";
import type {
  Batch,
  Choice,
  CommentRow,
  CompareOptions,
  ComparisonReport,
  Difference,
  EditStep,
  Finding,
  HtmlOptions,
  OperationResult,
  ReadOptions,
  Reading,
  RevisionRow,
  Signature,
  View,
} from "./types.ts";

export * from "./types.ts";

/** What the module is made from: its bytes, a module, or where to fetch it. */
export type ModuleSource = BufferSource | WebAssembly.Module | URL | string | Response | Promise<Response>;

let started: Promise<unknown> | undefined;

/** Starts the engine, once. In a page `source` is the address of `engross_wasm_bg.wasm`, in Node its bytes. */
export async function start(source: ModuleSource): Promise<void> {
  started ??= glue.default({ module_or_path: source });
  try {
    await started;
  } catch (problem) {
    started = undefined;
    throw EngineError.of(problem);
  }
}

/** Carries a call out; what it throws becomes an {@link EngineError}. */
function called<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw EngineError.of(thrown);
  }
}

function json<T>(call: () => string): T {
  return JSON.parse(called(call)) as T;
}

/** A Word document that is open. `free` gives its memory back; `using` does so at the end of a block. */
export class WordFile {
  readonly #file: glue.WordFile;

  private constructor(file: glue.WordFile) {
    this.#file = file;
  }

  /** Opens a .docx, or a package as one XML file (Flat OPC). */
  static open(bytes: Uint8Array): WordFile {
    return new WordFile(called(() => glue.WordFile.open(bytes)));
  }

  /** Opens the Flat OPC that Office.js gives as a text. */
  static openFlat(xml: string): WordFile {
    return WordFile.open(new TextEncoder().encode(xml));
  }

  static fromMarkdown(markdown: string): WordFile {
    return new WordFile(called(() => glue.WordFile.fromMarkdown(markdown)));
  }

  copy(): WordFile {
    return new WordFile(called(() => this.#file.copy()));
  }

  revision(): string {
    return called(() => this.#file.revision());
  }

  read(options: ReadOptions = {}): Reading {
    return json(() => this.#file.read(JSON.stringify(options)));
  }

  apply(batch: Batch, signature: Signature): OperationResult[] {
    return json(() => this.#file.apply(JSON.stringify(batch), JSON.stringify(signature)));
  }

  accept(choice: Choice = {}): RevisionRow[] {
    return json(() => this.#file.resolve("accept", JSON.stringify(choice)));
  }

  reject(choice: Choice = {}): RevisionRow[] {
    return json(() => this.#file.resolve("reject", JSON.stringify(choice)));
  }

  revisions(): RevisionRow[] {
    return json(() => this.#file.revisions());
  }

  comments(): CommentRow[] {
    return json(() => this.#file.comments());
  }

  check(): Finding[] {
    return json(() => this.#file.check());
  }

  html(options: HtmlOptions = {}): string {
    return called(() => this.#file.html(JSON.stringify(options)));
  }

  toMarkdown(view: View = "accepted"): string {
    return called(() => this.#file.toMarkdown(view));
  }

  /** What operations did: the steps from this state of a document to the one after. */
  script(after: WordFile): EditStep[] {
    return json(() => this.#file.script(after.#file));
  }

  /** Paragraphs of a story, counted from 1, as the Flat OPC that Word's `insertOoxml` takes: with their tracked changes, and what they need. */
  fragment(first: number, last = first, story = "body"): string {
    return new TextDecoder().decode(called(() => this.#file.fragment(story, first, last)));
  }

  /** Where two documents differ but for ids, sessions and runs; with a view as if all changes were accepted, or rejected. None: the same. */
  differences(other: WordFile, view: View = "markup"): Difference[] {
    return json(() => this.#file.differences(other.#file, view));
  }

  /** The whole file, proven. */
  save(options: { untracked?: boolean } = {}): Uint8Array {
    return called(() => this.#file.save(options.untracked ?? false));
  }

  /** The same as one XML text, as Office.js takes it. */
  saveFlat(options: { untracked?: boolean } = {}): string {
    return new TextDecoder().decode(called(() => this.#file.saveFlat(options.untracked ?? false)));
  }

  free(): void {
    this.#file.free();
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

/** A redline of two documents. */
export function compare(
  before: Uint8Array,
  after: Uint8Array,
  options: CompareOptions,
): { bytes: Uint8Array; report: ComparisonReport } {
  const made = called(() => glue.RedlineFile.make(before, after, JSON.stringify(options)));
  try {
    return { bytes: made.bytes(), report: JSON.parse(made.report()) as ComparisonReport };
  } finally {
    made.free();
  }
}

/** The style sheet of {@link WordFile.html}. */
export function styleSheet(): string {
  return called(() => glue.styleSheet());
}

/** The version of the engine. */
export function version(): string {
  return called(() => glue.version());
}
