// The comments in their threads, and a new one on a paragraph or on words in it.
//
// Must never lose a comment that could not be written.
import { useSignal } from "@preact/signals";
import type { DocumentComment, Operation, SessionError } from "../../../shared/src/server-client.ts";
import { Clipped } from "../parts/Clipped.tsx";
import { Failure } from "../parts/Failure.tsx";
import { draft } from "../state/drafts.ts";
import { failureOf } from "../state/session.ts";
import { day, shown, t } from "../texts.ts";
import type { DocumentModel } from "./model.ts";

export function Comments({ model }: { readonly model: DocumentModel }) {
  const failure = useSignal<SessionError | undefined>(undefined);
  const comments = model.loaded.value?.comments ?? [];
  const roots = comments.filter(({ parent }) => parent === null || !comments.some(({ id }) => id === parent));
  const apply = async (operation: Operation): Promise<boolean> => {
    failure.value = undefined;
    try {
      return (await model.apply([operation])) !== undefined;
    } catch (error) {
      failure.value = failureOf(error);
      return false;
    }
  };
  return (
    <div class="pane">
      <NewComment model={model} apply={apply} />
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {roots.length === 0 && <p class="empty">{t("comments.none")}</p>}
      <ul class="threads">
        {roots.map((root) => (
          <Thread key={root.id} root={root} answers={answersTo(root, comments)} model={model} apply={apply} />
        ))}
      </ul>
    </div>
  );
}

/** All answers below a comment, in their order. */
function answersTo(root: DocumentComment, comments: readonly DocumentComment[]): readonly DocumentComment[] {
  const thread = new Set([root.id]);
  return comments.filter(({ id, parent }) => {
    const isAnswer = parent !== null && thread.has(parent) && id !== root.id;
    if (isAnswer) thread.add(id);
    return isAnswer;
  });
}

type Apply = (operation: Operation) => Promise<boolean>;

function NewComment({ model, apply }: { readonly model: DocumentModel; readonly apply: Apply }) {
  const place = `comment ${model.workspace}/${model.path}`;
  const text = draft(place);
  const words = draft(`${place} words`);
  const address = model.chosen.value ?? "";
  const add = async (event: Event) => {
    event.preventDefault();
    const content = text.value.trim();
    if (content === "" || address === "") return;
    const quoted = words.value.trim();
    const operation = { op: "insert_comment", target: address, commentContent: content, plain: true };
    if (await apply(quoted === "" ? operation : { ...operation, textToFind: quoted })) {
      text.value = "";
      words.value = "";
    }
  };
  return (
    <form class="new-comment" onSubmit={(event) => void add(event)}>
      <p class="muted">{t("comments.hint")}</p>
      <div class="fields">
        <label class="narrow">
          <span>{t("comments.place")}</span>
          <input
            value={address}
            placeholder="P12"
            required
            autocomplete="off"
            onInput={(event) => (model.chosen.value = event.currentTarget.value.trim() || undefined)}
          />
        </label>
        <label>
          <span>{t("comments.words")}</span>
          <input value={words.value} autocomplete="off" onInput={(event) => (words.value = event.currentTarget.value)} />
        </label>
      </div>
      <label>
        <span>{t("comments.text")}</span>
        <textarea rows={2} required value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
      <p class="row end">
        <button class="button" disabled={model.isBusy.value || text.value.trim() === ""}>{t("comments.send")}</button>
      </p>
    </form>
  );
}

interface ThreadProps {
  readonly root: DocumentComment;
  readonly answers: readonly DocumentComment[];
  readonly model: DocumentModel;
  readonly apply: Apply;
}

function Thread({ root, answers, model, apply }: ThreadProps) {
  const reply = draft(`reply ${model.workspace}/${model.path} ${root.id}`);
  const isAnswering = useSignal(reply.value !== "");
  const commentId = Number(root.id);
  const send = async (event: Event) => {
    event.preventDefault();
    if (reply.value.trim() === "") return;
    if (await apply({ op: "comment_reply", commentId, content: reply.value.trim(), plain: true })) {
      reply.value = "";
      isAnswering.value = false;
    }
  };
  return (
    <li class={root.resolved ? "thread is-resolved" : "thread"}>
      <Words comment={root} model={model} />
      {answers.map((answer) => <Words key={answer.id} comment={answer} model={model} />)}
      <p class="row">
        {root.resolved && <span class="tag">{t("comments.resolved")}</span>}
        <button type="button" class="button small quiet" onClick={() => (isAnswering.value = !isAnswering.value)}>{t("comments.reply")}</button>
        <button
          type="button"
          class="button small quiet"
          disabled={model.isBusy.value}
          onClick={() => void apply({ op: "comment_resolve", commentId, resolved: !root.resolved })}
        >
          {t(root.resolved ? "comments.reopen" : "comments.resolve")}
        </button>
      </p>
      {isAnswering.value && (
        <form onSubmit={(event) => void send(event)}>
          <textarea
            rows={2}
            aria-label={t("comments.replyLabel", { author: shown(root.author) })}
            value={reply.value}
            onInput={(event) => (reply.value = event.currentTarget.value)}
          />
          <p class="row end">
            <button class="button small" disabled={model.isBusy.value || reply.value.trim() === ""}>{t("comments.reply")}</button>
          </p>
        </form>
      )}
    </li>
  );
}

function Words({ comment, model }: { readonly comment: DocumentComment; readonly model: DocumentModel }) {
  const { author, date, address, quoted, text, parent } = comment;
  return (
    <div class={parent === null ? "comment-words" : "comment-words is-answer"}>
      <p class="comment-by">
        <strong><bdi>{shown(author) || t("common.unknown")}</bdi></strong>
        {date !== null && <span class="muted"> {day(date)}</span>}
        {address !== "" && parent === null && (
          <button type="button" class="place" onClick={() => model.show({ address })}>{shown(address)}</button>
        )}
      </p>
      {quoted !== "" && parent === null && <blockquote><Clipped text={quoted} most={200} /></blockquote>}
      <p class="said"><Clipped text={text} most={5_000} /></p>
    </div>
  );
}
