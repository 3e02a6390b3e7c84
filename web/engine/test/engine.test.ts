import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { Documents } from "../src/calls.ts";
import type { Request } from "../src/calls.ts";
import { EngineClient } from "../src/client.ts";
import type { WorkerPort } from "../src/client.ts";
import { EngineError, WordFile, compare, start, styleSheet, version } from "../src/index.ts";
import type { Batch } from "../src/index.ts";
import { batches, binary, commandLine, module } from "./command-line.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const signature = { author: "Ada", date: "2026-01-31T09:30:00Z" };
const nda = readFileSync(here("../../../examples/nda.docx"));
let folder = "";

beforeAll(async () => {
  if (!existsSync(module)) throw new Error("there is no web/engine/pkg: run `cargo xtask wasm`");
  if (!existsSync(binary)) throw new Error(`there is no ${binary}: build it, or set ENGROSS_BIN`);
  folder = mkdtempSync(join(tmpdir(), "engross-engine-"));
  await start(readFileSync(module));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether the engine here writes the very bytes of the command line. */
function same(bytes: Uint8Array, batch: Batch): boolean {
  using file = WordFile.open(bytes);
  const results = file.apply({ operations: batch as never, own: "history" } as never, signature);
  const wanted = commandLine(folder, bytes, batch, signature);
  // What is as wanted already is written as it is; what is only refused is not written at all.
  if (!results.some(({ status }) => status === "applied" || status === "no_change")) return wanted === undefined;
  return wanted !== undefined && Buffer.compare(Buffer.from(file.save()), Buffer.from(wanted)) === 0;
}

const made = [
  "# Terms\n\nThe fee is due within *thirty* days.\n\n1. One\n2. Two\n\n| A | B |\n|---|---|\n| c | d |",
  "Plain text.",
  "- a\n- b\n  - c\n\nWith a note[^1].\n\n[^1]: The note.",
];

describe("the engine", () => {
  it("writes the very bytes of the command line", () => {
    for (const bytes of [nda, ...made.map((text) => WordFile.fromMarkdown(text).save())]) {
      using file = WordFile.open(bytes);
      for (const batch of batches(file)) expect(same(bytes, batch), JSON.stringify(batch)).toBe(true);
    }
  });

  it("reads, resolves, shows and saves", () => {
    using file = WordFile.open(nda);
    const [applied] = file.apply([{ op: "modify_text", originalText: "three (3) years", replacementText: "five (5) years" }], signature);
    expect(applied?.status).toBe("applied");
    const revisions = file.revisions();
    const own = revisions.filter(({ author }) => author === "Ada");
    expect(own).toHaveLength(4);
    const html = file.html();
    for (const { id } of revisions) expect(html).toContain(`data-revision="${id}"`);
    expect(file.check().filter(({ severity }) => severity === "error")).toEqual([]);
    const redline = file.save();
    using flat = WordFile.openFlat(file.saveFlat());
    expect(flat.read({ view: "markup" }).paragraphs).toEqual(file.read({ view: "markup" }).paragraphs);
    expect(file.reject({ author: "Ada" })).toHaveLength(own.length);
    using source = WordFile.open(nda);
    expect(file.toMarkdown()).toBe(source.toMarkdown());
    using accepted = WordFile.open(redline);
    accepted.accept();
    const { report } = compare(nda, accepted.save(), signature);
    expect(report.proof).toEqual({ reject: "holds", accept: "holds" });
    expect(report.changes.length).toBeGreaterThan(0);
    expect(styleSheet()).toContain(".docx");
    expect(version()).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("tells another editor what an edit did", () => {
    using before = WordFile.open(nda);
    using after = before.copy();
    after.apply([{ op: "modify_text", originalText: "three (3) years", replacementText: "five (5) years" }], signature);
    const [step, ...more] = before.script(after);
    if (step?.kind !== "text") throw new Error(JSON.stringify(step));
    expect(more).toEqual([]);
    const text = before.read({ labels: false }).paragraphs.find(({ address }) => address === `P${step.paragraph}`)?.text ?? "";
    const typed = step.spans.reduce((said, { start, end, insert }) => said.slice(0, start) + insert + said.slice(end), text);
    expect(typed).toContain("five (5) years");
    expect(before.differences(after, "original")).toEqual([]);
    expect(before.differences(after, "accepted")).toMatchObject([{ story: "body", paragraph: step.paragraph, what: "text" }]);
    using fragment = WordFile.openFlat(after.fragment(step.now));
    expect(fragment.read({ labels: false }).paragraphs.map((paragraph) => paragraph.text)).toEqual([typed]);
    expect(fragment.revisions()).toHaveLength(4);
    expect(() => before.fragment(9999)).toThrow("1 to ");
  });

  it("runs the example of its page", async () => {
    const page = readFileSync(here("../README.md"), "utf8");
    const [, example = ""] = /```js\n([^]*?)```/.exec(page) ?? [];
    const [, wanted] = /console\.log\(.*\/\/ (.*)/.exec(example) ?? [];
    const written = here("../pkg/example.ts");
    const [engine, wasm, document] = ["../src/index.ts", "../pkg/engross_wasm_bg.wasm", "../../../examples/nda.docx"].map(here);
    const moved = [["./src/index.ts", engine], ["pkg/engross_wasm_bg.wasm", wasm], ["../../examples/nda.docx", document]] as const;
    writeFileSync(written, moved.reduce((text, [from, to]) => text.replace(JSON.stringify(from), JSON.stringify(to)), example));
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await import(/* @vite-ignore */ written);
    expect(log.mock.calls.map((words) => words.join(" "))).toEqual([wanted]);
    log.mockRestore();
    rmSync(written);
  });

  it("throws errors with codes", () => {
    const code = (call: () => unknown) => {
      try {
        call();
      } catch (thrown) {
        return thrown instanceof EngineError ? thrown.code : `${thrown}`;
      }
      return "nothing";
    };
    expect(code(() => WordFile.open(new TextEncoder().encode("%PDF-1.7")))).toBe("NOT_A_ZIP");
    using file = WordFile.open(nda);
    expect(code(() => file.read({ story: "footnote:99" }))).toBe("UNKNOWN_STORY");
    expect(code(() => file.apply([{ op: "dance" }], signature))).toBe("INVALID_OPERATION");
    expect(code(() => file.accept({ ids: ["99999"] }))).toBe("UNKNOWN_REVISION");
  });

  it("answers calls of a page", async () => {
    const documents = new Documents();
    type Listener = (event: { data: unknown }) => void;
    const listeners: Record<string, Listener> = {};
    const port: WorkerPort = {
      addEventListener: (type: string, listener: unknown) => void (listeners[type] = listener as Listener),
      postMessage: (message) => {
        if (!("call" in (message as object))) return;
        queueMicrotask(() => listeners["message"]?.({ data: structuredClone(documents.answer(message as Request)) }));
      },
    };
    const client = new EngineClient(port, "engross_wasm_bg.wasm");
    const file = await client.call<number>({ do: "open", bytes: nda });
    const html = await client.call<string>({ do: "html", file, options: { view: "accepted" } });
    expect(html).toContain("<article");
    await client.call({ do: "free", file });
    await expect(client.call({ do: "revisions", file })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    const waiting = client.call({ do: "styleSheet" }).catch((error: EngineError) => error.message);
    listeners["error"]?.({ data: undefined, message: "gone" } as never);
    expect(await waiting).toBe("gone");
    await expect(client.call({ do: "styleSheet" })).rejects.toMatchObject({ message: "gone" });
  });
});
