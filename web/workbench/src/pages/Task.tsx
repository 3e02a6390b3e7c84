// One thread of tasks: its runs, what each came to, its files, and what is to follow.
//
// Must never offer a file of another run, or open one as a page.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SessionError, ThreadEntry } from "../../../shared/src/server-client.ts";
import type { Artifact, Job, RunUpdate } from "../../../shared/src/tasks-client.ts";
import { Failure } from "../parts/Failure.tsx";
import { Prose } from "../parts/Prose.tsx";
import { useResource } from "../parts/resource.ts";
import { save } from "../parts/save.ts";
import { openFile } from "../state/files.ts";
import { say } from "../state/notice.ts";
import { failureOf, server } from "../state/session.ts";
import { shown, size, t, when } from "../texts.ts";
import { Ask, NewTask, tasks, threadTitle, titleOf } from "./Tasks.tsx";
import { Clipped } from "../parts/Clipped.tsx";

export function Task({ id }: { readonly id: string }) {
  const jobs = useResource(() => tasks().jobs(), [id], 2_000);
  const questions = useResource(() => tasks().questions(), [id], 2_000);
  const threads = useResource(() => server.value.threads(), [id], 5_000);
  const record = threads.value?.data.find(({ threadId }) => threadId === id);
  const isAway = record?.lifecycle === "archived";
  const isOrdering = useSignal(false);
  const failure = useSignal<SessionError | undefined>(undefined);
  const runs = (jobs.value ?? [])
    .filter(({ threadId }) => threadId === id)
    .sort((one, other) => ((one.createdAt ?? "") < (other.createdAt ?? "") ? -1 : 1));
  const last = runs.at(-1);
  const isOpen = last?.status === "pending" || last?.status === "running";
  const order = async (what: "archive" | "restore") => {
    failure.value = undefined;
    isOrdering.value = true;
    try {
      await server.value.orderThread(id, what, { title: titleOf(id), ...(last?.providerId ? { providerId: last.providerId } : {}) });
      say(t(what === "archive" ? "tasks.wasArchived" : "tasks.wasRestored"));
      await threads.reload();
    } catch (problem) {
      failure.value = failureOf(problem);
    } finally {
      isOrdering.value = false;
    }
  };
  return (
    <div class="page">
      <p><a href="#/tasks">{t("tasks.title")}</a></p>
      <div class="list-head">
        <h1><bdi>{shown(record && runs.length === 0 ? threadTitle(record).slice(0, 160) : titleOf(id))}</bdi></h1>
        {(last !== undefined || record !== undefined) && (
          <button type="button" class="button" disabled={isOrdering.value || isOpen || record?.lifecycle === "running" || record?.lifecycle === "queued"} onClick={() => void order(isAway ? "restore" : "archive")}>
            {t(isAway ? "tasks.restore" : "tasks.archive")}
          </button>
        )}
      </div>
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {isAway && <p class="warning">{t("tasks.isArchived")}</p>}
      {jobs.failure && <Failure failure={jobs.failure} retry={() => void jobs.reload()} />}
      {(questions.value ?? []).filter(({ threadId }) => threadId === id).map((question) => (
        <Ask key={question.requestId} question={question} answered={() => void questions.reload()} />
      ))}
      <ol class="cards">{runs.map((run) => <Run key={run.jobId} run={run} />)}</ol>
      {runs.length === 0 && record && <Recorded thread={record} />}
      {last && !isOpen && !isAway && <NewTask thread={id} providerId={last.providerId ?? undefined} submitted={() => void jobs.reload()} />}
    </div>
  );
}

/** A thread of the terminal: what was said, how its newest run ended, and which files are of that run. */
function Recorded({ thread }: { readonly thread: ThreadEntry }) {
  const { contextState, lifecycleState, workspaceBinding } = thread;
  return (
    <section class="card">
      {contextState.messages.map(({ role, text }, at) => (
        role === "user" ? <div key={at} class="bubble"><Clipped text={text} /></div> : <Prose key={at} text={text} />
      ))}
      <dl class="task-facts">
        <div><dt>{t("tasks.code")}</dt><dd><code>{shown(lifecycleState.lastResultCode ?? "–")}</code></dd></div>
        <div><dt>{t("tasks.sync")}</dt><dd><code>{shown(contextState.lastArtifactSyncStatus ?? "–")}</code></dd></div>
      </dl>
      {contextState.lastTaskArtifactRelativePaths.length > 0 && (
        <ul class="artifacts" aria-label={t("tasks.files")}>
          {contextState.lastTaskArtifactRelativePaths.slice(0, 200).map((path) => <li key={path} class="artifact"><bdi>{shown(path)}</bdi></li>)}
        </ul>
      )}
      {(contextState.lastTaskWarnings ?? []).map((warning) => <p key={warning} class="warning">{shown(warning).slice(0, 600)}</p>)}
      {workspaceBinding.workspaceKind === "localFs" && <p class="muted small-text">{t("tasks.ofTerminal", { folder: shown(workspaceBinding.displayPath) })}</p>}
    </section>
  );
}

function Run({ run }: { readonly run: Job }) {
  const { status, providerId, createdAt, durationMs, elapsedMs, result, error } = run;
  const isOpen = status === "pending" || status === "running";
  const failure = useSignal<SessionError | undefined>(undefined);
  const isStopping = useSignal(false);
  const stop = async () => {
    failure.value = undefined;
    isStopping.value = true;
    try {
      const receipt = await tasks().cancel(run.runId);
      if (receipt.accepted === false && receipt.code !== undefined) failure.value = failureOf(new Error(`${receipt.code}: ${receipt.message ?? ""}`));
      else say(t("tasks.stopRequested"));
    } catch (problem) {
      failure.value = failureOf(problem);
    } finally {
      isStopping.value = false;
    }
  };
  const tone = status === "completed" ? "tag good" : status === "failed" ? "tag bad" : "tag warn";
  const took = durationMs ?? elapsedMs;
  return (
    <li class="card">
      <p class="row spread">
        <span class="row">
          <span class={tone}>{t(`tasks.${status}`)}</span>
          <span class="muted">{shown(providerId ?? "")}</span>
          {createdAt && <span class="muted">{when(Date.parse(createdAt) / 1000)}</span>}
          {took !== undefined && <span class="muted">{t("tasks.took", { seconds: Math.round(took / 100) / 10 })}</span>}
        </span>
        {isOpen && <button type="button" class="button small" disabled={isStopping.value} onClick={() => void stop()}>{t("tasks.stop")}</button>}
      </p>
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {isOpen && <Activity runId={run.runId} />}
      {status === "failed" && <Failure failure={{ code: result?.lastResultCode ?? "AGENT_ERROR", message: error ?? "" }} />}
      {result?.terminal && (
        <>
          {result.output && <Prose text={result.output} />}
          <dl class="task-facts">
            <div><dt>{t("tasks.code")}</dt><dd><code>{shown(result.lastResultCode ?? "")}</code></dd></div>
            <div><dt>{t("tasks.sync")}</dt><dd><code>{shown(result.artifactSyncStatus ?? "")}</code></dd></div>
          </dl>
          {result.artifacts.length > 0 && (
            <ul class="artifacts" aria-label={t("tasks.files")}>
              {result.artifacts.map((file) => <File key={file.relativePath} file={file} />)}
            </ul>
          )}
          {(result.warnings ?? []).map((warning) => <p key={warning} class="warning">{shown(warning).slice(0, 600)}</p>)}
        </>
      )}
    </li>
  );
}

/** What the agent does, as it comes. */
function Activity({ runId }: { readonly runId: string }) {
  const calls = useSignal<ReadonlyMap<string, NonNullable<RunUpdate["structuredEvent"]>>>(new Map());
  const text = useSignal("");
  useEffect(() => {
    const controller = new AbortController();
    void (async () => {
      try {
        for await (const { event, delta, structuredEvent } of tasks().updates(runId, controller.signal)) {
          if (event === "delta" && delta !== undefined) text.value += delta;
          if (event === "tool_call" && structuredEvent) calls.value = new Map(calls.value).set(structuredEvent.toolCallId, structuredEvent);
        }
      } catch {
        // The list says how the run stands, whether or not it could be listened to.
      }
    })();
    return () => controller.abort();
  }, [runId]);
  return (
    <div class="turn is-live" aria-label={t("tasks.activity")} role="group">
      <ul class="steps">
        {[...calls.value].map(([call, { title, kind, status }]) => (
          <li key={call} class={`step is-${status === "completed" ? "done" : status === "failed" ? "failed" : "running"}`}>
            <span class="step-mark" aria-hidden="true" />
            <span>{shown(title).slice(0, 300)}</span> <code>{shown(kind)}</code>
          </li>
        ))}
      </ul>
      {text.value !== "" && <Prose text={text.value} />}
      <p class="working" role="status">{t("tasks.running")} …</p>
    </div>
  );
}

function File({ file }: { readonly file: Artifact }) {
  const failure = useSignal<SessionError | undefined>(undefined);
  const isFetching = useSignal(false);
  const { relativePath, label, sizeBytes, downloadUrl } = file;
  const fetched = async (then: (bytes: Blob) => unknown) => {
    if (isFetching.value) return;
    isFetching.value = true;
    failure.value = undefined;
    try {
      // The link names the server as the agent's side knows it; its files are at this one.
      const { pathname, search } = new URL(downloadUrl ?? "", location.origin);
      await then(await server.value.linked(`${pathname}${search}`));
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isFetching.value = false;
    }
  };
  return (
    <li class="artifact">
      <bdi>{shown(relativePath)}</bdi> <span class="muted">{size(sizeBytes)}</span>
      {downloadUrl !== undefined && (
        <span class="row">
          {/\.docx$/i.test(label) && <button type="button" class="button small" disabled={isFetching.value} onClick={() => void fetched((bytes) => openFile(bytes, label))}>{t("common.open")}</button>}
          <button type="button" class="button small" disabled={isFetching.value} onClick={() => void fetched((bytes) => save(bytes, label))}>{t("common.download")}</button>
        </span>
      )}
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
    </li>
  );
}
