import { describe, expect, test } from "vitest";
import { createSessionClient, SessionError } from "../src/session-client.ts";
import type { SessionClient, SessionClientOptions } from "../src/session-client.ts";
import { all, BREAK, callArguments, callStart, chunk, fake, finish, joined, plain, refused, role, SILENCE, stream, text } from "./fake.ts";
import type { RecordedRequest, Reply } from "./fake.ts";

const KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function client(told: Reply[], options: Partial<SessionClientOptions> = {}): { client: SessionClient; asked: RecordedRequest[] } {
  const { fetch, asked } = fake(...told);
  return { asked, client: createSessionClient({ baseUrl: "http://engross/v1/", sessionId: "s-1", backoff: 1, fetch, ...options }) };
}

const hello = stream(1, role(1, "2-0"), text(1, "2-3", "Hel"), text(1, "2-5", "lo"), finish(1, "2-6", "stop"));

describe("requests", () => {
  test("name their session, and are whole", async () => {
    const { client: session, asked } = client([hello, hello], { token: "secret" });
    const tools = [{ name: "read_document", description: "Reads.", readOnly: true }, { name: "write", parameters: { type: "object" } }];
    await all(session.send("Hi", { tools, system: "Be brief." }));
    await all(session.streamToolResult([{ id: "call_7", name: "read_document", content: "text" }, { name: "write", content: "no", isError: true }]));
    expect(asked[0]).toEqual({
      url: "http://engross/v1/chat/completions",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        authorization: "Bearer secret",
        "x-engross-session-key": "s-1",
        "x-engross-events": "1",
        "idempotency-key": expect.stringMatching(KEY) as string,
      },
      body: {
        model: "engross",
        stream: true,
        messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Hi" }],
        tools: [
          {
            type: "function",
            function: { name: "read_document", description: "Reads.", parameters: { type: "object", properties: {} }, "x-read-only": true },
          },
          { type: "function", function: { name: "write", parameters: { type: "object" } } },
        ],
      },
    });
    expect(asked[1]?.body).toEqual({
      model: "engross",
      stream: true,
      messages: [
        { role: "tool", tool_call_id: "call_7", name: "read_document", content: "text" },
        { role: "tool", tool_call_id: "by_name", name: "write", content: "no", is_error: true },
      ],
    });
    expect(asked[0]?.headers["idempotency-key"]).not.toBe(asked[1]?.headers["idempotency-key"]);
  });

  test("share the session of the module unless they are given one", () => {
    const [one, other] = [createSessionClient({ baseUrl: "http://a/v1" }), createSessionClient({ baseUrl: "http://b/v1" })];
    expect(one.sessionId).toMatch(KEY);
    expect(other.sessionId).toBe(one.sessionId);
    expect(createSessionClient({ baseUrl: "http://a/v1", sessionId: "mine" }).sessionId).toBe("mine");
  });

  test("are sent when the first segment is asked for", async () => {
    const { client: session, asked } = client([hello]);
    const segments = session.send("Hi");
    expect(asked).toEqual([]);
    await segments.next();
    expect(asked).toHaveLength(1);
  });
});

describe("segments", () => {
  test("are in order, and numbered through the requests of a turn", async () => {
    const { client: session } = client([
      stream(
        1,
        role(1, "2-0"),
        text(1, "2-3", "I "),
        'event: engross.status\ndata: {"turn":1,"type":"status","message":"Thinking …"}\n\n',
        'event: engross.status\ndata: {"turn":1,"type":"status","message":"Reading …","tool":{"id":"c1","name":"read","state":"done"}}\n\n',
        'event: engross.status\ndata: {"turn":1,"type":"warning","code":"W","message":"Careful."}\n\n',
        text(1, "2-7", "read."),
        callStart(1, "2-7+", 0, "call_1", "read"),
        callArguments(1, "2-9", 0, '{"a"'),
        callArguments(1, "2-9b", 0, ":1}"),
        callStart(1, "2-9+", 1, "call_2", "look"),
        callArguments(1, "2-11", 1, "{}"),
        finish(1, "2-12", "tool_calls", [{ code: "W", message: "Careful." }, { code: "V", message: "Too." }]),
      ),
      stream(1, role(1, "5-0"), ": hb\n\n", text(1, "5-5", "Done."), finish(1, "5-6", "stop")),
      stream(2, role(2, "8-0"), text(2, "8-2", "Next"), finish(2, "8-3", "length")),
    ]);
    expect(await all(session.send("Hi"))).toEqual([
      { turn: 1, segment: 0, kind: "text", text: "I " },
      { turn: 1, segment: 0, kind: "status", message: "Thinking …" },
      { turn: 1, segment: 0, kind: "status", message: "Reading …", tool: { id: "c1", name: "read", state: "done" } },
      { turn: 1, segment: 0, kind: "warning", code: "W", message: "Careful." },
      { turn: 1, segment: 0, kind: "text", text: "read." },
      { turn: 1, segment: 1, kind: "tool_call", id: "call_1", name: "read", arguments: '{"a":1}' },
      { turn: 1, segment: 2, kind: "tool_call", id: "call_2", name: "look", arguments: "{}" },
      { turn: 1, segment: 2, kind: "warning", code: "V", message: "Too." },
      { turn: 1, segment: 2, kind: "done", reason: "tool_calls" },
    ]);
    expect(await all(session.streamToolResult({ id: "call_1", content: "" }))).toEqual([
      { turn: 1, segment: 3, kind: "text", text: "Done." },
      { turn: 1, segment: 3, kind: "done", reason: "stop" },
    ]);
    expect(await all(session.send("More"))).toEqual([
      { turn: 2, segment: 0, kind: "text", text: "Next" },
      { turn: 2, segment: 0, kind: "done", reason: "length" },
    ]);
  });

  test("of an older turn are dropped once a newer one has begun", async () => {
    const { client: session } = client([
      stream(1, role(1, "2-0"), text(1, "2-3", "old"), text(1, "2-9", " and late"), finish(1, "2-10", "stop")),
      stream(2, role(2, "4-0"), text(2, "4-3", "new"), finish(2, "4-4", "stop")),
    ]);
    const old = session.send("One");
    expect((await old.next()).value).toEqual({ turn: 1, segment: 0, kind: "text", text: "old" });
    expect(await all(session.send("Two"))).toEqual([
      { turn: 2, segment: 0, kind: "text", text: "new" },
      { turn: 2, segment: 0, kind: "done", reason: "stop" },
    ]);
    expect(await all(old)).toEqual([]);
  });

  test("of an older turn are dropped when they come in the newer one's stream", async () => {
    const late = stream(2, role(2, "4-0"), text(2, "4-3", "new"), text(1, "2-9", "late"), text(2, "4-5", "er"), finish(2, "4-6", "stop"));
    const { client: session } = client([late]);
    expect(await all(session.send("Two"))).toEqual([
      { turn: 2, segment: 0, kind: "text", text: "new" },
      { turn: 2, segment: 0, kind: "text", text: "er" },
      { turn: 2, segment: 0, kind: "done", reason: "stop" },
    ]);
  });
});

const said = { turn: 1, segment: 0, kind: "text", text: "Hello" };
const whole = [said, { turn: 1, segment: 0, kind: "done", reason: "stop" }];

describe("a broken connection", () => {
  test("is taken up behind the last event, wherever it breaks", async () => {
    const events = [
      role(1, "2-0"),
      text(1, "2-3", "Hel"),
      text(1, "2-5", "lo"),
      callStart(1, "2-5+", 0, "c", "read"),
      callArguments(1, "2-7", 0, "{}"),
      chunk(1, "2-8", {}, "tool_calls"),
    ];
    const ids = [undefined, "2-0", "2-3", "2-5", "2-5+", "2-7"];
    for (let cut = 0; cut < events.length; cut += 1) {
      for (const how of [[BREAK], ["id: 2-99\ndata: {half", BREAK], []] as const) {
        const { client: session, asked } = client([stream(1, ...events.slice(0, cut), ...how), stream(1, ...events.slice(cut))]);
        expect(joined(await all(session.send("Hi"))), `cut at ${cut}`).toEqual([
          said,
          { turn: 1, segment: 1, kind: "tool_call", id: "c", name: "read", arguments: "{}" },
          { turn: 1, segment: 1, kind: "done", reason: "tool_calls" },
        ]);
        expect(asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, ids[cut]]);
        expect(asked[1]?.headers["idempotency-key"]).toBe(asked[0]?.headers["idempotency-key"]);
        expect(asked[1]?.body).toEqual(asked[0]?.body);
      }
    }
  });

  test("is taken up when the answer is told again from its beginning, in other pieces", async () => {
    const calls = [callStart(1, "2-5+", 0, "c", "read"), callArguments(1, "2-7", 0, "{}"), callStart(1, "2-7+", 1, "d", "read")];
    const first = [role(1, "2-0"), text(1, "2-3", "Hel"), text(1, "2-5", "lo"), ...calls, BREAK] as const;
    const again = [role(1, "2-0"), text(1, "2-1", "H"), text(1, "2-5", "ello"), ...calls, callArguments(1, "2-9", 1, "[]"), finish(1, "2-10", "tool_calls")];
    const { client: session } = client([stream(1, ...first), stream(1, ...again)]);
    expect(joined(await all(session.send("Hi")))).toEqual([
      said,
      { turn: 1, segment: 1, kind: "tool_call", id: "c", name: "read", arguments: "{}" },
      { turn: 1, segment: 2, kind: "tool_call", id: "d", name: "read", arguments: "[]" },
      { turn: 1, segment: 2, kind: "done", reason: "tool_calls" },
    ]);
    const longer = [role(1, "2-0"), text(1, "2-11", "Hello, you"), text(1, "2-12", "!"), finish(1, "2-13", "stop")];
    const { client: other } = client([stream(1, role(1, "2-0"), text(1, "2-5", "Hello"), BREAK), stream(1, ...longer)]);
    expect(joined(await all(other.send("Hi")))).toMatchObject([{ text: "Hello, you!" }, { kind: "done" }]);
  });

  test("tells when the answer begins anew and is another", async () => {
    const other = stream(1, role(1, "2-0"), text(1, "2-4", "Good day"), finish(1, "2-5", "stop"));
    const { client: session } = client([stream(1, role(1, "2-0"), text(1, "2-3", "Hel"), BREAK), other]);
    expect(await all(session.send("Hi"))).toEqual([
      { turn: 1, segment: 0, kind: "text", text: "Hel" },
      { turn: 1, segment: 0, kind: "error", error: "ANSWER_CHANGED" },
    ]);
  });

  test("that repeats an event says it once", async () => {
    const { client: session } = client([
      stream(1, role(1, "2-0"), text(1, "2-3", "Hel"), BREAK),
      stream(1, text(1, "2-3", "Hel"), text(1, "2-5", "lo"), finish(1, "2-6", "stop")),
    ]);
    expect(joined(await all(session.send("Hi")))).toEqual(whole);
  });

  test("is tried so often, and counts anew when something came", async () => {
    const away: Reply = () => {
      throw new TypeError("fetch failed");
    };
    const gone = client([away, away, away, away], { tries: 2 });
    expect(await all(gone.client.send("Hi"))).toEqual([{ turn: 0, segment: 0, kind: "error", error: "CONNECTION_LOST" }]);
    expect(gone.asked).toHaveLength(3);

    const slow = [away, away, stream(1, role(1, "2-0"), BREAK), away, stream(1, text(1, "2-5", "Hello"), BREAK), away, stream(1, finish(1, "2-6", "stop"))];
    const back = client(slow, { tries: 2 });
    expect(await all(back.client.send("Hi"))).toEqual(whole);
    expect(back.asked).toHaveLength(7);
  });

  test("is one that is silent for too long", async () => {
    const { client: session } = client([stream(1, role(1, "2-0"), text(1, "2-3", "Hel"), SILENCE), stream(1, text(1, "2-5", "lo"), finish(1, "2-6", "stop"))], { silence: 30 });
    expect(joined(await all(session.send("Hi")))).toEqual(whole);
  });
});

describe("an error", () => {
  const error = { code: "MODEL_RATE_LIMITED", message: "Wait.", type: "rate_limit_error", details: { a: 1 } };
  const table: [name: string, told: Reply[], code: string, requests: number][] = [
    ["of the model's provider is not asked for again", [refused(429, error)], "MODEL_RATE_LIMITED", 1],
    ["in the stream ends it", [stream(1, role(1, "2-0"), `data: ${JSON.stringify({ error, engross: { turn: 1 } })}\n\ndata: [DONE]\n\n`)], "MODEL_RATE_LIMITED", 1],
    ["in the stream may lack a code", [stream(1, 'data: {"error":"no"}\n\n')], "BAD_RESPONSE", 1],
    ["of the request is not asked for again", [refused(409, { ...error, code: "CALL_NOT_OPEN" })], "CALL_NOT_OPEN", 1],
    ["of a busy server is", [refused(429, { ...error, code: "SESSION_BUSY" }), hello], "", 2],
    ["of a proxy is", [refused(502, "no JSON of ours"), hello], "", 2],
    ["of another server is not", [refused(404, "what?")], "BAD_RESPONSE", 1],
    ["is a page in place of a stream", [() => new Response("<html>")], "BAD_RESPONSE", 1],
    ["is an end that was not told", [stream(1, role(1, "2-0"), "data: [DONE]\n\n")], "BAD_RESPONSE", 1],
    ["is an event that is not JSON", [stream(1, "data: {\n\n")], "BAD_RESPONSE", 1],
  ];
  for (const [name, told, code, requests] of table) {
    test(name, async () => {
      const { client: session, asked } = client(told);
      const segments = await all(session.send("Hi"));
      expect((segments.at(-1) as { error?: string }).error ?? "").toBe(code);
      expect(asked).toHaveLength(requests);
    });
  }

  test("has its particulars", async () => {
    const { client: session } = client([refused(429, error, { "retry-after": "90", "x-request-id": "req_1" })]);
    const { value } = await session.send("Hi").next();
    if (value?.kind !== "error") throw new Error("no error");
    expect(value.error).toBeInstanceOf(SessionError);
    expect({ message: value.error.message, ...value.error.particulars }).toEqual({
      message: "Wait.", status: 429, retryAfter: 90, requestId: "req_1", details: { a: 1 },
    });
  });
});

describe("giving up", () => {
  const aborted = { turn: 0, segment: 0, kind: "error", error: "ABORTED" };

  test("before the request", async () => {
    const { client: session, asked } = client([hello]);
    expect(await all(session.send("Hi", { signal: AbortSignal.abort() }))).toEqual([aborted]);
    expect(asked).toEqual([]);
  });

  test("in the stream", async () => {
    const controller = new AbortController();
    const { client: session, asked } = client([stream(1, role(1, "2-0"), text(1, "2-5", "Hello"), SILENCE)]);
    const segments = session.send("Hi", { signal: controller.signal });
    expect(plain((await segments.next()).value!)).toEqual(said);
    setTimeout(() => controller.abort(), 5);
    expect(await all(segments)).toEqual([{ ...aborted, turn: 1 }]);
    expect(asked).toHaveLength(1);
  });

  test("between two tries", async () => {
    const controller = new AbortController();
    const { client: session, asked } = client([stream(1, BREAK), hello], { backoff: 10_000 });
    setTimeout(() => controller.abort(), 20);
    expect(await all(session.send("Hi", { signal: controller.signal }))).toEqual([aborted]);
    expect(asked).toHaveLength(1);
  });

  test("by leaving the loop closes the connection", async () => {
    let closed = false;
    const told: Reply = (signal) => {
      signal.addEventListener("abort", () => (closed = true));
      return stream(1, role(1, "2-0"), text(1, "2-5", "Hello"), SILENCE)(signal);
    };
    for await (const _ of client([told]).client.send("Hi")) break;
    expect(closed).toBe(true);
  });
});
