// The person's own questions to the document, and what the model found.
import { useSignal } from "@preact/signals";
import type { SessionError } from "../../../shared/src/session-client.ts";
import type { Show } from "../show.ts";
import { add, cancel, checks, remove, run, running, stopping } from "../state/checks.ts";
import { failureOf, type Pane } from "../state/pane.ts";
import { busy } from "../state/talk.ts";
import { shown, t } from "../texts.ts";
import { Failure } from "./Failure.tsx";
import { Prose } from "./Prose.tsx";

export function Checks({ pane, show }: { readonly pane: Pane; readonly show: Show }) {
  const question = useSignal("");
  const put = (event: Event) => {
    event.preventDefault();
    add(question.value);
    question.value = "";
  };
  const problem = useSignal<SessionError | undefined>(undefined);
  const start = () => {
    problem.value = undefined;
    run(pane).catch((thrown: unknown) => (problem.value = failureOf(thrown)));
  };
  return (
    <div class="page">
      <p class="small-text muted">{t("checks.what")}</p>
      <div class="row">
        {running.value ? (
          <button type="button" class="button" disabled={stopping.value} onClick={cancel}>{t("chat.stop")}</button>
        ) : (
          <button type="button" class="button primary" disabled={busy.value !== "no" || checks.value.length === 0} onClick={start}>{t("checks.run", { count: checks.value.length })}</button>
        )}
      </div>
      {problem.value && <Failure failure={problem.value} retry={start} dismiss={() => (problem.value = undefined)} />}
      <ul class="rows" aria-live="polite">
        {checks.value.map((check) => (
          <li key={check.id} class="card">
            <p class="card-head">
              <strong>{shown(check.question)}</strong>
              {check.verdict && check.state === "done" && <span class={`tag ${check.verdict === "look" ? "warn" : check.verdict}`}>{t(`verdict.${check.verdict}`)}</span>}
              {check.state === "running" && <span class="tag">{t("state.running")}</span>}
              {check.state === "failed" && <span class="tag bad">{t("state.failed")}</span>}
            </p>
            {check.text && check.state !== "new" && <Prose text={check.text} show={show} />}
            <button type="button" class="button quiet small" disabled={running.value} onClick={() => remove(check.id)} aria-label={t("checks.remove", { question: check.question })}>{t("checks.delete")}</button>
          </li>
        ))}
      </ul>
      <form class="row" onSubmit={put}>
        <label class="grow">
          <span>{t("checks.new")}</span>
          <input value={question.value} maxLength={400} onInput={(event) => (question.value = event.currentTarget.value)} />
        </label>
        <button class="button" disabled={question.value.trim() === ""}>{t("checks.add")}</button>
      </form>
    </div>
  );
}
