// The same edit by the command line, to compare with the engine for pages.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { WordFile, Batch } from "../src/index.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The engine that the tests try. */
export const module = here("../pkg/engross_wasm_bg.wasm");
export const binary = process.env["ENGROSS_BIN"] ?? here("../../../target/ci/engross");

/** What the command line writes for these arguments, in a folder of the test. */
export function commandLine(folder: string, document: Uint8Array, batch: Batch, { author, date }: { author: string; date: string }): Uint8Array | undefined {
  const [source, operations, out] = ["in.docx", "ops.json", "out.docx"].map((name) => join(folder, name)) as [string, string, string];
  rmSync(out, { force: true });
  writeFileSync(source, document);
  writeFileSync(operations, JSON.stringify(batch));
  try {
    const home = { ...process.env, HOME: folder, XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config") };
    const flags = ["--author", author, "--date", date, "--own", "history", "-o", out];
    execFileSync(binary, ["apply", source, operations, ...flags], { env: home, stdio: "ignore" });
  } catch {
    // Some operations may be refused: then the others are written all the same.
  }
  return existsSync(out) ? readFileSync(out) : undefined;
}

/** Batches that any document takes, at least in part. */
export function batches(document: WordFile): Batch[] {
  const first = document.read({ labels: false }).paragraphs.find(({ text }) => /\w{3,}/.test(text));
  const word = /\w{3,}/.exec(first?.text ?? "")?.[0] ?? "word";
  const target = first?.address ?? "P1";
  return [
    [{ op: "modify_text", target, originalText: word, replacementText: "changed & <new>" }],
    [
      { op: "insert_paragraph", after: target, content: "A **new** paragraph." },
      { op: "insert_comment", target, commentContent: "Why?" },
    ],
    [
      { op: "delete_paragraph", target },
      { op: "modify_text", originalText: "no such words", replacementText: "x" },
    ],
  ];
}
