// Documents and conversations with the double, for the tests of this folder and of the pane.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { WordFile, start } from "../../engine/src/index.ts";
import { FakeWord, type HostOptions } from "../src/index.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const module = here("../../engine/pkg/engross_wasm_bg.wasm");

/** Starts the engine; to be awaited before anything else. */
export async function engine(): Promise<void> {
  if (!existsSync(module)) throw new Error("there is no web/engine/pkg: run `cargo xtask wasm`");
  await start(readFileSync(module));
}

export const nda = () => readFileSync(here("../../../examples/nda.docx"));

export function markdown(text: string): Uint8Array {
  using file = WordFile.fromMarkdown(text);
  return file.save();
}

export function word(source: string | Uint8Array, options: HostOptions = {}): FakeWord {
  return new FakeWord(typeof source === "string" ? markdown(source) : source, options);
}

/** The errors that a check finds. */
export function errors(bytes: Uint8Array): string[] {
  using file = WordFile.open(bytes);
  return file.check().filter(({ severity }) => severity === "error").map(({ code, message }) => `${code} ${message}`);
}

/** The texts of the body in a view of the engine. */
export function texts(bytes: Uint8Array, view: "accepted" | "original" | "markup" = "accepted"): string[] {
  using file = WordFile.open(bytes);
  return file.read({ view, labels: false }).paragraphs.map(({ text }) => text);
}

export function revisions(bytes: Uint8Array): string[] {
  using file = WordFile.open(bytes);
  return file.revisions().map(({ kind, author, text }) => `${kind} ${author}: ${text}`);
}

/** Waits, but not for ever: `undefined` where nothing came. */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds))]);
}
