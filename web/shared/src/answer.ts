// From the events of one answer to segments in order.
//
// Must never give a call before its arguments are whole, an event twice, or an end that the server did not tell of.
import { errorOf, SessionError } from "./errors.ts";
import type { ServerEvent } from "./event-stream.ts";

/** Where a segment stands. */
export interface Place {
  /** The turn, counted from 1 in its session; 0 before the server has named one. */
  readonly turn: number;
  /**
   * The segment, counted from 0 in its turn and on through all of its requests. Pieces of one text share it, each call has
   * one of its own. Status, warning and end stand at the segment that is open, and open none.
   */
  readonly segment: number;
}

/** Why a whole answer ended. `tool_calls`: results are awaited. */
export type Reason = "stop" | "tool_calls" | "length" | "content_filter";

/** How far a tool of the server is. */
export interface ToolStep {
  readonly id: string;
  readonly name: string;
  readonly state: "started" | "running" | "done" | "failed";
}

/** What a segment holds. */
export type Content =
  /** More of a text. */
  | { readonly kind: "text"; readonly text: string }
  /** A tool to carry out. `arguments` is JSON text, unless the model erred. */
  | { readonly kind: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string }
  /** What the server is doing for a call of its own tools, for people. */
  | { readonly kind: "status"; readonly message: string; readonly tool?: ToolStep }
  /** Something to know, with a stable code. */
  | { readonly kind: "warning"; readonly code: string; readonly message: string }
  /** The answer is whole. Nothing follows. */
  | { readonly kind: "done"; readonly reason: Reason }
  /** The answer failed; what came before is only a part. Nothing follows. */
  | { readonly kind: "error"; readonly error: SessionError };

export type Segment = Place & Content;

/** Counts the segments of the newest turn, for all answers of a client. */
export class Numbering {
  turn = 0;
  #next = 0;
  #textIsOpen = false;

  /** Whether `turn` is not older than the newest. A newer one begins to count anew. */
  admits(turn: number): boolean {
    if (turn > this.turn) {
      this.turn = turn;
      this.#next = 0;
      this.#textIsOpen = false;
    }
    return turn === this.turn;
  }

  place(content: Content): Segment {
    const { turn } = this;
    if (content.kind === "text") {
      if (!this.#textIsOpen) this.#next += 1;
      this.#textIsOpen = true;
    } else if (content.kind === "tool_call") {
      this.#next += 1;
      this.#textIsOpen = false;
    } else if (content.kind === "done" || content.kind === "error") {
      this.#textIsOpen = false;
    }
    return { turn, segment: Math.max(this.#next - 1, 0), ...content };
  }
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

interface Chunk {
  error?: unknown;
  engross?: { turn?: number; warnings?: { code: string; message: string }[] };
  choices?: { delta?: Delta; finish_reason?: Reason | null }[];
}

interface Status {
  turn?: number;
  type?: string;
  code?: string;
  message?: string;
  tool?: ToolStep;
}

interface Delta {
  role?: string;
  content?: string | null;
  tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[];
}

/** Reads one answer, over as many connections as it takes. */
export class AnswerReader {
  readonly #heard = new Set<string>();
  readonly #warned = new Set<string>();
  readonly #called = new Set<string>();
  #call: (Call & { index: number }) | undefined;
  #turn = 0;
  #text = "";
  /** How much of the text is being told again. */
  #again = 0;

  /** The turn that the answer belongs to; 0 before it is known. */
  get turn(): number {
    return this.#turn;
  }

  /** Says which turn the answer belongs to. Events of older ones are dropped from here on. */
  belongsTo(turn: number): void {
    this.#turn = Math.max(this.#turn, turn);
  }

  /** What an event adds. */
  take(event: ServerEvent): Content[] {
    if (event.data === "[DONE]") return [failed("BAD_RESPONSE", "the stream ended without the end of its answer")];
    let chunk: Chunk & Status;
    try {
      chunk = JSON.parse(event.data) as typeof chunk;
    } catch {
      return [failed("BAD_RESPONSE", "an event of the stream is not JSON")];
    }
    const turn = chunk.engross?.turn ?? chunk.turn ?? this.#turn;
    if (turn < this.#turn) return [];
    this.belongsTo(turn);
    return event.event === "engross.status" ? this.#status(chunk) : [...this.#chunk(chunk, event.id)];
  }

  #status({ type, code = "", message = "", tool }: Status): Content[] {
    // Nobody has asked for the content of files.
    if (type === "content") return [];
    if (type === "warning") return [...this.#warnings([{ code, message }])];
    return [tool ? { kind: "status", message, tool } : { kind: "status", message }];
  }

  *#warnings(warnings: { code: string; message: string }[]): Generator<Content> {
    for (const { code, message } of warnings) {
      const said = `${code} ${message}`;
      if (!this.#warned.has(said)) yield { kind: "warning", code, message };
      this.#warned.add(said);
    }
  }

  *#chunk(chunk: Chunk, id: string | undefined): Generator<Content> {
    if (chunk.error !== undefined) {
      yield* this.#warnings(chunk.engross?.warnings ?? []);
      yield { kind: "error", error: errorOf(chunk.error) ?? new SessionError("BAD_RESPONSE", "the server told of an error without a code") };
      return;
    }
    const [choice] = chunk.choices ?? [];
    if (!choice) return;
    const beginsAnew = choice.delta?.role !== undefined && this.#heard.size > 0;
    if (beginsAnew) {
      this.#heard.clear();
      this.#call = undefined;
      this.#again = this.#text.length;
    }
    if (id !== undefined) {
      if (this.#heard.has(id)) return;
      this.#heard.add(id);
    }
    if (choice.delta?.content) yield* this.#more(choice.delta.content);
    for (const piece of choice.delta?.tool_calls ?? []) yield* this.#piece(piece);
    if (choice.finish_reason) {
      yield* this.#whole();
      yield* this.#warnings(chunk.engross?.warnings ?? []);
      yield { kind: "done", reason: choice.finish_reason };
    }
  }

  *#more(text: string): Generator<Content> {
    yield* this.#whole();
    const known = this.#text.slice(this.#text.length - this.#again).slice(0, text.length);
    if (!text.startsWith(known)) {
      yield failed("ANSWER_CHANGED", "the server answers anew, and differently from what came before; send the message again");
      return;
    }
    this.#again -= known.length;
    const rest = text.slice(known.length);
    this.#text += rest;
    if (rest) yield { kind: "text", text: rest };
  }

  *#piece(piece: { index: number; id?: string; function?: { name?: string; arguments?: string } }): Generator<Content> {
    if (this.#call?.index !== piece.index) {
      yield* this.#whole();
      this.#call = { index: piece.index, id: "", name: "", arguments: "" };
    }
    this.#call.id ||= piece.id ?? "";
    this.#call.name ||= piece.function?.name ?? "";
    this.#call.arguments += piece.function?.arguments ?? "";
  }

  /** The call that was being told, now that something else follows. */
  *#whole(): Generator<Content> {
    if (!this.#call) return;
    const { index: _, ...call } = this.#call;
    this.#call = undefined;
    if (!this.#called.has(call.id)) yield { kind: "tool_call", ...call };
    this.#called.add(call.id);
  }
}

function failed(code: "BAD_RESPONSE" | "ANSWER_CHANGED", message: string): Content {
  return { kind: "error", error: new SessionError(code, message) };
}
