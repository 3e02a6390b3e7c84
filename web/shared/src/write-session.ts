// A file that is streamed to engross in pieces: begun, sent, gone on with after a lost connection, ended.
//
// Must never call a file written that has no receipt, or send bytes to another place than the one they have in the content.
import { errorOf, refusal, SessionError } from "./errors.ts";
import { EventStreamParser } from "./event-stream.ts";

export { SessionError } from "./errors.ts";

export interface WriteOptions {
  /** Where the server is, with `/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** How often a broken connection is taken up again without anything new coming through; 5. */
  readonly tries?: number;
  /** Milliseconds before the first of these tries; doubles each time, up to 8 seconds; 250. */
  readonly backoff?: number;
}

/** What begins a file; further options are those of docs/protocol/write-sessions.md. */
export interface Begin {
  readonly target_file: string;
  readonly operation: "create" | "overwrite" | "append" | "patch";
  readonly [option: string]: unknown;
}

/** The proof that a file is written. */
export interface Receipt {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  readonly sha256: string;
  readonly previous_sha256: string | null;
  /** The checkpoint of the file that it took the place of. */
  readonly checkpoint?: string;
  /** What a patch has changed, as `diff -u` has it. */
  readonly diff?: string;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** How a file stands. */
export interface Standing {
  readonly state: string;
  /** Bytes of all that was sent which are durable. */
  readonly offset: number;
  /** What is wrong, where the session goes on all the same. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly receipt: Receipt | null;
  /** What the sender is asked: to go on, or to mend the content. */
  readonly prompt: { readonly kind: string; readonly text: string } | null;
}

/** Something that happened to the file. */
export interface Happened {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WriteSession {
  readonly id: string;
  /** The line that ends the content. */
  readonly endMarker: string;
  /** How the content is to be sent, for a model. */
  readonly instruction: string;
  /** Bytes that were sent and are durable. */
  readonly offset: number;
  /** Sends the next piece; resolves when it is durable. After a lost connection it is gone on with where the server stands. */
  send(piece: string | Uint8Array, signal?: AbortSignal): Promise<Standing>;
  /** Says that the model's answer is over, with the provider's word for why. */
  turnEnd(reason: string): Promise<Standing>;
  /** Says that the content is complete. May be repeated: the receipt is the same. */
  finalize(): Promise<Standing>;
  /** Gives up; nothing is left. */
  cancel(): Promise<Standing>;
  look(): Promise<Standing>;
  /** What happens to the file, behind an event's id or from the beginning, to the end of the session. */
  events(after?: string, signal?: AbortSignal): AsyncGenerator<Happened, void, undefined>;
}

const LONGEST_BACKOFF = 8_000;

/** Begins a file. */
export async function beginWrite(options: WriteOptions, begin: Begin): Promise<WriteSession> {
  const wire = new Wire(options);
  const begun = await wire.ask("POST", "", JSON.stringify(begin));
  return new Session(wire, String(begun["session_id"]), begun);
}

/** Goes on with a file that was begun elsewhere, or before a page was left. */
export async function resumeWrite(options: WriteOptions, id: string): Promise<WriteSession> {
  const wire = new Wire(options);
  return new Session(wire, id, await wire.again(() => wire.ask("GET", `/${id}`)));
}

class Session implements WriteSession {
  readonly id: string;
  readonly endMarker: string;
  readonly instruction: string;
  readonly #wire: Wire;
  #offset: number;
  /** Pieces go one after the other, however they are sent. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(wire: Wire, id: string, begun: Answer) {
    this.#wire = wire;
    this.id = id;
    this.endMarker = String(begun["end_marker"] ?? "");
    this.instruction = String(begun["instruction"] ?? "");
    this.#offset = Number(begun["offset"] ?? 0);
  }

  get offset(): number {
    return this.#offset;
  }

  send(piece: string | Uint8Array, signal?: AbortSignal): Promise<Standing> {
    const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
    return this.#queue(() => this.#send(bytes, signal));
  }

  turnEnd(reason: string): Promise<Standing> {
    return this.#queue(() => this.#do("POST", "/turn-end", { finish_reason: reason, offset: this.#offset }));
  }

  finalize(): Promise<Standing> {
    return this.#queue(() => this.#wire.again(() => this.#do("POST", "/finalize", { offset: this.#offset })));
  }

  cancel(): Promise<Standing> {
    return this.#wire.again(() => this.#do("DELETE", ""));
  }

  look(): Promise<Standing> {
    return this.#wire.again(() => this.#do("GET", ""));
  }

  async *events(after?: string, signal?: AbortSignal): AsyncGenerator<Happened, void, undefined> {
    let last = after;
    for (let failures = 0; ; failures += 1) {
      try {
        for await (const event of this.#wire.events(`/${this.id}/events`, last, signal)) {
          if (event.id !== undefined) last = event.id;
          failures = 0;
          yield event;
        }
        // The server ends the stream when there is nothing more to tell.
        return;
      } catch (error) {
        const failure = asFailure(error);
        if (signal?.aborted || !this.#wire.mayTry(failure, failures)) throw failure;
        await this.#wire.pause(failures);
      }
    }
  }

  async #send(bytes: Uint8Array, signal: AbortSignal | undefined): Promise<Standing> {
    const start = this.#offset;
    for (let failures = 0; ; failures += 1) {
      const rest = bytes.subarray(this.#offset - start);
      try {
        return this.#take(await this.#wire.ask("PATCH", `/${this.id}?offset=${this.#offset}`, rest, signal));
      } catch (error) {
        const failure = asFailure(error);
        if (signal?.aborted || !this.#wire.mayTry(failure, failures)) throw failure;
        await this.#wire.pause(failures);
      }
      // Only the server knows how much of it came.
      const stands = await this.look();
      const came = this.#offset - start;
      if (came < 0 || came > bytes.length) {
        throw new SessionError("BAD_RESPONSE", `the server stands at ${stands.offset}, where this session has never been`);
      }
      if (came === bytes.length && stands.state !== "paused") return stands;
    }
  }

  async #do(method: string, path: string, body?: object): Promise<Standing> {
    return this.#take(await this.#wire.ask(method, `/${this.id}${path}`, body && JSON.stringify(body)));
  }

  #take(answer: Answer): Standing {
    const { state, offset, error, receipt, prompt } = answer as unknown as Standing;
    this.#offset = offset;
    return { state, offset, error: error ?? null, receipt: receipt ?? null, prompt: prompt ?? null };
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

type Answer = Readonly<Record<string, unknown>>;

/** Requests to the server. */
class Wire {
  readonly #options: WriteOptions;
  readonly #base: string;

  constructor(options: WriteOptions) {
    this.#options = options;
    this.#base = `${options.baseUrl.replace(/\/+$/, "")}/write-sessions`;
  }

  async ask(method: string, path: string, body?: string | Uint8Array, signal?: AbortSignal): Promise<Answer> {
    const response = await this.#fetch(method, path, body, {}, signal);
    const answer: unknown = await response.json();
    if (typeof answer !== "object" || answer === null) throw errorOf(answer) ?? badResponse(this.#base);
    return answer as Answer;
  }

  /** Repeats what may be repeated while the connection is lost. */
  async again<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await work();
      } catch (error) {
        const failure = asFailure(error);
        if (!this.mayTry(failure, failures)) throw failure;
        await this.pause(failures);
      }
    }
  }

  async *events(path: string, last: string | undefined, signal: AbortSignal | undefined): AsyncGenerator<Happened, void, undefined> {
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (last !== undefined) headers["last-event-id"] = last;
    const response = await this.#fetch("GET", path, undefined, headers, signal);
    const reader = response.body?.getReader();
    const parser = new EventStreamParser();
    try {
      while (reader) {
        const { done, value } = await reader.read();
        if (done) return;
        for (const { id, event, data } of parser.push(value)) {
          const parsed = JSON.parse(data) as Happened["data"];
          yield { id, type: typeof parsed["type"] === "string" ? parsed["type"] : event, data: parsed };
        }
      }
    } finally {
      await reader?.cancel().catch(() => undefined);
    }
  }

  mayTry({ code, particulars: { status } }: SessionError, failures: number): boolean {
    const passes = status === undefined ? code === "CONNECTION_LOST" : [502, 503, 504].includes(status);
    return passes && failures < (this.#options.tries ?? 5);
  }

  pause(failures: number): Promise<void> {
    const wait = Math.min((this.#options.backoff ?? 250) * 2 ** failures, LONGEST_BACKOFF);
    return new Promise((resolve) => setTimeout(resolve, wait));
  }

  async #fetch(
    method: string,
    path: string,
    body: string | Uint8Array | undefined,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { token, fetch: send = globalThis.fetch.bind(globalThis) } = this.#options;
    const all = { ...headers };
    if (token !== undefined) all["authorization"] = `Bearer ${token}`;
    if (body !== undefined) all["content-type"] = typeof body === "string" ? "application/json" : "application/octet-stream";
    const init = { method, headers: all, ...(body === undefined ? {} : { body: body as BodyInit }), ...(signal ? { signal } : {}) };
    const response = await send(`${this.#base}${path}`, init);
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

function asFailure(error: unknown): SessionError {
  if (error instanceof SessionError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SessionError("CONNECTION_LOST", `the connection was lost (${reason}); go on once the server can be reached`);
}

function badResponse(url: string): SessionError {
  return new SessionError("BAD_RESPONSE", `${url} does not answer with JSON; is the address that of engross?`);
}
