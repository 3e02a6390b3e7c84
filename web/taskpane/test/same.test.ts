// The same conversation, by the command line, a server's session, the engine for pages and the pane: the same document.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Documents } from "../../engine/src/calls.ts";
import { EngineError, WordFile } from "../../engine/src/index.ts";
import { createSessionClient } from "../../shared/src/session-client.ts";
import { ServerClient } from "../../shared/src/server-client.ts";
import { binary, serveModel, type Server } from "../../shared/test/server.ts";
import { engine, errors, texts, word } from "../../fakeword/test/double.ts";
import { WordDocument } from "../src/ladder/word.ts";
import type { Engine } from "../src/ladder/engine.ts";
import { Toolbox } from "../src/tools.ts";
import { CONVERSATIONS, type Operation } from "./conversations.ts";
import { signature, source } from "./runs.ts";
import { script } from "../../workbench/test/script.ts";

/** Those in which nobody acts meanwhile. */
const ALONE = CONVERSATIONS.filter(({ meanwhile }) => meanwhile === undefined);

/** What a person sees of a document: its words with all changes accepted, with all rejected, and its comments. */
function seen(bytes: Uint8Array): { accepted: string[]; original: string[]; comments: string[] } {
  using file = WordFile.open(bytes);
  return { accepted: texts(bytes), original: texts(bytes, "original"), comments: file.comments().map(({ quoted, text }) => `${quoted}: ${text}`).sort() };
}

/** What makes a conversation's request known to the script. */
const asked = (conversation: number, round: number) => `request ${conversation}-${round} please`;

describe.skipIf(!binary)("the same conversation gives the same document", { timeout: 120_000 }, () => {
  let server: Server;
  let folder = "";

  beforeAll(async () => {
    await engine();
    folder = mkdtempSync(join(tmpdir(), "engross-same-"));
    const turns = ALONE.flatMap(({ rounds }, at) => rounds.map((operations, round) => ({ asked: asked(at, round), calls: [{ name: "apply_redlines", args: { operations } }], then: "Done." })));
    server = await serveModel(script(...turns), {}, "--root", join(folder, "root"));
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function byCommandLine(bytes: Uint8Array, rounds: readonly (readonly Operation[])[]): Uint8Array {
    let now = bytes;
    for (const operations of rounds) {
      const [input, batch, out] = ["in.docx", "ops.json", "out.docx"].map((name) => join(folder, name)) as [string, string, string];
      rmSync(out, { force: true });
      writeFileSync(input, now);
      writeFileSync(batch, JSON.stringify(operations));
      const home = { ...process.env, HOME: folder, XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config") };
      const flags = ["--author", signature.author, "--date", signature.date, "--own", "history", "-o", out];
      try {
        execFileSync(binary ?? "", ["apply", input, batch, ...flags], { env: home, stdio: "ignore" });
      } catch {
        // Some may be refused: then the others are written all the same.
      }
      now = readFileSync(out);
    }
    return now;
  }

  function byEngine(bytes: Uint8Array, rounds: readonly (readonly Operation[])[]): Uint8Array {
    let now = bytes;
    for (const operations of rounds) {
      using file = WordFile.open(now);
      file.apply(operations as never, signature);
      now = file.save();
    }
    return now;
  }

  async function byServer(bytes: Uint8Array, conversation: number, rounds: readonly (readonly Operation[])[]): Promise<Uint8Array> {
    const workspace = `same-${conversation}`;
    const client = new ServerClient({ baseUrl: server.baseUrl });
    await client.put(workspace, "contract.docx", new Blob([bytes as BlobPart]));
    const session = createSessionClient({ baseUrl: server.baseUrl, sessionId: workspace, workspace });
    for (const [round] of rounds.entries()) {
      for await (const segment of session.send(asked(conversation, round))) {
        if (segment.kind === "error") throw segment.error;
      }
    }
    return new Uint8Array(await (await client.bytes(workspace, "contract.docx")).arrayBuffer());
  }

  async function byPane(bytes: Uint8Array, rounds: readonly (readonly Operation[])[]): Promise<{ bytes: Uint8Array; isHere: boolean }> {
    const fake = word(bytes, { isPlain: true });
    const documents = new Documents();
    const here: Engine = {
      call: async <T>(call: Parameters<Engine["call"]>[0]): Promise<T> => {
        const answer = documents.answer({ id: 1, call });
        if ("error" in answer) throw new EngineError(answer.error.code, answer.error.message);
        return answer.value as T;
      },
    };
    const tools = new Toolbox(new WordDocument(fake.Office, fake.Word, 2_000), here, () => Promise.reject(new Error("nobody searches")));
    let last = fake.bytes();
    let isHere = true;
    for (const operations of rounds) {
      const done = await tools.run({ id: "c", name: "apply_redlines", arguments: JSON.stringify({ operations }) }, { author: signature.author, mayLoseUndo: true });
      // What cannot be done in the open document is in the copy, with all the rest.
      last = done.outcome?.copy ?? fake.bytes();
      isHere &&= done.outcome?.copy === undefined;
    }
    return { bytes: last, isHere };
  }

  it("by at least twenty scripts", () => {
    expect(ALONE.length).toBeGreaterThanOrEqual(20);
  });

  it.each(ALONE.map((conversation, at) => [conversation.name, conversation, at] as const))("%s", async (_, conversation, at) => {
    const bytes = source(conversation);
    const [commandLine, page] = [byCommandLine(bytes, conversation.rounds), byEngine(bytes, conversation.rounds)];
    expect(Buffer.compare(commandLine, page), "the engine for pages writes the very bytes of the command line").toBe(0);
    const [onServer, inPane] = [await byServer(bytes, at, conversation.rounds), await byPane(bytes, conversation.rounds)];
    const expected = seen(commandLine);
    expect(seen(onServer)).toEqual(expected);
    expect(seen(inPane.bytes)).toEqual(expected);
    expect(expected.original).toEqual(texts(bytes, "original"));
    for (const made of [commandLine, onServer, inPane.bytes]) expect(errors(made)).toEqual(errors(bytes));
  });
});
