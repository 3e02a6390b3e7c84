// The Responses API of OpenAI; nothing is stored there.
import { SessionError } from "../../../shared/src/errors.ts";
import type { Content, Reason } from "../../../shared/src/answer.ts";
import { addSource, parsed, type AnswerStream, type Dialect, type OwnMessage, type Source } from "./dialect.ts";

interface OutputItem {
  readonly type?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly type?: string; readonly text?: string; readonly annotations?: readonly { readonly type?: string; readonly url?: unknown; readonly title?: unknown }[] }[];
}

function wire(message: OwnMessage): readonly unknown[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant":
      return message.raw;
    case "tool":
      return message.results.map(({ id, content }) => ({ type: "function_call_output", call_id: id, output: content }));
  }
}

export const openai: Dialect = {
  request: ({ model, key }, { system, messages, tools, search }) => ({
    url: "https://api.openai.com/v1/responses",
    headers: { authorization: `Bearer ${key}` },
    body: {
      model,
      stream: true,
      store: false,
      instructions: system,
      input: messages.flatMap(wire),
      tools: search
        ? [{ type: "web_search" }]
        : tools.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters: parameters ?? { type: "object", properties: {} }, strict: false })),
    },
  }),
  stream: () => new OpenAiStream(),
};

class OpenAiStream implements AnswerStream {
  readonly raw: unknown[] = [];
  readonly sources: Source[] = [];
  #reason: Reason | undefined;
  #hasCalls = false;

  take(event: Parameters<AnswerStream["take"]>[0]): Content[] {
    const value = parsed(event) as {
      type?: string;
      delta?: string;
      item?: OutputItem;
      message?: string;
      response?: { incomplete_details?: { reason?: string }; error?: { message?: string } };
    };
    switch (value.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return value.delta ? [{ kind: "text", text: value.delta }] : [];
      case "response.output_item.done":
        return this.#item(value.item ?? {});
      case "response.completed":
        this.#reason = this.#hasCalls ? "tool_calls" : "stop";
        return [];
      case "response.incomplete":
        this.#reason = value.response?.incomplete_details?.reason === "content_filter" ? "content_filter" : "length";
        return [];
      case "response.failed":
      case "error":
        return [{ kind: "error", error: new SessionError("MODEL_ERROR", value.response?.error?.message ?? value.message ?? "the provider told of an error") }];
      default:
        return [];
    }
  }

  #item({ type, call_id: call = "", name = "", arguments: given = "{}", content = [] }: OutputItem): Content[] {
    if (type === "message") {
      const text = content.map((part) => part.text ?? "").join("");
      for (const { annotations = [] } of content) for (const { url, title } of annotations) addSource(this.sources, url, title);
      if (text !== "") this.raw.push({ role: "assistant", content: text });
      return [];
    }
    if (type !== "function_call") return [];
    this.#hasCalls = true;
    this.raw.push({ type, call_id: call, name, arguments: given });
    return [{ kind: "tool_call", id: call, name, arguments: given }];
  }

  finish(): Content[] {
    return this.#reason === undefined ? [] : [{ kind: "done", reason: this.#reason }];
  }
}
