// The Messages API of Anthropic.
import { SessionError } from "../../../shared/src/errors.ts";
import type { Content, Reason } from "../../../shared/src/answer.ts";
import { addSource, parsed, type AnswerStream, type Dialect, type OwnMessage, type Source } from "./dialect.ts";

interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  json?: string;
}

const REASONS: Readonly<Record<string, Reason>> = { end_turn: "stop", stop_sequence: "stop", pause_turn: "stop", tool_use: "tool_calls", max_tokens: "length", refusal: "content_filter" };

function wire(message: OwnMessage): unknown {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.text };
    case "assistant":
      return { role: "assistant", content: message.raw };
    case "tool":
      return { role: "user", content: message.results.map(({ id, content, isError }) => ({ type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) })) };
  }
}

export const anthropic: Dialect = {
  request: ({ model, key }, { system, messages, tools, search }) => ({
    url: "https://api.anthropic.com/v1/messages",
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "anthropic-dangerous-direct-browser-access": "true" },
    body: {
      model,
      max_tokens: 8_192,
      stream: true,
      system,
      messages: messages.map(wire),
      ...(search
        ? { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }] }
        : tools.length > 0
          ? { tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters ?? { type: "object", properties: {} } })) }
          : {}),
    },
  }),
  stream: () => new AnthropicStream(),
};

class AnthropicStream implements AnswerStream {
  readonly #blocks: Block[] = [];
  readonly sources: Source[] = [];
  #reason: Reason | undefined;

  take(event: Parameters<AnswerStream["take"]>[0]): Content[] {
    const value = parsed(event) as {
      type?: string;
      index?: number;
      content_block?: Block & { content?: unknown };
      delta?: { type?: string; text?: string; partial_json?: string; stop_reason?: string | null; citation?: { url?: unknown; title?: unknown } };
      error?: { type?: string; message?: string };
    };
    const block = this.#blocks[value.index ?? -1];
    switch (value.type) {
      case "content_block_start": {
        const { type = "", text = "", id = "", name = "" } = value.content_block ?? {};
        this.#blocks[value.index ?? 0] = { type, text, id, name, json: "" };
        return text === "" ? [] : [{ kind: "text", text }];
      }
      case "content_block_delta": {
        const { type, text = "", partial_json: json = "", citation } = value.delta ?? {};
        if (!block) return [];
        if (type === "text_delta") {
          block.text += text;
          return text === "" ? [] : [{ kind: "text", text }];
        }
        if (type === "input_json_delta") block.json += json;
        if (citation) addSource(this.sources, citation.url, citation.title);
        return [];
      }
      case "content_block_stop":
        return block?.type === "tool_use" ? [{ kind: "tool_call", id: block.id ?? "", name: block.name ?? "", arguments: block.json || "{}" }] : [];
      case "message_delta":
        if (value.delta?.stop_reason) this.#reason = REASONS[value.delta.stop_reason] ?? "stop";
        return [];
      case "error":
        return [{ kind: "error", error: new SessionError("MODEL_ERROR", value.error?.message ?? "the provider told of an error") }];
      default:
        return [];
    }
  }

  finish(): Content[] {
    return this.#reason === undefined ? [] : [{ kind: "done", reason: this.#reason }];
  }

  get raw(): readonly unknown[] {
    return this.#blocks.flatMap(({ type, text, id, name, json }): unknown[] => {
      if (type === "text") return text === "" ? [] : [{ type, text }];
      return type === "tool_use" ? [{ type, id, name, input: object(json) }] : [];
    });
  }
}

function object(json: string | undefined): unknown {
  try {
    const value = JSON.parse(json || "{}") as unknown;
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
