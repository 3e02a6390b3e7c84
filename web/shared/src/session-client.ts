// A conversation with engross over many requests: one session, whose tools run here.
//
// Must never send a request to another session than its own, repeat a message as a new one, or let an older turn speak into a
// newer one.
import { AnswerReader, Numbering } from "./answer.ts";
import type { Content, Segment } from "./answer.ts";
import { refusal, SessionError } from "./errors.ts";
import { uuid } from "./uuid.ts";
import { EventStreamParser } from "./event-stream.ts";
import type { ServerEvent } from "./event-stream.ts";

export type { Content, Place, Reason, Segment } from "./answer.ts";
export { SessionError } from "./errors.ts";
export type { ClientCode, Particulars } from "./errors.ts";

export interface SessionClientOptions {
  /** Where the server is, with `/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly token?: string;
  /** The session; without one, that of this module, which lives as long as the page. */
  readonly sessionId?: string;
  /** The workspace whose documents the model may read and edit. */
  readonly workspace?: string;
  /** A further model of the server, by its name. */
  readonly model?: string;
  /** Whether a turn goes on when nobody listens, as when a page is left. */
  readonly background?: boolean;
  readonly fetch?: typeof fetch;
  /** How often a broken connection is taken up again without anything new coming; 5. */
  readonly tries?: number;
  /** Milliseconds before the first of these tries; doubles each time, up to 8 seconds; 250. */
  readonly backoff?: number;
  /** Milliseconds of silence after which a connection counts as broken; 45,000. The server sends something each 15 seconds. */
  readonly silence?: number;
}

/** A tool that is carried out here. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Whether it changes nothing, so that the same call may be made again. */
  readonly readOnly?: boolean;
}

/** What a call came to. The call is named by its id, or, if it is the only one of its tool, by the tool's name. */
export type ToolResult = ({ readonly id: string; readonly name?: string } | { readonly id?: never; readonly name: string }) & {
  readonly content: string;
  /** Whether the tool failed. */
  readonly isError?: boolean;
};

export interface SendOptions {
  /** The tools on offer. Without, those of the last request stay; `[]` takes them away. */
  readonly tools?: readonly Tool[];
  /** Instructions for this request. */
  readonly system?: string;
  /** What was said before, of another session: a new one begins with it. */
  readonly history?: readonly HistoryMessage[];
  readonly signal?: AbortSignal;
}

/** A message as a session of the server tells it. */
export interface HistoryMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly is_error?: boolean;
}

export interface SessionClient {
  readonly sessionId: string;
  /**
   * Says something. The answer comes as segments in order, the last one `done` or `error`; nothing is sent before the first is
   * asked for. Does not throw. Ends without either when a newer turn has begun meanwhile. Leaving the loop gives the
   * answer up.
   */
  send(text: string, options?: SendOptions): AsyncGenerator<Segment, void, undefined>;
  /** Gives the results of calls, and goes on with the turn. Answers as {@link SessionClient.send} does. */
  streamToolResult(
    results: ToolResult | readonly ToolResult[],
    options?: Pick<SendOptions, "signal">,
  ): AsyncGenerator<Segment, void, undefined>;
  /** Listens to the newest answer of the session from its beginning, running or over, as after a page was loaded anew. */
  listen(options?: Pick<SendOptions, "signal">): AsyncGenerator<Segment, void, undefined>;
}

const LONGEST_BACKOFF = 8_000;

let sessionOfThisModule: string | undefined;

/** A client of one session. */
export function createSessionClient(options: SessionClientOptions): SessionClient {
  const sessionId = options.sessionId ?? (sessionOfThisModule ??= uuid());
  const numbering = new Numbering();
  const settings = { ...options, sessionId };
  const ask = (messages: unknown[], more: Record<string, unknown>, signal: AbortSignal | undefined) => {
    const body = JSON.stringify({ model: "engross", stream: true, messages, ...more });
    return answer(settings, numbering, { method: "POST", path: "/chat/completions", body }, signal);
  };
  return {
    sessionId,
    send(text, { tools, system, history = [], signal } = {}) {
      const instructions = system === undefined ? [] : [{ role: "system", content: system }];
      return ask([...instructions, ...history, { role: "user", content: text }], tools ? { tools: tools.map(wireTool) } : {}, signal);
    },
    streamToolResult(results, { signal } = {}) {
      return ask([results].flat().map(wireResult), {}, signal);
    },
    listen({ signal } = {}) {
      return answer(settings, numbering, { method: "GET", path: `/sessions/${encodeURIComponent(sessionId)}/events` }, signal);
    },
  };
}

function wireTool({ name, description, parameters, readOnly }: Tool): unknown {
  return {
    type: "function",
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      parameters: parameters ?? { type: "object", properties: {} },
      ...(readOnly ? { "x-read-only": true } : {}),
    },
  };
}

function wireResult({ id, name, content, isError }: ToolResult): unknown {
  return {
    role: "tool",
    // The server binds by name what it does not know by id.
    tool_call_id: id ?? "by_name",
    ...(name === undefined ? {} : { name }),
    content,
    ...(isError ? { is_error: true } : {}),
  };
}

type Settings = SessionClientOptions & { readonly sessionId: string };

/** What an answer is asked for with. */
interface Question {
  readonly method: "POST" | "GET";
  readonly path: string;
  readonly body?: string;
}

/** One answer, over as many connections as it takes. */
async function* answer(
  settings: Settings,
  numbering: Numbering,
  question: Question,
  signal: AbortSignal | undefined,
): AsyncGenerator<Segment, void, undefined> {
  const { tries = 5, backoff = 250, silence = 45_000 } = settings;
  const reader = new AnswerReader();
  const idempotencyKey = uuid();
  const end = (error: SessionError) => numbering.place({ kind: "error", error });
  let lastEventId: string | undefined;
  for (let failures = 0; ; failures += 1) {
    if (signal?.aborted) return yield end(givenUp());
    const connection = new Connection(signal, silence);
    let failure: SessionError;
    try {
      const response = await open(settings, question, { idempotencyKey, lastEventId }, connection);
      reader.belongsTo(Number(response.headers.get("x-engross-turn") ?? numbering.turn));
      for await (const event of connection.events(response)) {
        const contents = reader.take(event);
        if (event.id !== undefined && event.id !== lastEventId) {
          lastEventId = event.id;
          failures = 0;
        }
        if (!numbering.admits(reader.turn)) return;
        for (const content of contents) {
          // While the last segment was looked at, a newer turn may have begun, or the caller may have given up.
          if (!numbering.admits(reader.turn)) return;
          if (signal?.aborted) throw givenUp();
          yield numbering.place(content);
          if (isEnd(content)) return;
        }
      }
      failure = lost("it ended before the answer did");
    } catch (error) {
      if (signal?.aborted) return yield end(givenUp());
      failure = error instanceof SessionError ? error : lost(error instanceof Error ? error.message : String(error));
    } finally {
      connection.close();
    }
    if (failures >= tries || !mayBeRepeated(failure)) return yield end(failure);
    const wait = Math.max(Math.min(backoff * 2 ** failures, LONGEST_BACKOFF), (failure.particulars.retryAfter ?? 0) * 1000);
    await pause(wait, signal);
  }
}

function isEnd({ kind }: Content): boolean {
  return kind === "done" || kind === "error";
}

function givenUp(): SessionError {
  return new SessionError("ABORTED", "the request was given up");
}

function lost(reason: string): SessionError {
  return new SessionError("CONNECTION_LOST", `the connection was lost (${reason}); send the message again once the server can be reached`);
}

/** Whether a request may go through when it is sent once more. What the model's provider said stays said under one key. */
function mayBeRepeated({ code, particulars: { status } }: SessionError): boolean {
  if (status === undefined) return code === "CONNECTION_LOST";
  // A status without a code is that of a proxy before a server which is away for a moment.
  return code === "BAD_RESPONSE" ? [502, 503, 504].includes(status) : [429, 503].includes(status) && !code.startsWith("MODEL_");
}

async function open(
  { baseUrl, token, sessionId, workspace, model, background, fetch: send = globalThis.fetch.bind(globalThis) }: Settings,
  { method, path, body }: Question,
  { idempotencyKey, lastEventId }: { idempotencyKey: string; lastEventId: string | undefined },
  connection: Connection,
): Promise<Response> {
  const headers: Record<string, string> = { accept: "text/event-stream", "x-engross-events": "1" };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    headers["x-engross-session-key"] = asHeader(sessionId);
    headers["idempotency-key"] = idempotencyKey;
    if (workspace !== undefined) headers["x-engross-workspace"] = workspace;
    if (model !== undefined) headers["x-engross-model"] = model;
    if (background) headers["x-engross-background"] = "1";
  }
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  if (lastEventId !== undefined) headers["last-event-id"] = lastEventId;
  const url = `${baseUrl.replace(/\/+$/, "")}${path}`;
  const init = { method, headers, signal: connection.signal, ...(body === undefined ? {} : { body }) };
  const response = await connection.alive(send(url, init));
  if (!response.ok) throw await connection.alive(refusal(response));
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    throw new SessionError("BAD_RESPONSE", `${url} does not answer with a stream; is the address that of engross?`, { status: response.status });
  }
  return response;
}

/** A text as the value of a header: the server reads UTF-8, and `fetch` takes a character for a byte. */
function asHeader(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** One connection, which breaks when it is silent for too long. */
class Connection {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #silence: number;
  readonly #abort = () => this.#controller.abort(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined, silence: number) {
    this.#outer = outer;
    this.#silence = silence;
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    this.#outer?.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }

  /** Waits for something, but not longer than silence may last. */
  async alive<T>(promise: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop = () => {};
    const broken = new Promise<never>((_, reject) => {
      stop = () => reject(new Error("aborted"));
      if (this.signal.aborted) stop();
      this.signal.addEventListener("abort", stop);
      timer = setTimeout(() => reject(new Error(`nothing came for ${this.#silence} ms`)), this.#silence);
    });
    try {
      return await Promise.race([promise, broken]);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", stop);
    }
  }

  async *events(response: Response): AsyncGenerator<ServerEvent, void, undefined> {
    const reader = response.body?.getReader();
    const parser = new EventStreamParser();
    while (reader) {
      const { done, value } = await this.alive(reader.read());
      if (done) return;
      yield* parser.push(value);
    }
  }
}

/** Waits, unless the caller gives up. */
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
