import { createHash } from "node:crypto";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginWrite, resumeWrite, SessionError } from "../src/write-session.ts";
import type { WriteOptions } from "../src/write-session.ts";
import { binary, serve } from "./server.ts";
import type { Server } from "./server.ts";

const json = (value: object, status = 200) => new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
const standing = (state: string, offset: number) => ({ state, offset, error: null, receipt: null, prompt: null });

/** Answers one after the other; a string is a failure of the connection. */
function fake(...answers: (Response | string)[]): { options: WriteOptions; asked: string[] } {
  const asked: string[] = [];
  const send: typeof fetch = async (url, init) => {
    const body = init?.body;
    asked.push(`${init?.method} ${String(url).replace("http://engross/v1/write-sessions", "")} ${body === undefined ? "" : Buffer.from(body as Uint8Array).toString()}`.trim());
    const answer = answers[asked.length - 1];
    if (answer === undefined || typeof answer === "string") throw new TypeError(answer ?? "no more answers");
    return answer;
  };
  return { asked, options: { baseUrl: "http://engross/v1/", fetch: send, backoff: 1 } };
}

const begun = () => json({ session_id: "wri_1", end_marker: "END-X", instruction: "Now", offset: 0 }, 201);
const plan = { target_file: "a.md", operation: "create" } as const;

describe("a file in pieces", () => {
  test("is sent at its offsets, in order", async () => {
    const { options, asked } = fake(begun(), json(standing("receiving", 3)), json(standing("receiving", 7)), json(standing("incomplete", 7)));
    const session = await beginWrite(options, plan);
    expect([session.id, session.endMarker, session.instruction]).toEqual(["wri_1", "END-X", "Now"]);
    await Promise.all([session.send("abc"), session.send(new TextEncoder().encode("dé\n"))]);
    expect((await session.turnEnd("stop")).state).toBe("incomplete");
    expect(asked).toEqual([
      'POST  {"target_file":"a.md","operation":"create"}',
      "PATCH /wri_1?offset=0 abc",
      "PATCH /wri_1?offset=3 dé",
      'POST /wri_1/turn-end {"finish_reason":"stop","offset":7}',
    ]);
  });

  test("case 22: goes on where the server stands after a lost connection", async () => {
    const { options, asked } = fake(begun(), "reset", json(standing("paused", 2)), json(standing("receiving", 6)));
    const session = await beginWrite(options, plan);
    expect((await session.send("abcdef")).offset).toBe(6);
    expect(asked.slice(1)).toEqual(["PATCH /wri_1?offset=0 abcdef", "GET /wri_1", "PATCH /wri_1?offset=2 cdef"]);
  });

  test("that was refused is not sent again", async () => {
    const refused = json({ error: { code: "OFFSET_MISMATCH", message: "no" } }, 409);
    const { options, asked } = fake(begun(), refused);
    const session = await beginWrite(options, plan);
    await expect(session.send("abc")).rejects.toMatchObject({ code: "OFFSET_MISMATCH" });
    expect(asked.length).toBe(2);
  });

  test("is given up after some tries", async () => {
    const { options } = fake(begun());
    const session = await beginWrite({ ...options, tries: 2 }, plan);
    await expect(session.finalize()).rejects.toBeInstanceOf(SessionError);
  });
});

/** A line whose connections break after so many bytes of request, one after the other. */
async function narrow(baseUrl: string, ...breaks: number[]) {
  const target = new URL(baseUrl);
  let connections = 0;
  const proxy = createServer((near) => {
    let left = breaks[connections++] ?? Number.POSITIVE_INFINITY;
    const far = connect(Number(target.port), target.hostname);
    const end = () => void (near.destroy(), far.destroy());
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    far.pipe(near);
    near.on("data", (bytes: Buffer) => {
      const given = bytes.subarray(0, left);
      left -= given.length;
      if (left > 0) far.write(given);
      else far.write(given, () => setTimeout(end, 20));
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}${target.pathname}`, close: () => proxy.close() };
}

describe.skipIf(!binary)("engross serve", () => {
  let server: Server;
  beforeAll(async () => {
    server = await serve();
  });
  afterAll(async () => server?.stop());

  test("writes a file, tells its events, and gives the receipt again", async () => {
    const session = await beginWrite(server, { target_file: "a.md", operation: "create" });
    for (const piece of ["# A\n", "\n", "Wörter.\n"]) await session.send(piece);
    await session.send(`${session.endMarker}\n`);
    const { state, receipt } = await session.finalize();
    const sha256 = createHash("sha256").update("# A\n\nWörter.\n").digest("hex");
    expect([state, receipt?.path, receipt?.sha256]).toEqual(["committed", "a.md", sha256]);
    expect((await session.finalize()).receipt).toEqual(receipt);
    const types: string[] = [];
    for await (const { type } of session.events()) types.push(type);
    expect([types[0], types.at(-1)]).toEqual(["opened", "committed"]);
  });

  test("keeps what came over lines that break, and is exact", async () => {
    const content = Array.from({ length: 4000 }, (_, line) => `Line ${line} of words.\n`).join("");
    const line = await narrow(server.baseUrl, Number.POSITIVE_INFINITY, 30_000, 5_000, 40_000);
    try {
      // A connection that breaks is not used again.
      const { id, endMarker } = await beginWrite(server, { target_file: "b.md", operation: "create" });
      const session = await resumeWrite({ baseUrl: line.baseUrl, backoff: 5 }, id);
      await session.send(content);
      const { receipt } = await session.send(`${endMarker}\n`);
      expect(receipt?.sha256).toBe(createHash("sha256").update(content).digest("hex"));
    } finally {
      line.close();
    }
  });

  test("leaves nothing of what is given up", async () => {
    const session = await beginWrite(server, { target_file: "c.md", operation: "create" });
    await session.send("half");
    expect((await session.cancel()).state).toBe("cancelled");
    await expect(session.send("more")).rejects.toMatchObject({ code: "CANCELLED" });
  });
});
