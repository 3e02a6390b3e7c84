// What a provider of models is to a pane without a server: a request to make, and a stream to read.
//
// Must never hold a key longer than a request, or know a page.
import type { Content } from "../../../shared/src/answer.ts";
import type { ServerEvent } from "../../../shared/src/event-stream.ts";
import type { Source } from "../research.ts";
import type { Tool, ToolResult } from "../../../shared/src/session-client.ts";

export type ProviderName = "anthropic" | "openai" | "gemini";

/** A model of a provider, and the person's key for it. */
export interface OwnModel {
  readonly provider: ProviderName;
  readonly model: string;
  readonly key: string;
}

/** A message of a conversation; what the model said is kept as its provider wants it back. */
export type OwnMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly raw: readonly unknown[]; readonly calls: readonly { readonly id: string; readonly name: string }[] }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

export type { Source };

export interface Question {
  readonly system: string;
  readonly messages: readonly OwnMessage[];
  readonly tools: readonly Tool[];
  /** Whether the provider is to search the web for it. */
  readonly search?: boolean;
}

export interface ProviderRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Reads one answer. */
export interface AnswerStream {
  take(event: ServerEvent): Content[];
  /** What the end of the stream adds: an end, if the answer had one. */
  finish(): Content[];
  /** The answer as its provider wants it back. */
  readonly raw: readonly unknown[];
  readonly sources: readonly Source[];
}

export interface Dialect {
  request(model: OwnModel, question: Question): ProviderRequest;
  stream(): AnswerStream;
}

export function parsed(event: ServerEvent): Record<string, unknown> {
  try {
    const value = JSON.parse(event.data) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Adds a source once, if it is a page of the web. */
export function addSource(sources: Source[], url: unknown, title: unknown): void {
  if (typeof url !== "string" || !/^https?:\/\//i.test(url) || url.length > 2_000) return;
  if (sources.length < 40 && !sources.some((known) => known.url === url)) sources.push({ url, title: typeof title === "string" && title !== "" ? title.slice(0, 300) : url });
}
