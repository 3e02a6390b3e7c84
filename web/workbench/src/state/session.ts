// Who works here: the key of the server and the person's name, and the clients that carry them.
//
// Must never put the key or the name anywhere but in memory.
import { computed, signal } from "@preact/signals";
import { createSessionClient } from "../../../shared/src/session-client.ts";
import type { SessionClient } from "../../../shared/src/session-client.ts";
import { ServerClient, SessionError } from "../../../shared/src/server-client.ts";

const baseUrl = `${location.origin}/v1`;

export const token = signal<string | undefined>(undefined);
/** The author of changes; the server's where it is empty. */
export const person = signal("");
/** Whether the server asks for a key, and whether the one that was given was wrong. */
export const gate = signal<"open" | "asks" | "refused">("open");
/** The models on offer: the usual one as the server specifies it, and further ones by name. */
export const models = signal<{ readonly usual: string; readonly further: readonly string[] } | undefined>(undefined);

export const server = computed(() => new ServerClient({ baseUrl, ...withToken() }));

function withToken(): { token?: string } {
  return token.value === undefined ? {} : { token: token.value };
}

/** A conversation whose turns go on when the page is left. */
export function conversation(sessionId: string, workspace: string | undefined, model: string | undefined): SessionClient {
  return createSessionClient({
    baseUrl,
    sessionId,
    background: true,
    tries: 4,
    ...withToken(),
    ...(workspace === undefined ? {} : { workspace }),
    ...(model === undefined ? {} : { model }),
  });
}

/** Access to files that models write. */
export function writeAccess(): { baseUrl: string; token?: string } {
  return { baseUrl, ...withToken() };
}

/** What went wrong, as an error with a code. */
export function failureOf(error: unknown): SessionError {
  if (error instanceof SessionError) {
    if (error.code === "UNAUTHORIZED") gate.value = token.value === undefined ? "asks" : "refused";
    return error;
  }
  return new SessionError("PAGE_FAILED", error instanceof Error ? error.message : String(error));
}

/** Learns which models there are; the first request that tells whether a key is needed. */
export async function greet(): Promise<SessionError | undefined> {
  try {
    const { data } = await server.value.models();
    const usual = data.find(({ id }) => id === "engross")?.engross?.model ?? "";
    const further = data.filter(({ id }) => id.startsWith("engross/")).map(({ id }) => id.slice("engross/".length));
    models.value = { usual, further };
    gate.value = "open";
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}
