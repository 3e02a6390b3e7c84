// Documents, sessions and what the server says of itself, over HTTP.
//
// Must never repeat a request that changes something, or take an answer of another program for one of the server.
import { refusal, SessionError } from "./errors.ts";
import { uuid } from "./uuid.ts";

export { SessionError } from "./errors.ts";

export interface ServerClientOptions {
  /** Where the server is, with `/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

/** A page of a list. */
export interface List<T> {
  readonly data: readonly T[];
  readonly next?: string | null;
  readonly has_more?: boolean;
}

export interface WorkspaceEntry {
  readonly name: string;
  /** Seconds since 1970. */
  readonly modified: number;
}

export interface FileEntry {
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

/** A tracked change. */
export interface Revision {
  readonly id: string;
  readonly kind: string;
  readonly author: string;
  readonly date: string | null;
  readonly address: string;
  readonly text: string;
}

export interface DocumentComment {
  readonly id: string;
  readonly author: string;
  readonly initials: string | null;
  readonly date: string | null;
  readonly address: string;
  readonly quoted: string;
  readonly text: string;
  readonly parent: string | null;
  readonly resolved: boolean;
}

/** What became of one operation. */
export interface Outcome {
  readonly index: number;
  readonly op: string;
  readonly status: "applied" | "noChange" | "refused" | "failed" | (string & {});
  readonly code?: string | null;
  readonly message?: string | null;
  readonly address?: string | null;
}

export interface Receipt {
  readonly summary: { readonly applied: number; readonly noChange: number; readonly refused: number; readonly failed: number };
  readonly operations: readonly Outcome[];
  readonly proof?: { readonly reject: string; readonly accept: string } | null;
  readonly revision: string;
  readonly checkpoint: string | null;
  readonly sha256?: string | null;
}

export type Operation = Readonly<Record<string, unknown>>;

export interface Batch {
  readonly operations: readonly Operation[];
  readonly author?: string;
  readonly expectedRevision?: string;
  readonly atomic?: boolean;
  readonly untracked?: boolean;
}

export interface Checkpoint {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly size: number;
}

/** What going back would take, and give again. */
export interface Losses {
  readonly lost: readonly { readonly address: string; readonly text: string }[];
  readonly back: readonly { readonly address: string; readonly text: string }[];
}

/** The model that its owner has answers from by a key of their own. The key itself never comes back. */
export interface OwnModelState {
  /** Whether the server takes keys of persons. */
  readonly allowed: boolean;
  /** Where a key would be remembered. */
  readonly remembersIn: "keychain" | "secret-service" | "file" | (string & {});
  readonly model: null | {
    readonly provider: string;
    readonly name: string;
    /** Where the key is remembered; nothing for one that is in the server's memory. */
    readonly remembered: null | "keychain" | "secret-service" | "file" | (string & {});
    /** Not while the store of the system is locked. */
    readonly hasKey: boolean;
  };
}

/** Such a model; without a key the one that was given before stays. */
export interface BroughtModel {
  readonly provider: string;
  readonly name: string;
  readonly key?: string;
  readonly remember: boolean;
}

export interface SessionEntry {
  readonly id: string;
  readonly key: string;
  readonly created: number;
  readonly changed: number;
  readonly entries: number;
}

export interface ChatMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly is_error?: boolean;
}

export interface SessionState {
  readonly id: string;
  readonly key: string;
  readonly created: number;
  readonly turns: number;
  readonly state: "idle" | "running" | "awaiting_client" | "interrupted" | (string & {});
  readonly settings: Readonly<Record<string, unknown>>;
  readonly workspace: string | null;
  readonly messages: readonly ChatMessage[];
  readonly first_message?: number;
  readonly messages_in_all?: number;
}

export interface WriteState {
  readonly session_id: string;
  readonly state: string;
  readonly offset: number;
  readonly target_file: string;
  readonly operation: string;
  readonly bytes: number;
  readonly created_at: number;
  readonly last_activity: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly receipt: { readonly path: string; readonly bytes: number; readonly lines: number; readonly sha256: string } | null;
}

/** A lesson that was learnt, with its evidence. */
export interface LearntSkill {
  readonly id: string;
  readonly section: string;
  readonly content: string;
  readonly status: "active" | "candidate" | "quarantined" | (string & {});
  readonly waits: boolean;
  readonly quarantine: readonly string[];
  readonly pinned: boolean;
  readonly justification: string;
  readonly evidence: string;
  readonly helpful: number;
  readonly harmful: number;
  readonly neutral: number;
  readonly sessions: number;
  readonly sources: readonly { readonly trace: string; readonly file?: string; readonly evidence: string; readonly seen?: { readonly line?: number } }[];
  readonly revision: { readonly content: string; readonly from: string } | null;
}

export interface SkillList {
  readonly skillbook: string;
  readonly skills: readonly LearntSkill[];
  readonly conflicts: readonly { readonly one: string; readonly other: string }[];
}

/** A task thread as its record says (schema 20260411), with how it stands. */
export interface ThreadEntry {
  readonly threadId: string;
  readonly title: string;
  readonly lifecycle: "ready" | "queued" | "running" | "archived" | (string & {});
  readonly executionBinding: { readonly providerId: string };
  readonly workspaceBinding: { readonly workspaceKind: string; readonly displayPath: string };
  readonly contextState: {
    readonly messages: readonly { readonly role: string; readonly text: string; readonly timestampMs: number; readonly error?: boolean }[];
    readonly lastArtifactSyncStatus?: string;
    readonly lastTaskArtifactRelativePaths: readonly string[];
    readonly lastTaskWarnings?: readonly string[];
  };
  readonly lifecycleState: { readonly lastResultCode?: string };
  readonly updatedAtMs: number;
}

/** What a person says of a lesson. */
export type SkillDecision =
  | { readonly decision: "accept" | "retire" | "decline"; readonly id: string }
  | { readonly decision: "edit"; readonly id: string; readonly content: string };

export interface FailedRequest {
  readonly at: number;
  readonly route: string;
  readonly status: number;
  readonly code: string;
}

export interface Explanation {
  readonly code: string;
  readonly summary: string;
  readonly why: string;
  readonly remedy: string;
}

/** A value with the state that it belongs to. */
export interface Tagged<T> {
  readonly value: T;
  readonly tag: string | null;
}

interface Request {
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** The path of a file as it stands in an address. */
function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

export class ServerClient {
  readonly #options: ServerClientOptions;
  readonly #base: string;

  constructor(options: ServerClientOptions) {
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, "");
  }

  workspaces(): Promise<List<WorkspaceEntry>> {
    return this.#json("GET", "/workspaces");
  }

  files(workspace: string, after?: string): Promise<List<FileEntry>> {
    return this.#json("GET", `${place(workspace)}/files`, { query: after === undefined ? {} : { after } });
  }

  /** Puts a new file; refused where there is one of that name. */
  async put(workspace: string, path: string, bytes: Blob): Promise<void> {
    const headers = { "content-type": "application/octet-stream", "if-none-match": "*" };
    await this.#json("PUT", this.#file(workspace, path), { body: bytes, headers });
  }

  async remove(workspace: string, path: string): Promise<void> {
    await this.#json("DELETE", this.#file(workspace, path));
  }

  bytes(workspace: string, path: string): Promise<Blob> {
    return this.#blob(this.#file(workspace, path));
  }

  /** Which state a file is in; it is not fetched. */
  async tag(workspace: string, path: string, signal?: AbortSignal): Promise<string | null> {
    const response = await this.#fetch("HEAD", this.#file(workspace, path), { signal });
    return response.headers.get("etag");
  }

  async revisions(workspace: string, path: string): Promise<Tagged<readonly Revision[]>> {
    const { value, tag } = await this.#tagged<{ revisions: readonly Revision[] }>(this.#file(workspace, path), { list: "revisions" });
    return { value: value.revisions, tag };
  }

  async comments(workspace: string, path: string): Promise<Tagged<readonly DocumentComment[]>> {
    const { value, tag } = await this.#tagged<{ comments: readonly DocumentComment[] }>(this.#file(workspace, path), { list: "comments" });
    return { value: value.comments, tag };
  }

  reading<T>(workspace: string, path: string, query: Readonly<Record<string, string>>): Promise<Tagged<T>> {
    return this.#tagged(this.#file(workspace, path), query);
  }

  /** A document as HTML, with its tracked changes, and which state of it that is. */
  async html(workspace: string, path: string): Promise<Tagged<string> & { readonly revision: string | null }> {
    const response = await this.#fetch("GET", this.#file(workspace, path), { query: { as: "html", view: "markup" } });
    return { value: await response.text(), tag: response.headers.get("etag"), revision: response.headers.get("x-engross-revision") };
  }

  apply(workspace: string, path: string, batch: Batch): Promise<Receipt> {
    return this.#json("POST", `${this.#file(workspace, path)}/operations`, { json: batch });
  }

  checkpoints(workspace: string, path: string): Promise<List<Checkpoint>> {
    return this.#json("GET", this.#history(workspace, path));
  }

  losses(workspace: string, path: string, id: string): Promise<Losses> {
    return this.#json("GET", this.#history(workspace, path), { query: { id } });
  }

  earlier(workspace: string, path: string, id: string): Promise<Blob> {
    return this.#blob(this.#history(workspace, path), { id, content: "1" });
  }

  async restore(workspace: string, path: string, id: string, tag: string | null): Promise<void> {
    await this.#json("POST", this.#history(workspace, path), { json: { restore: id }, headers: tag === null ? {} : { "if-match": tag } });
  }

  /** A redline of two documents, with what it does not have as tracked changes. */
  async compare(before: Blob, after: Blob, options: Readonly<Record<string, unknown>>): Promise<{ redline: Blob; warnings: string }> {
    const form = new FormData();
    form.set("before", before, "before.docx");
    form.set("after", after, "after.docx");
    form.set("options", JSON.stringify(options));
    const response = await this.#fetch("POST", "/compare", { body: form });
    return { redline: await response.blob(), warnings: response.headers.get("x-engross-warnings") ?? "" };
  }

  models(): Promise<List<{ readonly id: string; readonly engross?: { readonly model: string } }>> {
    return this.#json("GET", "/models");
  }

  ownModel(): Promise<OwnModelState> {
    return this.#json("GET", "/own-model");
  }

  bringModel(model: BroughtModel): Promise<OwnModelState> {
    return this.#json("PUT", "/own-model", { json: model });
  }

  forgetModel(): Promise<OwnModelState> {
    return this.#json("DELETE", "/own-model");
  }

  sessions(limit: number, after?: string): Promise<List<SessionEntry>> {
    const query: Record<string, string> = { limit: String(limit) };
    if (after !== undefined) query["after"] = after;
    return this.#json("GET", "/sessions", { query });
  }

  session(key: string, before?: number): Promise<SessionState> {
    return this.#json("GET", this.#session(key), { query: before === undefined ? {} : { before: String(before) } });
  }

  cancelTurn(key: string): Promise<{ cancelled: boolean }> {
    return this.#json("POST", `${this.#session(key)}/cancel`, { json: {} });
  }

  async configure(key: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#json("PUT", `${this.#session(key)}/settings`, { json: settings });
  }

  async deleteSession(key: string): Promise<void> {
    await this.#json("DELETE", this.#session(key));
  }

  writes(): Promise<List<WriteState>> {
    return this.#json("GET", "/write-sessions");
  }

  threads(): Promise<List<ThreadEntry>> {
    return this.#json("GET", "/threads");
  }

  /** Puts a thread away, or takes it back. Title and provider are for one that has no record yet. */
  async orderThread(id: string, order: "archive" | "restore", known: { readonly title?: string; readonly providerId?: string } = {}): Promise<void> {
    await this.#json("POST", `/threads/${encodeURIComponent(id)}`, { json: { order, ...known } });
  }

  skills(): Promise<SkillList> {
    return this.#json("GET", "/skills");
  }

  async decideSkills(decisions: readonly SkillDecision[]): Promise<void> {
    await this.#json("POST", "/skills", { json: { decisions } });
  }

  errors(): Promise<List<FailedRequest>> {
    return this.#json("GET", "/errors");
  }

  explain(code: string): Promise<Explanation> {
    return this.#json("GET", `/errors/${encodeURIComponent(code)}`);
  }

  /** Whether requests can be accepted, and what keeps the server from it. */
  async ready(): Promise<{ ready: boolean; failing: readonly string[] }> {
    const response = await this.#send("GET", "/readyz", {}, this.#root());
    const body: unknown = await response.json().catch(() => undefined);
    if (typeof body !== "object" || body === null || !("ready" in body)) throw await refusal(response);
    return body as { ready: boolean; failing: readonly string[] };
  }

  async metrics(): Promise<string> {
    return (await this.#fetch("GET", "/metrics", {}, this.#root())).text();
  }

  /** A file that a link of the server leads to. */
  async linked(path: string): Promise<Blob> {
    return (await this.#fetch("GET", path, {}, this.#root())).blob();
  }

  /** A method of tasks; docs/protocol/tasks.md has them. */
  async rpc<T>(method: string, params: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<T> {
    const json = { jsonrpc: "2.0", id: uuid(), method, params };
    const response = await this.#fetch("POST", "/acp/rpc", { json, signal }, this.#root());
    const body = (await response.json()) as { result?: T; error?: { message?: string; data?: { code?: string } } };
    if (body.error) throw new SessionError(body.error.data?.code ?? "BAD_RESPONSE", body.error.message ?? "the method failed");
    return body.result as T;
  }

  /** The same, answered as a stream. */
  rpcStream(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Response> {
    const json = { jsonrpc: "2.0", id: uuid(), method, params };
    return this.#send("POST", "/acp/rpc", { json, signal, headers: { accept: "text/event-stream" } }, this.#root());
  }

  #root(): string {
    return this.#base.replace(/\/v1$/, "");
  }

  #file(workspace: string, path: string): string {
    return `${place(workspace)}/files/${encoded(path)}`;
  }

  #history(workspace: string, path: string): string {
    return `${place(workspace)}/checkpoints/${encoded(path)}`;
  }

  #session(key: string): string {
    return `/sessions/${encodeURIComponent(key)}`;
  }

  async #json<T>(method: string, path: string, request: Request = {}): Promise<T> {
    const response = await this.#fetch(method, path, request);
    return (await parsed(response)) as T;
  }

  async #tagged<T>(path: string, query: Readonly<Record<string, string>>): Promise<Tagged<T>> {
    const response = await this.#fetch("GET", path, { query });
    return { value: (await parsed(response)) as T, tag: response.headers.get("etag") };
  }

  async #blob(path: string, query: Readonly<Record<string, string>> = {}): Promise<Blob> {
    return (await this.#fetch("GET", path, { query })).blob();
  }

  async #fetch(method: string, path: string, request: Request = {}, base = this.#base): Promise<Response> {
    const response = await this.#send(method, path, request, base);
    if (!response.ok) throw await refusal(response);
    return response;
  }

  async #send(method: string, path: string, { query = {}, json, body, headers = {}, signal }: Request, base: string): Promise<Response> {
    const { token, fetch: send = globalThis.fetch.bind(globalThis) } = this.#options;
    const all: Record<string, string> = { ...headers };
    if (token !== undefined) all["authorization"] = `Bearer ${token}`;
    if (json !== undefined) all["content-type"] = "application/json";
    const search = new URLSearchParams(query).toString();
    const sent = json === undefined ? body : JSON.stringify(json);
    const init = { method, headers: all, ...(sent === undefined ? {} : { body: sent }), ...(signal ? { signal } : {}) };
    try {
      return await send(`${base}${path}${search && `?${search}`}`, init);
    } catch (error) {
      if (signal?.aborted) throw new SessionError("ABORTED", "the request was given up");
      const reason = error instanceof Error ? error.message : String(error);
      throw new SessionError("CONNECTION_LOST", `the server cannot be reached (${reason}); try again once it runs`);
    }
  }
}

function place(workspace: string): string {
  return `/workspaces/${encodeURIComponent(workspace)}`;
}

async function parsed(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new SessionError("BAD_RESPONSE", "the server does not answer with JSON; is the address that of engross?", { status: response.status });
  }
}
