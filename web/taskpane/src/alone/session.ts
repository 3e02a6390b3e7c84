// A conversation with a provider's model, from this page, with the person's own key: what a session of the server is otherwise.
//
// Must never show or keep the key, ask anybody but the provider, or repeat a request of which something has come.
import { Numbering, type Content, type Segment } from "../../../shared/src/answer.ts";
import { SessionError } from "../../../shared/src/errors.ts";
import { EventStreamParser } from "../../../shared/src/event-stream.ts";
import type { SessionClient } from "../../../shared/src/session-client.ts";
import { anthropic } from "./anthropic.ts";
import type { Dialect, OwnMessage, OwnModel, ProviderName, Question, Source } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { openai } from "./openai.ts";

export type { OwnModel, ProviderName } from "./dialect.ts";

/** The part of a session's client that the pane uses. */
export type PaneSession = Pick<SessionClient, "send" | "streamToolResult">;

export const DIALECTS: Readonly<Record<ProviderName, Dialect>> = { anthropic, openai, gemini };

const TRIES = 4;
const LONGEST_WAIT = 30_000;

/** Characters of tool results that go along; older ones are left out, and can be had again. */
const MOST_RESULTS = 400_000;

/** What was said so far; lives as long as the page. */
export class OwnConversation {
  messages: OwnMessage[] = [];
  readonly numbering = new Numbering();
  turn = 0;
  system = "";
  tools: Question["tools"] = [];
}

export function ownSession(model: OwnModel, conversation: OwnConversation, fetch = globalThis.fetch.bind(globalThis), backoff = 1_000): PaneSession {
  const answer = async function* (signal: AbortSignal | undefined): AsyncGenerator<Segment, void, undefined> {
    const { numbering } = conversation;
    numbering.admits(conversation.turn);
    const question = { system: conversation.system, tools: conversation.tools, messages: bounded(conversation.messages) };
    for await (const content of asked(model, question, { signal, fetch, backoff, done: (raw, calls) => conversation.messages.push({ role: "assistant", raw, calls }) })) yield numbering.place(content);
  };
  return {
    send(text, { tools, system, signal } = {}) {
      mend(conversation);
      conversation.turn += 1;
      if (tools) conversation.tools = tools;
      conversation.system = system ?? "";
      conversation.messages.push({ role: "user", text });
      return answer(signal);
    },
    streamToolResult(results, { signal } = {}) {
      conversation.messages.push({ role: "tool", results: [results].flat() });
      return answer(signal);
    },
  };
}

/** Answers calls that were never carried out: no provider takes a conversation in which some are open. */
function mend({ messages }: OwnConversation): void {
  const last = messages.at(-1);
  if (last?.role === "assistant" && last.calls.length > 0) {
    messages.push({ role: "tool", results: last.calls.map(({ id, name }) => ({ id, name, content: "the person stopped before this was done", isError: true })) });
  }
}

function bounded(messages: readonly OwnMessage[]): OwnMessage[] {
  let left = MOST_RESULTS;
  return [...messages]
    .reverse()
    .map((message): OwnMessage => {
      if (message.role !== "tool") return message;
      const results = message.results.map((result) => {
        left -= result.content.length;
        return left >= 0 ? result : { ...result, content: "left out to save room; call the tool again if it is needed" };
      });
      return { role: "tool", results };
    })
    .reverse();
}

interface Way {
  readonly signal: AbortSignal | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly backoff: number;
  readonly done?: (raw: readonly unknown[], calls: readonly { id: string; name: string }[]) => void;
  readonly sources?: (found: readonly Source[]) => void;
}

/** One answer. Does not throw: what went wrong is its last content. */
async function* asked(model: OwnModel, question: Question, way: Way): AsyncGenerator<Content, void, undefined> {
  const { signal, backoff } = way;
  for (let failures = 0; ; failures += 1) {
    let hasCome = false;
    try {
      for await (const content of once(model, question, way)) {
        hasCome = true;
        yield content;
        if (content.kind === "done" || content.kind === "error") return;
      }
      throw new SessionError("CONNECTION_LOST", "the answer broke off; ask again");
    } catch (thrown) {
      if (signal?.aborted) return yield { kind: "error", error: new SessionError("ABORTED", "the request was given up") };
      const error = thrown instanceof SessionError ? thrown : new SessionError("CONNECTION_LOST", thrown instanceof Error ? thrown.message : String(thrown));
      if (hasCome || failures + 1 >= TRIES || !mayBeRepeated(error)) return yield { kind: "error", error: without(error, model.key) };
      const wait = Math.min(error.particulars.retryAfter === undefined ? backoff * 2 ** failures : error.particulars.retryAfter * 1_000, LONGEST_WAIT);
      await pause(wait, signal);
    }
  }
}

/** Too much at once, and what is wrong over there for a moment. Everything else stays wrong. */
function mayBeRepeated({ code, particulars: { status } }: SessionError): boolean {
  return status === undefined ? code === "CONNECTION_LOST" : status === 429 || status >= 500;
}

function without({ code, message, particulars }: SessionError, key: string): SessionError {
  return new SessionError(code, message.replaceAll(key, "…"), particulars);
}

async function* once(model: OwnModel, question: Question, { signal, fetch, done, sources }: Way): AsyncGenerator<Content, void, undefined> {
  const dialect = DIALECTS[model.provider];
  const { url, headers, body } = dialect.request(model, question);
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body), credentials: "omit", referrerPolicy: "no-referrer", ...(signal ? { signal } : {}) } as const;
  const response = await fetch(url, init);
  if (!response.ok) throw await refused(response);
  const stream = dialect.stream();
  const parser = new EventStreamParser();
  const reader = response.body?.getReader();
  const calls: { id: string; name: string }[] = [];
  const note = (contents: Content[]) => {
    for (const content of contents) if (content.kind === "tool_call") calls.push({ id: content.id, name: content.name });
    return contents;
  };
  while (reader) {
    const { done: isOver, value } = await reader.read();
    if (isOver) break;
    for (const event of parser.push(value)) {
      for (const content of note(stream.take(event))) {
        if (signal?.aborted) throw new SessionError("ABORTED", "the request was given up");
        yield content;
      }
    }
  }
  const end = stream.finish();
  if (end.length > 0) {
    done?.(stream.raw, calls);
    sources?.(stream.sources);
  }
  yield* end;
}

async function refused(response: Response): Promise<SessionError> {
  const text = (await response.text().catch(() => "")).slice(0, 20_000);
  let said: string | undefined;
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    if (typeof error?.message === "string") said = error.message;
  } catch {
    said = undefined;
  }
  const { status } = response;
  const retryAfter = Number.parseFloat(response.headers.get("retry-after") ?? "");
  const code = status === 401 || status === 403 ? "UNAUTHORIZED" : status === 429 ? "MODEL_RATE_LIMITED" : status === 404 ? "MODEL_UNKNOWN" : "MODEL_ERROR";
  return new SessionError(code, `the provider answered ${status}${said === undefined ? "" : `: ${said.slice(0, 400)}`}`, { status, ...(Number.isFinite(retryAfter) ? { retryAfter } : {}) });
}

/** Has the provider look something up; all of the answer, and what it rests on. */
export async function lookedUp(model: OwnModel, system: string, question: string, signal: AbortSignal | undefined, fetch = globalThis.fetch.bind(globalThis)): Promise<{ answer: string; sources: readonly Source[] }> {
  let answer = "";
  let found: readonly Source[] = [];
  const way = { signal, fetch, backoff: 1_000, sources: (sources: readonly Source[]) => (found = sources) };
  for await (const content of asked(model, { system, tools: [], messages: [{ role: "user", text: question }], search: true }, way)) {
    if (content.kind === "text") answer += content.text;
    if (content.kind === "error") throw content.error;
    if (content.kind === "done" && content.reason !== "stop") throw new SessionError("ANSWER_CUT", "the search was broken off before its answer was whole; ask for less at a time");
  }
  return { answer, sources: found };
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}
