// Many documents, three batches each: the engine for pages writes the very bytes of the command line. They are those beneath the folder
// that ENGROSS_TEST_CORPUS names, in the order of their hashes, and without one a hundred that are made here.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { EngineError, WordFile, start } from "../src/index.ts";
import { batches, binary, commandLine, module } from "./command-line.ts";

const corpus = process.env["ENGROSS_TEST_CORPUS"];
const MOST = Number(process.env["ENGROSS_TEST_CORPUS_COUNT"] ?? 100);
const signature = { author: "Ada", date: "2026-01-31T09:30:00Z" };

/** Parts of documents; each document has some of them. */
const PARTS = [
  "# Terms\n\nThe fee of *thirty* **euros** is due within thirty days.",
  "1. One\n2. Two\n   1. Two and a half\n3. Three",
  "- a\n- b\n  - c",
  "| Party | Share |\n|---|---:|\n| Ann | 1/3 |\n| Ben | 2/3 |",
  "With a note[^1], and [a link](https://example.org/a?b=c&d).\n\n[^1]: The note.",
  "Größe, naïve, 漢字, שלום, 🙂 and e\u0301.",
  "> quoted\n\n```\ncode  with   blanks\n```",
  "Line one\\\nline two\u00a0with a blank that does not break",
] as const;

function documents(): [string, Uint8Array][] {
  if (corpus === undefined) {
    return Array.from({ length: MOST }, (_, seed) => [`made ${seed}`, WordFile.fromMarkdown(PARTS.filter((_part, at) => ((seed + 1) >> at) & 1 || seed % PARTS.length === at).join("\n\n")).save()]);
  }
  const paths = readdirSync(corpus, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && /\.docx$/i.test(entry.name)).map((entry) => join(entry.parentPath, entry.name));
  // By hash, so that the first hundred are of all makers.
  const hashed = paths.map((path) => [createHash("sha256").update(path.slice(corpus.length)).digest("hex"), path] as const).sort();
  return hashed.map(([, path]) => [path.slice(corpus.length), readFileSync(path)]);
}

describe.skipIf(!existsSync(binary) || !existsSync(module))("the engine for pages and the command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "engross-corpus-"));
  beforeAll(async () => {
    await start(readFileSync(module));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("write the same bytes, and refuse the same", { timeout: 3_600_000 }, () => {
    const counts = { documents: 0, unreadable: 0, batches: 0, written: 0, operations: 0, applied: 0 };
    const differ: string[] = [];
    const all = documents();
    for (const [name, bytes] of all) {
      if (counts.documents === MOST) break;
      let file: WordFile;
      try {
        file = WordFile.open(bytes);
      } catch (thrown) {
        // What is no document here is none there.
        if (!(thrown instanceof EngineError)) throw thrown;
        counts.unreadable += 1;
        if (commandLine(folder, bytes, [{ op: "modify_text", target: "P1", originalText: "a", replacementText: "b" }], signature)) differ.push(`${name}: opened by the command line alone`);
        continue;
      }
      counts.documents += 1;
      const edits = batches(file);
      file[Symbol.dispose]();
      for (const [at, batch] of edits.entries()) {
        using edited = WordFile.open(bytes);
        const results = edited.apply({ operations: batch as never, own: "history" } as never, signature);
        const isWritten = results.some(({ status }) => status === "applied" || status === "no_change");
        const wanted = commandLine(folder, bytes, batch, signature);
        counts.batches += 1;
        counts.operations += results.length;
        counts.applied += results.filter(({ status }) => status === "applied").length;
        counts.written += Number(isWritten);
        const isSame = isWritten ? wanted !== undefined && Buffer.compare(Buffer.from(edited.save()), Buffer.from(wanted)) === 0 : wanted === undefined;
        if (!isSame) differ.push(`${name}, batch ${at}`);
      }
    }
    console.log(JSON.stringify({ engine: execFileSync(binary, ["--version"], { encoding: "utf8" }).trim(), ...counts }));
    expect(differ).toEqual([]);
    expect(counts.documents).toBe(Math.min(MOST, all.length - counts.unreadable));
  });
});
