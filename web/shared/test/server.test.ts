import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSessionClient } from "../src/session-client.ts";
import type { SessionClient, SessionClientOptions, Tool } from "../src/session-client.ts";
import { all, joined } from "./fake.ts";
import { binary, line, serve } from "./server.ts";
import type { Server } from "./server.ts";

if (!binary) console.warn("skipped: there is no server; set ENGROSS_BIN, or run `cargo build --profile ci -p engross`");

const tools: Tool[] = [{ name: "read_document", description: "Reads the open document.", readOnly: true }];
const done = (turn: number, segment: number, reason: string) => ({ turn, segment, kind: "done", reason });
const text = (turn: number, segment: number, text: string) => ({ turn, segment, kind: "text", text });

describe.skipIf(!binary)("engross serve", () => {
  let server: Server;
  beforeAll(async () => {
    server = await serve();
  });
  afterAll(async () => server?.stop());

  function session(options: Partial<SessionClientOptions> = {}): SessionClient {
    return createSessionClient({ baseUrl: server.baseUrl, sessionId: crypto.randomUUID(), backoff: 5, ...options });
  }

  test("keeps one stream of thought over tools that run here", async () => {
    const client = session();
    const first = joined(await all(client.send("Summarise the doc.", { tools })));
    const { id } = first[1] as { id: string };
    expect(first).toEqual([
      text(1, 0, "Let me read it."),
      { turn: 1, segment: 1, kind: "tool_call", id, name: "read_document", arguments: '{"from":1}' },
      done(1, 1, "tool_calls"),
    ]);
    expect(joined(await all(client.streamToolResult({ id, name: "read_document", content: "The notice period …" })))).toEqual([
      text(1, 2, "The notice period is two months."),
      done(1, 2, "stop"),
    ]);
    expect(joined(await all(client.send("And in weeks?")))).toEqual([text(2, 0, "About nine."), done(2, 0, "stop")]);
  });

  test("runs the example of the guide", async () => {
    const guide = readFileSync(new URL("../../../docs/guide/clients.md", import.meta.url), "utf8");
    const [, code = ""] = /```ts\nimport .*\n([^]*?)```/.exec(guide) ?? [];
    expect(code).toContain("http://127.0.0.1:18789/v1");
    const told: unknown[] = [];
    const run = new Function(
      "createSessionClient", "show", "readDocument", "complain",
      `return (async () => {${code.replace("http://127.0.0.1:18789/v1", server.baseUrl)}})()`,
    ) as (...needs: unknown[]) => Promise<void>;
    const show = (turn: number, segment: number, piece: string) => told.push(text(turn, segment, piece));
    await run(createSessionClient, show, async () => "The notice period …", (code: string) => told.push(code));
    expect(joined(told)).toEqual([text(1, 0, "Let me read it."), text(1, 2, "The notice period is two months.")]);
  });

  test("binds a result by the tool's name", async () => {
    const client = session();
    await all(client.send("Summarise the doc.", { tools }));
    const result = { name: "read_document", content: "The notice period …" };
    expect(joined(await all(client.streamToolResult(result)))).toEqual([text(1, 2, "The notice period is two months."), done(1, 2, "stop")]);
    expect(await all(client.streamToolResult(result))).toMatchObject([{ kind: "error", error: "CALL_NOT_OPEN" }]);
  });

  test("remembers a session for another client", async () => {
    const client = session();
    await all(client.send("Summarise the doc.", { tools }));
    const other = session({ sessionId: client.sessionId });
    const result = { name: "read_document", content: "The notice period …" };
    expect(joined(await all(other.streamToolResult(result)))).toEqual([text(1, 0, "The notice period is two months."), done(1, 0, "stop")]);
  });

  test("goes on where a connection was cut, wherever that was", async () => {
    const whole = joined(await all(session().send("Say it slowly.", { tools }))).map(withoutId);
    expect(whole).toHaveLength(4);
    let cuts = 0;
    await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const broken = await line(server.baseUrl, 150 + index * 290, 700 + index * 37);
        const told = joined(await all(session({ baseUrl: broken.baseUrl }).send("Say it slowly.", { tools })));
        cuts += broken.connections() - 1;
        await broken.close();
        expect(told.map(withoutId), `cut ${index}`).toEqual(whole);
      }),
    );
    expect(cuts).toBeGreaterThan(24);
  });

  test("asks the model once, however often the connection is cut", async () => {
    const broken = await line(server.baseUrl, 1000, 900, 900);
    const told = joined(await all(session({ baseUrl: broken.baseUrl }).send("Once only.")));
    expect([told, broken.connections()]).toEqual([[text(1, 0, "one two three four five six seven eight"), done(1, 0, "stop")], 4]);
    await broken.close();
  });

  test("is said to be out of reach after some tries", async () => {
    const broken = await line(server.baseUrl, 10, 10, 10, 10);
    const told = await all(session({ baseUrl: broken.baseUrl, tries: 3 }).send("Say hello."));
    expect([told, broken.connections()]).toEqual([[{ turn: 0, segment: 0, kind: "error", error: "CONNECTION_LOST" }], 4]);
    await broken.close();
  });

  test("tells of errors before and in an answer", async () => {
    expect(await all(session().send("Be limited."))).toEqual([{ turn: 0, segment: 0, kind: "error", error: "MODEL_RATE_LIMITED" }]);
    const cut = joined(await all(session().send("Break off.")));
    expect(cut).toEqual([text(1, 0, "one two"), { turn: 1, segment: 0, kind: "error", error: "MODEL_TRUNCATED" }]);
    expect(await all(session({ sessionId: "cron:x" }).send("Hi"))).toMatchObject([{ error: "SESSION_KEY_INVALID" }]);
  });

  test("lets an answer be given up", async () => {
    const controller = new AbortController();
    const told: unknown[] = [];
    for await (const segment of session().send("Never end.", { signal: controller.signal })) {
      told.push(segment.kind === "error" ? segment.error.code : segment.kind);
      controller.abort();
    }
    expect(told).toEqual(["text", "ABORTED"]);
  });

  test("wants its token", async () => {
    const guarded = await serve("--token", "secret");
    try {
      const asked = (token?: string) => all(session({ baseUrl: guarded.baseUrl, ...(token ? { token } : {}) }).send("Say hello."));
      expect(await asked()).toMatchObject([{ error: "UNAUTHORIZED" }]);
      expect(await asked("guess")).toMatchObject([{ error: "UNAUTHORIZED" }]);
      expect(joined(await asked("secret"))).toEqual([text(1, 0, "Hello from the script."), done(1, 0, "stop")]);
    } finally {
      await guarded.stop();
    }
  });

  test("lets a page send all headers of this client", async () => {
    const headers = "authorization,content-type,idempotency-key,last-event-id,x-engross-events,x-engross-session-key";
    const answer = await fetch(`${server.baseUrl}/chat/completions`, {
      method: "OPTIONS",
      headers: { origin: "https://localhost:3000", "access-control-request-method": "POST", "access-control-request-headers": headers },
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://localhost:3000");
    const allowed = answer.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
    for (const header of headers.split(",")) expect(allowed).toContain(header);
  });
});

function withoutId(segment: unknown): unknown {
  const { id: _, ...rest } = segment as { id?: string };
  return rest;
}
