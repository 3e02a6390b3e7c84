// The Gemini API of Google.
import { SessionError } from "../../../shared/src/errors.ts";
import type { Content, Reason } from "../../../shared/src/answer.ts";
import { uuid } from "../../../shared/src/uuid.ts";
import { addSource, parsed, type AnswerStream, type Dialect, type OwnMessage, type Source } from "./dialect.ts";

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: unknown };
}

interface Chunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly Part[] };
    readonly finishReason?: string;
    readonly groundingMetadata?: { readonly groundingChunks?: readonly { readonly web?: { readonly uri?: unknown; readonly title?: unknown } }[] };
  }[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly error?: { readonly message?: string };
}

const REASONS: Readonly<Record<string, Reason>> = { STOP: "stop", MAX_TOKENS: "length" };

function wire(message: OwnMessage): unknown {
  switch (message.role) {
    case "user":
      return { role: "user", parts: [{ text: message.text }] };
    case "assistant":
      return { role: "model", parts: message.raw };
    case "tool":
      return { role: "user", parts: message.results.map(({ name, content, isError }) => ({ functionResponse: { name, response: isError ? { error: content } : { result: content } } })) };
  }
}

export const gemini: Dialect = {
  request: ({ model, key }, { system, messages, tools, search }) => ({
    url: `https://generativelanguage.googleapis.com/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
    // Never in the address, which is logged.
    headers: { "x-goog-api-key": key },
    body: {
      systemInstruction: { parts: [{ text: system }] },
      contents: messages.map(wire),
      ...(search ? { tools: [{ google_search: {} }] } : tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(({ name, description, parameters }) => ({ name, description, parameters })) }] } : {}),
    },
  }),
  stream: () => new GeminiStream(),
};

class GeminiStream implements AnswerStream {
  readonly raw: unknown[] = [];
  readonly sources: Source[] = [];
  #reason: Reason | undefined;
  #hasCalls = false;

  take(event: Parameters<AnswerStream["take"]>[0]): Content[] {
    const { candidates = [], promptFeedback, error } = parsed(event) as Chunk;
    if (error) return [{ kind: "error", error: new SessionError("MODEL_ERROR", error.message ?? "the provider told of an error") }];
    if (promptFeedback?.blockReason) this.#reason = "content_filter";
    const said: Content[] = [];
    for (const { content, finishReason, groundingMetadata } of candidates.slice(0, 1)) {
      for (const part of content?.parts ?? []) {
        // With what it signed its thoughts with, which it wants back.
        this.raw.push(part);
        if (part.text && !part.thought) said.push({ kind: "text", text: part.text });
        if (part.functionCall) {
          this.#hasCalls = true;
          said.push({ kind: "tool_call", id: part.functionCall.id ?? uuid(), name: part.functionCall.name ?? "", arguments: JSON.stringify(part.functionCall.args ?? {}) });
        }
      }
      for (const { web } of groundingMetadata?.groundingChunks ?? []) addSource(this.sources, web?.uri, web?.title);
      if (finishReason) this.#reason = REASONS[finishReason] ?? "content_filter";
    }
    return said;
  }

  finish(): Content[] {
    if (this.#reason === undefined) return [];
    return [{ kind: "done", reason: this.#hasCalls && this.#reason === "stop" ? "tool_calls" : this.#reason }];
  }
}
