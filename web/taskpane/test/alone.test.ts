// A pane without a server: what is sent to each provider, what its streams become however they are cut, and what is never done.
import { describe, expect, it } from "vitest";

import type { Segment } from "../../shared/src/session-client.ts";
import { lookedUp, OwnConversation, ownSession, type OwnModel, type ProviderName } from "../src/alone/session.ts";
import { READING, TOOLS } from "../src/tools.ts";

const KEY = "sk-very-secret-0123456789";
const model = (provider: ProviderName): OwnModel => ({ provider, model: `model-of-${provider}`, key: KEY });
const event = (value: unknown, name?: string) => `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(value)}\n\n`;

/** What each says that first speaks and calls, and then ends. */
const CALLS: Readonly<Record<ProviderName, string>> = {
  anthropic: [
    event({ type: "message_start", message: { id: "m" } }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    event({ type: "ping" }),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I look äöü " } }),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "now." } }),
    event({ type: "content_block_stop", index: 0 }),
    event({ type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "c1", name: "read_document", input: {} } }),
    event({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"from":' } }),
    event({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '"P3"}' } }),
    event({ type: "content_block_stop", index: 1 }),
    event({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} }),
    event({ type: "message_stop" }),
  ].join(""),
  openai: [
    event({ type: "response.created", response: {} }),
    event({ type: "response.output_text.delta", delta: "I look äöü " }),
    event({ type: "response.output_text.delta", delta: "now." }),
    event({ type: "response.output_item.done", item: { type: "reasoning", summary: [] } }),
    event({ type: "response.output_item.done", item: { type: "message", content: [{ type: "output_text", text: "I look äöü now." }] } }),
    event({ type: "response.output_item.done", item: { type: "function_call", id: "f", call_id: "c1", name: "read_document", arguments: '{"from":"P3"}' } }),
    event({ type: "response.completed", response: {} }),
  ].join(""),
  gemini: [
    event({ candidates: [{ content: { role: "model", parts: [{ text: "I think", thought: true }] } }] }),
    event({ candidates: [{ content: { role: "model", parts: [{ text: "I look äöü " }] } }] }),
    event({ candidates: [{ content: { role: "model", parts: [{ text: "now." }, { functionCall: { id: "c1", name: "read_document", args: { from: "P3" } }, thoughtSignature: "sig" }] }, finishReason: "STOP" }] }),
  ].join(""),
};

const ENDS: Readonly<Record<ProviderName, string>> = {
  anthropic: event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Done." } }) + event({ type: "content_block_stop", index: 0 }) + event({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
  openai: event({ type: "response.output_text.delta", delta: "Done." }) + event({ type: "response.output_item.done", item: { type: "message", content: [{ type: "output_text", text: "Done." }] } }) + event({ type: "response.completed", response: {} }),
  gemini: event({ candidates: [{ content: { parts: [{ text: "Done." }] }, finishReason: "STOP" }] }),
};

const PROVIDERS = Object.keys(CALLS) as ProviderName[];

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
}

type Told = string | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } | Error;

/** Gives answers one after the other, in pieces of `size` bytes. */
function provider(told: readonly Told[], size = Number.POSITIVE_INFINITY): { fetch: typeof fetch; asked: Asked[] } {
  const asked: Asked[] = [];
  const rest = [...told];
  return {
    asked,
    fetch: async (url, init) => {
      const { headers, body, signal } = init as RequestInit & { headers: Record<string, string>; body: string };
      asked.push({ url: String(url), headers, body: JSON.parse(body) as Record<string, unknown> });
      const next = rest.shift();
      if (next === undefined) throw new Error("no more answers");
      if (next instanceof Error) throw next;
      if (typeof next !== "string") return new Response(next.body ?? "", { status: next.status, headers: next.headers ?? {} });
      const bytes = new TextEncoder().encode(next);
      let at = 0;
      const stream = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (signal?.aborted) return controller.error(signal.reason);
          if (at >= bytes.length) return controller.close();
          const piece = bytes.slice(at, at + Math.min(size, bytes.length));
          at += piece.length;
          return controller.enqueue(piece);
        },
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
  };
}

async function all(answer: AsyncGenerator<Segment>): Promise<Segment[]> {
  const segments: Segment[] = [];
  for await (const segment of answer) segments.push(segment);
  return segments;
}

const text = (segments: readonly Segment[]) => segments.map((segment) => (segment.kind === "text" ? segment.text : "")).join("");
const codes = (segments: readonly Segment[]) => segments.flatMap((segment) => (segment.kind === "error" ? [segment.error.code] : []));

describe("a model with the person's own key", () => {
  it.each(PROVIDERS)("%s is asked, calls a tool, is told the result, and ends", async (name) => {
    for (const size of [1, 7, 64, Number.POSITIVE_INFINITY]) {
      const { fetch, asked } = provider([CALLS[name], ENDS[name]], size);
      const conversation = new OwnConversation();
      const session = ownSession(model(name), conversation, fetch, 1);
      const first = await all(session.send("What is in it?", { tools: TOOLS, system: "You help." }));
      expect(text(first)).toBe("I look äöü now.");
      expect(first.filter(({ kind }) => kind === "tool_call")).toMatchObject([{ id: "c1", name: "read_document", arguments: '{"from":"P3"}' }]);
      expect(first.at(-1)).toMatchObject({ kind: "done", reason: "tool_calls" });
      const last = await all(session.streamToolResult([{ id: "c1", name: "read_document", content: "[P3] Words." }]));
      expect([text(last), last.at(-1)?.kind]).toEqual(["Done.", "done"]);
      // Everything said before goes along, what the provider signed too; the key is a header and nothing else.
      const sent = JSON.stringify(asked[1]?.body);
      for (const said of ["What is in it?", "I look äöü now.".slice(0, 8), "read_document", "[P3] Words.", "You help."]) expect(sent).toContain(said);
      if (name === "gemini") expect(sent).toContain('"thoughtSignature":"sig"');
      for (const { url, headers, body } of asked) {
        expect(url + JSON.stringify(body)).not.toContain(KEY);
        expect(Object.values(headers).join()).toContain(KEY);
        expect(url).toMatch(/^https:\/\/(api\.anthropic\.com|api\.openai\.com|generativelanguage\.googleapis\.com)\//);
      }
      // A conversation can be gone on with.
      expect(conversation.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    }
  });

  it.each(PROVIDERS)("%s: a call that was never carried out is answered before the next question", async (name) => {
    const { fetch, asked } = provider([CALLS[name], ENDS[name]]);
    const session = ownSession(model(name), new OwnConversation(), fetch, 1);
    await all(session.send("One.", { tools: TOOLS }));
    const next = await all(session.send("Two.", { tools: TOOLS }));
    expect(next.at(-1)?.kind).toBe("done");
    expect(JSON.stringify(asked[1]?.body)).toContain("the person stopped before this was done");
  });

  it.each(PROVIDERS)("%s: what is wrong for a moment is asked again, what is wrong is not", async (name) => {
    for (const [told, tries, code] of [
      [[{ status: 500 }, { status: 529 }, ENDS[name]], 3, undefined],
      [[{ status: 429, headers: { "retry-after": "0.01" } }, ENDS[name]], 2, undefined],
      [[new TypeError("Failed to fetch"), ENDS[name]], 2, undefined],
      [[{ status: 400, body: JSON.stringify({ error: { message: `bad ${KEY}` } }) }], 1, "MODEL_ERROR"],
      [[{ status: 401, body: "{}" }], 1, "UNAUTHORIZED"],
      [[{ status: 404, body: "<html>" }], 1, "MODEL_UNKNOWN"],
      [Array(9).fill({ status: 503 }), 4, "MODEL_ERROR"],
      // An answer that breaks off behind its first words is no answer, and is not asked again behind the person's back.
      [[CALLS[name].slice(0, CALLS[name].indexOf("now.")), ENDS[name]], 1, "CONNECTION_LOST"],
    ] as const) {
      const { fetch, asked } = provider(told as readonly Told[]);
      const segments = await all(ownSession(model(name), new OwnConversation(), fetch, 1).send("Hm?"));
      expect([asked.length, codes(segments)[0]], JSON.stringify(told).slice(0, 120)).toEqual([tries, code]);
      expect(JSON.stringify(segments.map((segment) => (segment.kind === "error" ? segment.error.message : "")))).not.toContain(KEY);
    }
  });

  it.each(PROVIDERS)("%s: stops when the person stops", async (name) => {
    const stop = new AbortController();
    const { fetch } = provider([CALLS[name]], 20);
    const segments: Segment[] = [];
    for await (const segment of ownSession(model(name), new OwnConversation(), fetch, 1).send("Hm?", { signal: stop.signal })) {
      segments.push(segment);
      stop.abort();
    }
    expect(codes(segments)).toEqual(["ABORTED"]);
    expect(segments.some(({ kind }) => kind === "tool_call")).toBe(false);
  });

  it("tells of errors in the stream, and of nonsense", async () => {
    const streams: readonly (readonly [ProviderName, string])[] = [
      ["anthropic", event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })],
      ["openai", event({ type: "response.failed", response: { error: { code: "server_error", message: "Overloaded" } } })],
      ["gemini", event({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } })],
    ];
    for (const [name, stream] of streams) {
      const segments = await all(ownSession(model(name), new OwnConversation(), provider([stream]).fetch, 1).send("Hm?"));
      expect(codes(segments), name).toEqual(["MODEL_ERROR"]);
    }
    for (const name of PROVIDERS) {
      for (const nonsense of ["", "data: {\n\n", "data: null\n\n", "<html>", event([1]), event({ candidates: null, type: 7 })]) {
        const segments = await all(ownSession(model(name), new OwnConversation(), provider(Array(4).fill(nonsense) as string[]).fetch, 1).send("Hm?"));
        expect(segments.at(-1)?.kind, `${name} ${nonsense}`).toBe("error");
      }
    }
  });

  it("cuts and refusals are told as such", async () => {
    const streams: readonly (readonly [ProviderName, string, string])[] = [
      ["anthropic", event({ type: "message_delta", delta: { stop_reason: "max_tokens" } }), "length"],
      ["anthropic", event({ type: "message_delta", delta: { stop_reason: "refusal" } }), "content_filter"],
      ["openai", event({ type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } }), "length"],
      ["gemini", event({ candidates: [{ content: { parts: [] }, finishReason: "SAFETY" }] }), "content_filter"],
      ["gemini", event({ promptFeedback: { blockReason: "SAFETY" } }), "content_filter"],
    ];
    for (const [name, stream, reason] of streams) {
      const segments = await all(ownSession(model(name), new OwnConversation(), provider([stream]).fetch, 1).send("Hm?"));
      expect(segments.at(-1), name).toMatchObject({ kind: "done", reason });
    }
  });
});

describe("research with one's own key", () => {
  const FOUND: Readonly<Record<ProviderName, string>> = {
    anthropic: [
      event({ type: "content_block_start", index: 0, content_block: { type: "server_tool_use", id: "s", name: "web_search", input: {} } }),
      event({ type: "content_block_stop", index: 0 }),
      event({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }),
      event({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Two years." } }),
      event({ type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: { type: "web_search_result_location", url: "https://law.example/a", title: "The act" } } }),
      event({ type: "content_block_stop", index: 1 }),
      event({ type: "content_block_start", index: 2, content_block: { type: "text", text: " Or three." } }),
      event({ type: "content_block_delta", index: 2, delta: { type: "citations_delta", citation: { url: "javascript:alert(1)", title: "x" } } }),
      event({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
    ].join(""),
    openai: [
      event({ type: "response.output_text.delta", delta: "Two years. Or three." }),
      event({ type: "response.output_item.done", item: { type: "message", content: [{ type: "output_text", text: "Two years. Or three.", annotations: [{ type: "url_citation", url: "https://law.example/a", title: "The act" }, { type: "url_citation", url: "https://law.example/a", title: "again" }] }] } }),
      event({ type: "response.completed", response: {} }),
    ].join(""),
    gemini: [
      event({ candidates: [{ content: { parts: [{ text: "Two years." }] } }] }),
      event({ candidates: [{ content: { parts: [{ text: " Or three." }] }, finishReason: "STOP", groundingMetadata: { groundingChunks: [{ web: { uri: "https://law.example/a", title: "The act" } }, { web: { uri: "file:///etc/passwd" } }] } }] }),
    ].join(""),
  };

  it.each(PROVIDERS)("%s: all parts of the answer, and its sources once", async (name) => {
    const { fetch, asked } = provider([FOUND[name]]);
    const found = await lookedUp(model(name), "Search.", "How long?", undefined, fetch);
    expect(found).toEqual({ answer: "Two years. Or three.", sources: [{ url: "https://law.example/a", title: "The act" }] });
    expect(JSON.stringify(asked[0]?.body)).toMatch(/web_search|google_search/);
    // No tool of the document goes along.
    for (const { name: tool } of TOOLS) expect(JSON.stringify(asked[0]?.body)).not.toContain(tool === "research" ? '"research"' : tool);
  });

  it("is not on offer to checks, which read the document alone", () => {
    expect(READING.map(({ name }) => name)).toEqual(["read_document", "navigate_to_section"]);
  });
});
