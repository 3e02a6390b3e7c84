// Tasks: given to agents, watched, answered, stopped; over the JSON-RPC of docs/protocol/tasks.md.
//
// Must never take a running handle for a result.
import { EventStreamParser } from "./event-stream.ts";
import { refusal } from "./errors.ts";
import type { ServerClient } from "./server-client.ts";

export interface Provider {
  readonly providerId: string;
  readonly label: string;
  readonly enabled: boolean;
  /** What would make it available. */
  readonly unavailableReason: string;
}

export interface Artifact {
  readonly relativePath: string;
  readonly label: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** A signed link to its bytes; absent when they are gone. */
  readonly downloadUrl?: string;
}

/** What became of a run that has ended. */
export interface TaskResult {
  readonly success: boolean;
  readonly status: string;
  readonly terminal: boolean;
  readonly output?: string;
  readonly lastResultCode?: string;
  readonly artifactSyncStatus?: string;
  readonly artifacts: readonly Artifact[];
  readonly warnings?: readonly string[];
}

/** A run in the list of them. */
export interface Job {
  readonly jobId: string;
  readonly status: "pending" | "running" | "completed" | "failed";
  readonly sessionId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly providerId: string | null;
  readonly createdAt?: string;
  readonly completedAt?: string;
  readonly durationMs?: number;
  readonly elapsedMs?: number;
  readonly error?: string;
  readonly result?: TaskResult;
}

/** What an agent asks a person. */
export interface Question {
  readonly requestId: string;
  readonly sessionId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly toolCall: { readonly title: string };
  readonly options: readonly { readonly optionId: string; readonly name: string; readonly kind: string }[];
}

/** What happens in a run that is under way. */
export interface RunUpdate {
  readonly event: string;
  readonly delta?: string;
  readonly structuredEvent?: { readonly toolCallId: string; readonly title: string; readonly kind: string; readonly status: string };
}

export interface NewTask {
  readonly prompt: string;
  readonly providerId: string;
  /** What the task is about; the further tasks of a thread name it again. */
  readonly threadId: string;
  /** Whether it goes on with the conversation of the thread. */
  readonly continues: boolean;
  readonly attachments: readonly { readonly name: string; readonly content: string }[];
}

export class TasksClient {
  readonly #server: ServerClient;

  constructor(server: ServerClient) {
    this.#server = server;
  }

  async providers(): Promise<readonly Provider[]> {
    const told = await this.#server.rpc<{ providerCatalog: Provider[]; gatewayProviders: Provider[] }>("acp.capabilities", {});
    return [...told.providerCatalog, ...told.gatewayProviders];
  }

  async jobs(): Promise<readonly Job[]> {
    return (await this.#server.rpc<{ jobs: Job[] }>("xworkmate.jobs.list", {})).jobs;
  }

  async questions(): Promise<readonly Question[]> {
    return (await this.#server.rpc<{ items: Question[] }>("xworkmate.permissions.list", {})).items;
  }

  async submit({ prompt, providerId, threadId, continues, attachments }: NewTask): Promise<void> {
    await this.#server.rpc("xworkmate.jobs.submit", {
      providerId,
      threadId,
      sessionId: threadId,
      taskPrompt: prompt,
      continue: continues,
      ...(attachments.length > 0 ? { inlineAttachments: attachments } : {}),
    });
  }

  /** Answers a question with one of its options, or declines. */
  async answer({ requestId, sessionId }: Question, optionId: string | undefined): Promise<void> {
    await this.#server.rpc("xworkmate.permissions.respond", {
      requestId,
      sessionId,
      ...(optionId === undefined ? { decision: "cancel" } : { optionId }),
    });
  }

  /** Asks that a run be stopped; only its end says that it was. */
  cancel(runId: string): Promise<{ accepted?: boolean; cancelled?: boolean; code?: string; message?: string }> {
    return this.#server.rpc("xworkmate.tasks.cancel", { runId });
  }

  /** What happens in a run, from its beginning as far as it is kept, until it ends. */
  async *updates(runId: string, signal: AbortSignal): AsyncGenerator<RunUpdate, void, undefined> {
    const response = await this.#server.rpcStream("xworkmate.tasks.get", { runId, afterSeq: 0, waitMs: 600_000 }, signal);
    if (!response.ok) throw await refusal(response);
    const reader = response.body?.getReader();
    const parser = new EventStreamParser();
    while (reader) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const { data } of parser.push(value)) {
        if (data === "[DONE]") return;
        const frame = JSON.parse(data) as { method?: string; params?: RunUpdate };
        if (frame.method === "session.update" && frame.params) yield frame.params;
      }
    }
  }
}
