// What the pane holds: the document, the engine, who works here, and which server answers.
//
// Must never put the key anywhere but in memory, nor mix what belongs to two documents.
import { computed, signal } from "@preact/signals";
import { createSessionClient, SessionError } from "../../../shared/src/session-client.ts";
import { ServerClient } from "../../../shared/src/server-client.ts";
import { uuid } from "../../../shared/src/uuid.ts";
import { WordDocument, type OfficeApi, type WordApi } from "../ladder/word.ts";
import { Toolbox } from "../tools.ts";
import { PageEngine } from "./engine.ts";

/** Where a document keeps its own name, and its conversations theirs. */
const DOCUMENT = "engross.document";
const CONVERSATION = "engross.conversation";

export interface Pane {
  readonly word: WordDocument;
  readonly tools: Toolbox;
  /** Names this document, and no other. */
  readonly document: string;
}

export const token = signal<string | undefined>(undefined);
export const person = signal("");
/** Whether markup may go in where Word on the web cannot undo it. */
export const mayLoseUndo = signal(false);
/** Whether the server asks for a key, and whether the one that was given was wrong. */
export const gate = signal<"open" | "asks" | "refused">("open");
export const modelName = signal<string | undefined>(undefined);
export const conversationKey = signal("");

const baseUrl = `${location.origin}/v1`;

export const server = computed(() => new ServerClient(token.value === undefined ? { baseUrl } : { baseUrl, token: token.value }));

let office: OfficeApi | undefined;

export function openPane(api: OfficeApi, word: WordApi): Pane {
  office = api;
  const { settings } = api.context.document;
  let name = settings.get(DOCUMENT) as string | null;
  if (typeof name !== "string" || !/^[0-9a-f-]{36}$/.test(name)) {
    name = uuid();
    settings.set(DOCUMENT, name);
    settings.saveAsync();
  }
  const known = settings.get(CONVERSATION) as unknown;
  conversationKey.value = typeof known === "string" && known.startsWith(`word-${name}`) ? known : `word-${name}`;
  const document = new WordDocument(api, word);
  return { word: document, tools: new Toolbox(document, new PageEngine()), document: name };
}

/** Begins another conversation about the same document. */
export function beginAnew({ document }: Pane): void {
  conversationKey.value = `word-${document}-${uuid().slice(0, 8)}`;
  const settings = office?.context.document.settings;
  settings?.set(CONVERSATION, conversationKey.value);
  settings?.saveAsync();
}

export function client(sessionId: string) {
  return createSessionClient({ baseUrl, sessionId, ...(token.value === undefined ? {} : { token: token.value }) });
}

/** Any thrown value as an error with a code; one that asks for the key opens the gate. */
export function failureOf(thrown: unknown): SessionError {
  const code = (thrown as { code?: unknown }).code;
  const error = thrown instanceof SessionError ? thrown : new SessionError(typeof code === "string" ? code : "INTERNAL", thrown instanceof Error ? thrown.message : String(thrown));
  if (error.code === "UNAUTHORIZED") gate.value = token.value === undefined ? "asks" : "refused";
  return error;
}

/** Asks the server who answers; opens the gate where it wants a key. */
export async function greet(): Promise<SessionError | undefined> {
  try {
    const { data } = await server.value.models();
    modelName.value = data[0]?.engross?.model ?? data[0]?.id;
    gate.value = "open";
    return undefined;
  } catch (thrown) {
    return failureOf(thrown);
  }
}
