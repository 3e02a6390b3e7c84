// What the pane holds: the document, the engine, who works here, and which server answers.
//
// Must never put the key anywhere but in memory, nor mix what belongs to two documents.
import { computed, signal } from "@preact/signals";
import { createSessionClient, SessionError } from "../../../shared/src/session-client.ts";
import { ServerClient } from "../../../shared/src/server-client.ts";
import { uuid } from "../../../shared/src/uuid.ts";
import { WordDocument, type OfficeApi, type WordApi } from "../ladder/word.ts";
import { Toolbox } from "../tools.ts";
import { OwnConversation, ownSession, type OwnModel, type PaneSession } from "../alone/session.ts";
import type { Look } from "../research.ts";
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

/** Whether this page is a folder of files with no engross behind it; then a model is asked with the person's own key. */
export const isAlone = document.querySelector('meta[name="engross-server"]')?.getAttribute("content") === "none";
/** The person's own model; in memory only. */
export const own = signal<OwnModel | undefined>(undefined);
const conversations = new Map<string, OwnConversation>();

/** What people call the paragraphs of the last reading, by their numbers. */
export const names = signal<ReadonlyMap<number, string>>(new Map());
/** What the person wants of every answer. */
export const instructions = signal("");
/** A further model of the server. */
export const furtherModel = signal("");
export const furtherModels = signal<readonly string[]>([]);
/** How a request names the model that the person has brought to the server. */
export const BROUGHT = "own";
/** Whether the brought model was chosen before, and is not there any more. */
export const broughtIsGone = signal(false);

export const baseUrl = `${location.origin}/v1`;

export const server = computed(() => new ServerClient(token.value === undefined ? { baseUrl } : { baseUrl, token: token.value }));

let office: OfficeApi | undefined;

export function openPane(api: OfficeApi, word: WordApi, look: Look): Pane {
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
  return { word: document, tools: new Toolbox(document, new PageEngine(), look, (read) => (names.value = read)), document: name };
}

/** Begins another conversation about the same document. */
export function beginAnew({ document }: Pane): void {
  conversationKey.value = `word-${document}-${uuid().slice(0, 8)}`;
  const settings = office?.context.document.settings;
  settings?.set(CONVERSATION, conversationKey.value);
  settings?.saveAsync();
}

export function client(sessionId: string): PaneSession {
  if (isAlone) {
    if (!own.value) throw new SessionError("UNAUTHORIZED", "no key was given");
    const conversation = conversations.get(sessionId) ?? new OwnConversation();
    conversations.set(sessionId, conversation);
    return ownSession(own.value, conversation);
  }
  const model = furtherModel.value === "" ? {} : { model: furtherModel.value };
  return createSessionClient({ baseUrl, sessionId, ...model, ...(token.value === undefined ? {} : { token: token.value }) });
}

/** Any thrown value as an error with a code; one that asks for the key opens the gate. */
export function failureOf(thrown: unknown): SessionError {
  const code = (thrown as { code?: unknown }).code;
  const error = thrown instanceof SessionError ? thrown : new SessionError(typeof code === "string" ? code : "INTERNAL", thrown instanceof Error ? thrown.message : String(thrown));
  if (error.code === "UNAUTHORIZED") gate.value = (isAlone ? own.value : token.value) === undefined ? "asks" : "refused";
  return error;
}

/** Asks the server who answers; opens the gate where it wants a key. */
export async function greet(): Promise<SessionError | undefined> {
  if (isAlone) {
    gate.value = own.value ? "open" : "asks";
    modelName.value = own.value?.model;
    return undefined;
  }
  try {
    const { data } = await server.value.models();
    modelName.value = data[0]?.engross?.model ?? data[0]?.id;
    // Other names of the usual one are no further models.
    furtherModels.value = data.filter(({ id }) => id.startsWith("engross/")).map(({ id }) => id.slice("engross/".length));
    if (!furtherModels.value.includes(furtherModel.value)) {
      if (furtherModel.value === BROUGHT) broughtIsGone.value = true;
      furtherModel.value = "";
    }
    gate.value = "open";
    return undefined;
  } catch (thrown) {
    return failureOf(thrown);
  }
}
