// Tasks as a board: what waits, what is under way, what is done, what failed; and the questions that agents ask.
//
// Must never show a task as done of which only a handle is known.
import { useComputed, useSignal } from "@preact/signals";
import { TasksClient } from "../../../shared/src/tasks-client.ts";
import type { Job, Provider, Question } from "../../../shared/src/tasks-client.ts";
import { SessionError, type ThreadEntry } from "../../../shared/src/server-client.ts";
import { Clipped } from "../parts/Clipped.tsx";
import { Failure } from "../parts/Failure.tsx";
import { useResource } from "../parts/resource.ts";
import { draft } from "../state/drafts.ts";
import { go, link } from "../state/route.ts";
import { failureOf, server } from "../state/session.ts";
import { shown, t, when } from "../texts.ts";

const COLUMNS = ["pending", "running", "completed", "failed"] as const;

/** The largest attachment, in bytes. */
const LARGEST = 10 << 20;

/** How often the board is fetched, in milliseconds. */
const EVERY = 2_500;

export function tasks(): TasksClient {
  return new TasksClient(server.value);
}

/** The newest run of each thread, the newest thread first. */
export function newestOf(jobs: readonly Job[]): readonly Job[] {
  const threads = new Map<string, Job>();
  for (const job of jobs) {
    const known = threads.get(job.threadId);
    if (!known || (job.createdAt ?? "") >= (known.createdAt ?? "")) threads.set(job.threadId, job);
  }
  return [...threads.values()].sort((one, other) => ((one.createdAt ?? "") < (other.createdAt ?? "") ? 1 : -1));
}

export function Tasks() {
  const jobs = useResource(() => tasks().jobs(), [], EVERY);
  const questions = useResource(() => tasks().questions(), [], EVERY);
  const threads = useResource(() => server.value.threads(), [], EVERY);
  const records = threads.value?.data ?? [];
  const archived = records.filter(({ lifecycle }) => lifecycle === "archived");
  const away = new Set(archived.map(({ threadId }) => threadId));
  const newest = newestOf(jobs.value ?? []).filter(({ threadId }) => !away.has(threadId));
  // Those of the terminal, whose runs are not in the list of this server.
  const others = records.filter(({ threadId, lifecycle }) => lifecycle !== "archived" && !newest.some((job) => job.threadId === threadId));
  const open = questions.value ?? [];
  return (
    <div class="page is-wide">
      <h1>{t("tasks.title")}</h1>
      <NewTask />
      {jobs.failure && <Failure failure={jobs.failure} retry={() => void jobs.reload()} />}
      {open.length > 0 && (
        <section>
          <h2>{t("tasks.questions")}</h2>
          {open.map((question) => <Ask key={question.requestId} question={question} answered={() => void questions.reload()} />)}
        </section>
      )}
      {threads.failure && <Failure failure={threads.failure} retry={() => void threads.reload()} />}
      {jobs.value && newest.length + others.length === 0 && <p class="empty">{t("tasks.none")}</p>}
      {newest.length + others.length > 0 && (
        <div class="board">
          {COLUMNS.map((column) => {
            const there = newest.filter(({ status }) => status === column);
            const terminal = others.filter((thread) => columnOf(thread) === column);
            return (
              <section key={column} class="board-column">
                <h2>{t(`tasks.${column}`)} <span class="count">{there.length + terminal.length}</span></h2>
                <ul class="cards">
                  {there.slice(0, 100).map((job) => <Card key={job.jobId} job={job} asks={open.some(({ runId }) => runId === job.runId)} />)}
                  {terminal.slice(0, 100).map((thread) => <ThreadCard key={thread.threadId} thread={thread} />)}
                </ul>
              </section>
            );
          })}
        </div>
      )}
      {archived.length > 0 && (
        <details>
          <summary>{t("tasks.archived", { count: archived.length })}</summary>
          <ul class="cards">{archived.slice(0, 200).map((thread) => <ThreadCard key={thread.threadId} thread={thread} />)}</ul>
        </details>
      )}
    </div>
  );
}

/** Where a thread of the terminal stands on the board. */
function columnOf({ lifecycle, lifecycleState: { lastResultCode: code } }: ThreadEntry): (typeof COLUMNS)[number] {
  if (lifecycle === "queued") return "pending";
  if (lifecycle === "running") return "running";
  return code === undefined || code === "success" ? "completed" : "failed";
}

/** What a thread of a record is about: its title, or what was asked first. */
export function threadTitle({ title, threadId, contextState: { messages } }: ThreadEntry): string {
  return title || messages.find(({ role }) => role === "user")?.text || titleOf(threadId);
}

function ThreadCard({ thread }: { readonly thread: ThreadEntry }) {
  const { threadId, updatedAtMs, executionBinding, contextState, lifecycleState } = thread;
  const files = contextState.lastTaskArtifactRelativePaths.length;
  return (
    <li class="card">
      <a href={link({ page: "task", id: threadId })}><bdi><Clipped text={threadTitle(thread)} most={160} /></bdi></a>
      <p class="row muted small-text">
        <span>{shown(executionBinding.providerId)}</span>
        <span>{when(updatedAtMs / 1000)}</span>
        {files > 0 && <span class="tag">{t("tasks.files")}: {files}</span>}
        {lifecycleState.lastResultCode && lifecycleState.lastResultCode !== "success" && <code class="code">{shown(lifecycleState.lastResultCode)}</code>}
      </p>
    </li>
  );
}

function Card({ job, asks }: { readonly job: Job; readonly asks: boolean }) {
  const { threadId, providerId, createdAt, result } = job;
  const files = result?.artifacts.length ?? 0;
  const code = result?.lastResultCode;
  return (
    <li class="card">
      <a href={link({ page: "task", id: threadId })}><bdi><Clipped text={titleOf(threadId)} most={160} /></bdi></a>
      <p class="row muted small-text">
        <span>{shown(providerId ?? "")}</span>
        {createdAt && <span>{when(Date.parse(createdAt) / 1000)}</span>}
        {files > 0 && <span class="tag">{t("tasks.files")}: {files}</span>}
        {asks && <span class="tag warn">?</span>}
        {job.status === "failed" && code && <code class="code">{shown(code)}</code>}
      </p>
    </li>
  );
}

/** What a thread is about: its name without what makes it the only one. */
export function titleOf(threadId: string): string {
  return threadId.replace(/ · [0-9a-f]{8}$/, "");
}

export function Ask({ question, answered }: { readonly question: Question; readonly answered: () => void }) {
  const isBusy = useSignal(false);
  const failure = useSignal<SessionError | undefined>(undefined);
  const answer = async (option: string | undefined) => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      await tasks().answer(question, option);
      answered();
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <div class="card question">
      <p><Clipped text={question.toolCall.title} most={600} /></p>
      <p class="muted small-text"><a href={link({ page: "task", id: question.threadId })}><bdi>{shown(titleOf(question.threadId))}</bdi></a></p>
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      <p class="row">
        {question.options.slice(0, 8).map(({ optionId, name, kind }) => (
          <button key={optionId} type="button" class={kind === "allow_once" ? "button primary" : "button"} disabled={isBusy.value} onClick={() => void answer(optionId)}>
            {shown(name).slice(0, 80)}
          </button>
        ))}
        <button type="button" class="button quiet" disabled={isBusy.value} onClick={() => void answer(undefined)}>{t("tasks.denyQuestion")}</button>
      </p>
    </div>
  );
}

interface NewTaskProps {
  /** The thread that it belongs to; a new one without. */
  readonly thread?: string;
  /** Who did the last task of it. */
  readonly providerId?: string | undefined;
  readonly submitted?: () => void;
}

export function NewTask({ thread, providerId, submitted }: NewTaskProps) {
  const prompt = draft(`task ${thread ?? ""}`);
  const providers = useResource(() => tasks().providers(), []);
  const chosen = useSignal(providerId ?? "");
  const files = useSignal<readonly File[]>([]);
  const failure = useSignal<SessionError | undefined>(undefined);
  const isBusy = useSignal(false);
  const usable = useComputed(() => chosen.value);
  const all = providers.value ?? [];
  const provider = usable.value || all.find(({ enabled }) => enabled)?.providerId || "";
  const start = async (event: Event) => {
    event.preventDefault();
    const said = prompt.value.trim();
    if (said === "" || isBusy.value || provider === "") return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      const attachments = await Promise.all(files.value.map(attached));
      const threadId = thread ?? `${said.replace(/\s+/g, " ").slice(0, 80)} · ${mark()}`;
      await tasks().submit({ prompt: said, providerId: provider, threadId, continues: thread !== undefined, attachments });
      prompt.value = "";
      files.value = [];
      submitted?.();
      if (thread === undefined) go({ page: "task", id: threadId });
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form class="card new-task" onSubmit={(event) => void start(event)}>
      <label>
        <span>{t(thread === undefined ? "tasks.prompt" : "tasks.followUpLabel")}</span>
        <textarea rows={2} required value={prompt.value} onInput={(event) => (prompt.value = event.currentTarget.value)} />
      </label>
      {providers.failure && <Failure failure={providers.failure} retry={() => void providers.reload()} />}
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {providers.value && provider === "" && <p class="muted small-text">{t("tasks.noProvider", { why: shown(all[0]?.unavailableReason ?? "") })}</p>}
      <div class="task-fields">
        <label>
          <span>{t("tasks.provider")}</span>
          <select value={provider} onChange={(event) => (chosen.value = event.currentTarget.value)}>
            {all.map((one) => <ProviderChoice key={one.providerId} provider={one} />)}
          </select>
        </label>
        <label>
          <span>{t("tasks.attach")}</span>
          <input type="file" multiple onChange={(event) => (files.value = [...(event.currentTarget.files ?? [])])} />
        </label>
        <button class="button primary" disabled={isBusy.value || prompt.value.trim() === "" || provider === ""}>{t(thread === undefined ? "tasks.start" : "tasks.followUp")}</button>
      </div>
    </form>
  );
}

function ProviderChoice({ provider }: { readonly provider: Provider }) {
  const { providerId, label, enabled, unavailableReason } = provider;
  return (
    <option value={providerId} disabled={!enabled} title={shown(unavailableReason)}>
      {enabled ? shown(label) : t("tasks.unavailable", { name: shown(label) })}
    </option>
  );
}

function mark(): string {
  return [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function attached(file: File): Promise<{ name: string; content: string }> {
  if (file.size > LARGEST) throw new SessionError("OPENCLAW_ATTACHMENT_FILE_TOO_LARGE", t("tasks.tooLarge", { name: shown(file.name) }));
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new SessionError("PAGE_FAILED", String(reader.error)));
    reader.readAsDataURL(file);
  });
  return { name: file.name, content: url.slice(url.indexOf(",") + 1) };
}
