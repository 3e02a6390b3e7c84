// One conversation: what was said with its calls, the turn under way, and what can be done with the whole.
//
// Must never delete without asking.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ChatMessage } from "../../../shared/src/server-client.ts";
import { SessionError } from "../../../shared/src/server-client.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { Conversation } from "../parts/Conversation.tsx";
import { Failure } from "../parts/Failure.tsx";
import { useResource } from "../parts/resource.ts";
import { save } from "../parts/save.ts";
import { draft } from "../state/drafts.ts";
import { say } from "../state/notice.ts";
import { go, link } from "../state/route.ts";
import { failureOf, server } from "../state/session.ts";
import { fork, Talk } from "../state/talk.ts";
import { named, shown, t } from "../texts.ts";
import { nameOf } from "./Sessions.tsx";

/** How often a session is looked after in which nothing happens here, in milliseconds. */
const LOOK_EVERY = 5_000;

export function Session({ id }: { readonly id: string }) {
  const talk = useMemo(() => new Talk(id, undefined, () => undefined), [id]);
  const isDeleting = useSignal(false);
  const isForking = useSignal(false);
  const isExporting = useSignal(false);
  const failure = useSignal<SessionError | undefined>(undefined);
  useEffect(() => {
    void talk.open();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void talk.open();
    }, LOOK_EVERY);
    return () => clearInterval(timer);
  }, [talk]);
  const session = talk.session.value;
  const exported = async (kind: "md" | "json") => {
    failure.value = undefined;
    isExporting.value = true;
    try {
      const messages = await everything(id);
      const text = kind === "json" ? JSON.stringify({ ...session, messages }, undefined, 2) : transcript(messages);
      save(new Blob([text]), `${nameOf(id)}.${kind}`);
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isExporting.value = false;
    }
  };
  const isRunning = talk.live.value !== undefined || session?.state === "running" || session?.state === "awaiting_client";
  return (
    <div class="page session">
      <div class="list-head">
        <h1><bdi>{shown(nameOf(id))}</bdi></h1>
        <span class="row">
          {isRunning && <button type="button" class="button" disabled={talk.isStopping.value} onClick={() => void talk.stop()}>{t("ask.stop")}</button>}
          <button type="button" class="button" disabled={!session || isExporting.value} onClick={() => void exported("md")}>{t("sessions.exportMarkdown")}</button>
          <button type="button" class="button" disabled={!session || isExporting.value} onClick={() => void exported("json")}>{t("sessions.exportJson")}</button>
          <button type="button" class="button" disabled={!session} aria-expanded={isForking.value} onClick={() => (isForking.value = !isForking.value)}>{t("sessions.fork")}</button>
          <button type="button" class="button" disabled={!session} onClick={() => (isDeleting.value = true)}>{t("common.delete")}</button>
        </span>
      </div>
      {session && (
        <p class="row muted">
          <span class={isRunning ? "tag good" : "tag"}>{named("sessions.state", talk.live.value ? "running" : session.state)}</span>
          <span>{t("sessions.turns", { count: session.turns })}</span>
          {session.workspace !== null && <Files workspace={session.workspace} />}
        </p>
      )}
      {isForking.value && <Fork id={id} workspace={session?.workspace ?? undefined} failed={(error) => (failure.value = error)} />}
      {talk.goesOnFrom !== undefined && <p class="muted">{t("sessions.goesOn", { name: shown(nameOf(talk.goesOnFrom)) })}</p>}
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      <div class="card"><Conversation talk={talk} /></div>
      <Say talk={talk} />
      {isDeleting.value && (
        <Confirm
          title={t("sessions.deleteTitle")}
          yes={t("common.delete")}
          isDangerous
          act={async () => {
            await server.value.deleteSession(id);
            say(t("sessions.deleted"));
            go({ page: "sessions" });
          }}
          close={() => (isDeleting.value = false)}
        >
          <p>{t("sessions.deleteText")}</p>
        </Confirm>
      )}
    </div>
  );
}

interface ForkProps {
  readonly id: string;
  readonly workspace: string | undefined;
  readonly failed: (error: SessionError) => void;
}

/** Asks for the name of a session that begins with what was said in this one. This one stays as it is. */
function Fork({ id, workspace, failed }: ForkProps) {
  const name = useSignal(`${nameOf(id)} (2)`);
  const isBusy = useSignal(false);
  const begin = async (event: Event) => {
    event.preventDefault();
    const key = name.value.trim();
    if (key === "" || isBusy.value) return;
    isBusy.value = true;
    try {
      // A name that is taken would be gone on with, and not begun.
      if (await isTaken(key)) throw new SessionError("SESSION_EXISTS", t("sessions.taken", { name: key }));
      fork(key, { from: id, messages: await everything(id), workspace });
      go({ page: "session", key });
    } catch (error) {
      failed(failureOf(error));
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form class="row" onSubmit={(event) => void begin(event)}>
      <input autofocus required maxLength={200} aria-label={t("sessions.newName")} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
      <button class="button primary" disabled={isBusy.value || name.value.trim() === ""}>{t("sessions.fork")}</button>
    </form>
  );
}

async function isTaken(key: string): Promise<boolean> {
  try {
    await server.value.session(key);
    return true;
  } catch (error) {
    if (failureOf(error).code === "SESSION_UNKNOWN") return false;
    throw error;
  }
}

function Files({ workspace }: { readonly workspace: string }) {
  const files = useResource(() => server.value.files(workspace), [workspace]);
  const documents = (files.value?.data ?? []).filter(({ path }) => /\.doc[xm]$/i.test(path));
  if (documents.length === 0) return null;
  return (
    <span>
      {t("sessions.document")}: {documents.slice(0, 5).map(({ path }, at) => (
        <>{at > 0 && ", "}<a key={path} href={link({ page: "document", workspace, path })}><bdi>{shown(path)}</bdi></a></>
      ))}
    </span>
  );
}

function Say({ talk }: { readonly talk: Talk }) {
  const text = draft(talk.place);
  const isRunning = talk.live.value !== undefined;
  const send = (event: Event) => {
    event.preventDefault();
    const said = text.value.trim();
    if (said === "" || isRunning) return;
    text.value = "";
    void talk.send(said);
  };
  return (
    <form class="say" onSubmit={send}>
      <textarea
        rows={2}
        aria-label={t("sessions.say")}
        placeholder={t("sessions.say")}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
        }}
      />
      <button class="button primary" disabled={isRunning || text.value.trim() === ""}>{t("ask.send")}</button>
    </form>
  );
}

/** All messages of a session, page by page. */
async function everything(id: string): Promise<readonly ChatMessage[]> {
  let messages: readonly ChatMessage[] = [];
  let before: number | undefined;
  do {
    const page = await server.value.session(id, before);
    messages = [...page.messages, ...messages];
    before = page.first_message;
  } while (before !== undefined && before > 0);
  return messages;
}

function transcript(messages: readonly ChatMessage[]): string {
  const said = messages.flatMap(({ role, content, tool_calls: calls = [], name }) => {
    if (role === "tool") return [`### ${name ?? ""} → ${content.length} characters`];
    const text = content === "" ? [] : [`## ${role === "user" ? t("ask.you") : t("ask.assistant")}\n\n${content}`];
    return [...text, ...calls.map((call) => `### ${call.function.name}\n\n    ${call.function.arguments.replaceAll("\n", "\n    ")}`)];
  });
  return `${said.join("\n\n")}\n`;
}
