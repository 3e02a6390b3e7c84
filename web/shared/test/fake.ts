// A server in the place of `fetch`: answers that are written down, and the requests that it got.
import type { Place, Segment } from "../src/session-client.ts";

/** A response; a stream is told in pieces and may break. */
export type Reply = (signal: AbortSignal) => Response;

export interface RecordedRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: { messages: unknown[]; tools?: unknown[] } & Record<string, unknown>;
}

/** Gives the responses one after the other. */
export function fake(...told: Reply[]): { fetch: typeof fetch; asked: RecordedRequest[] } {
  const asked: RecordedRequest[] = [];
  return {
    asked,
    fetch: async (url, init) => {
      const { headers, body, signal } = init as RequestInit & { headers: Record<string, string>; body: string; signal: AbortSignal };
      asked.push({ url: String(url), headers, body: JSON.parse(body) as RecordedRequest["body"] });
      const next = told[asked.length - 1];
      if (!next) throw new Error("no more answers");
      return next(signal);
    },
  };
}

/** Marks where a stream breaks, or stays open without a word. */
export const BREAK = Symbol("break");
export const SILENCE = Symbol("silence");

/** A stream of these events in `turn`. */
export function stream(turn: number, ...pieces: (string | typeof BREAK | typeof SILENCE)[]): Reply {
  return (signal) => {
    const rest = [...pieces];
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
      pull: async (controller) => {
        const piece = rest.shift();
        if (piece === SILENCE) return new Promise<void>(() => {});
        if (piece === BREAK) controller.error(new TypeError("terminated"));
        else if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
        return undefined;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", "x-engross-turn": `${turn}` } });
  };
}

/** A chunk of a chat completion. */
export function chunk(turn: number, id: string, delta: object, finish: string | null = null, warnings?: object[]): string {
  const value = { engross: { turn, ...(warnings ? { warnings } : {}) }, choices: [{ index: 0, delta, finish_reason: finish }] };
  return `id: ${id}\ndata: ${JSON.stringify(value)}\n\n`;
}

export const role = (turn: number, id: string) => chunk(turn, id, { role: "assistant" });
export const text = (turn: number, id: string, content: string) => chunk(turn, id, { content });
export const callStart = (turn: number, id: string, index: number, call: string, name: string) =>
  chunk(turn, id, { tool_calls: [{ index, id: call, type: "function", function: { name, arguments: "" } }] });
export const callArguments = (turn: number, id: string, index: number, json: string) =>
  chunk(turn, id, { tool_calls: [{ index, function: { arguments: json } }] });
export const finish = (turn: number, id: string, reason: string, warnings?: object[]) => `${chunk(turn, id, {}, reason, warnings)}data: [DONE]\n\n`;

/** An error before anything of the answer. */
export function refused(status: number, error: unknown, headers: Record<string, string> = {}): Reply {
  return () => new Response(JSON.stringify({ error }), { status, headers });
}

/** All segments, errors by their code. */
export async function all(segments: AsyncIterable<Segment>): Promise<unknown[]> {
  const told: unknown[] = [];
  for await (const segment of segments) told.push(plain(segment));
  return told;
}

export function plain(segment: Segment): unknown {
  return segment.kind === "error" ? { ...segment, error: segment.error.code } : segment;
}

/** Pieces of one text as one, since a cut may part them. */
export function joined(segments: unknown[]): unknown[] {
  const told: Partial<Place & { kind: string; text: string }>[] = [];
  for (const segment of segments as typeof told) {
    const last = told.at(-1);
    const goesOn = segment.kind === "text" && last?.kind === "text" && last.turn === segment.turn && last.segment === segment.segment;
    if (goesOn) last.text = `${last.text}${segment.text}`;
    else told.push({ ...segment });
  }
  return told;
}
