// What a change has come to: each step with its rung, whether it was read back, and how to take all of it back.
//
// Must never call a step done that is not, or take anything back that the person has not seen before.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Show } from "../show.ts";
import { counts, type StepReport } from "../ladder/report.ts";
import { preview, type UndoReport } from "../ladder/undo.ts";
import { PlaceButton } from "./PlaceButton.tsx";
import { Copy } from "./Copy.tsx";
import { failureOf, type Pane } from "../state/pane.ts";
import { busy, failure, takeBack, type Item } from "../state/talk.ts";
import { shown, t } from "../texts.ts";

type ChangeItem = Extract<Item, { kind: "change" }>;

export function Change({ item, pane, show }: { readonly item: ChangeItem; readonly pane: Pane; readonly show: Show }) {
  const { outcome, undone } = item;
  const isLooking = useSignal(false);
  const seen = useSignal<readonly UndoReport[] | undefined>(undefined);
  const asking = useRef<HTMLDivElement>(null);
  // What appears in the place of a button takes over from it.
  useEffect(() => asking.current?.focus(), [seen.value]);
  const sum = counts(outcome);
  const refused = outcome.results.filter(({ status }) => status === "refused" || status === "failed");
  const others = outcome.steps.length - sum.done;
  const made = outcome.changeSet.steps.length + outcome.changeSet.comments.length;
  const look = async () => {
    isLooking.value = true;
    try {
      seen.value = await preview(pane.word, pane.tools.engine, outcome.changeSet);
    } catch (thrown) {
      failure.value = failureOf(thrown);
    } finally {
      isLooking.value = false;
    }
  };
  const goBack = async () => {
    await takeBack(pane, item.id, outcome.changeSet);
    seen.value = undefined;
  };
  // What could not be taken back, or was not reached, can be asked for again.
  const isOpen = !undone || undone.some(({ status }) => status === "left");
  const proofHolds = outcome.proof && outcome.proof.original.length === 0 && (outcome.proof.accepted ?? []).length === 0 && outcome.proof.errors.length === 0;
  return (
    <section class="card" aria-label={t("change.title")}>
      <p class="card-head">
        <strong>{t("change.done", { count: sum.done })}</strong>
        {others + refused.length > 0 && <span class="tag warn">{t("change.open", { count: others + refused.length })}</span>}
        {proofHolds && <span class="tag good">{t("change.proven")}</span>}
      </p>
      <ul class="rows">
        {outcome.steps.map((step, at) => <Step key={at} step={step} show={show} />)}
        {outcome.comments.map(({ paragraph, status, note }, at) => (
          <li key={`c${at}`} class="outcome">
            {paragraph > 0 && <PlaceButton number={paragraph} show={show} />}
            <span>{t("change.comment")} · {t(`step.${status}`)}</span>
            {note && <span class="small-text muted">{shown(note)}</span>}
          </li>
        ))}
        {refused.map(({ index, op, code, message }) => (
          <li key={`r${index}`} class="outcome">
            <code class="code">{shown(code ?? "")}</code>
            <span class="small-text">{shown(op)}: {shown((message ?? "").slice(0, 400))}</span>
          </li>
        ))}
      </ul>
      {outcome.proof && !proofHolds && (
        <p class="small-text warn-text">
          {t(outcome.others ? "change.others" : "change.differs")}{" "}
          {[...outcome.proof.original, ...(outcome.proof.accepted ?? [])].slice(0, 3).map(({ story, paragraph, what }) => `${story} P${paragraph} ${what}`).join(", ")}
          {outcome.proof.errors.slice(0, 2).map(shown).join(", ")}
        </p>
      )}
      {outcome.copy && <Copy what={t("copy.what")} name="redline.docx" bytes={outcome.copy} pane={pane} />}
      {undone && !seen.value && <Undone reports={undone} />}
      {isOpen && seen.value ? (
        <div class="undo" ref={asking} tabIndex={-1}>
          <p class="small-text">{t("undo.asks")}</p>
          <Undone reports={seen.value} isPreview />
          <div class="row">
            <button type="button" class="button danger small" disabled={busy.value !== "no"} onClick={() => void goBack()}>{t("undo.do")}</button>
            <button type="button" class="button small" onClick={() => (seen.value = undefined)}>{t("undo.keep")}</button>
          </div>
        </div>
      ) : isOpen && made > 0 ? (
        <button type="button" class="button quiet small" disabled={busy.value !== "no" || isLooking.value} onClick={() => void look()}>{t("undo.look")}</button>
      ) : null}
    </section>
  );
}

function Step({ step, show }: { readonly step: StepReport; readonly show: Show }) {
  const { status, rung, paragraph, author, checked, note } = step;
  return (
    <li class="outcome">
      <PlaceButton number={paragraph} show={show} />
      <span>
        {t(`step.${status}`)}
        {status === "done" && <> · {t(`rung.${rung}`)} · {shown(author ?? "")}{checked ? ` · ${t("step.checked")}` : ""}</>}
      </span>
      {note && <span class="small-text muted">{shown(note)}</span>}
    </li>
  );
}

function Undone({ reports, isPreview = false }: { readonly reports: readonly UndoReport[]; readonly isPreview?: boolean }) {
  return (
    <ul class="rows">
      {reports.map(({ paragraph, status, now, then, note }, at) => (
        <li key={at} class="outcome">
          <span>{paragraph > 0 ? `P${paragraph} · ` : ""}{t(isPreview && status === "undone" ? "undo.will" : `undo.${status}`)}</span>
          {isPreview && status === "undone" && (
            <span class="small-text"><del>{shown(now.slice(0, 160))}</del> <ins>{shown(then.slice(0, 160))}</ins></span>
          )}
          {note && <span class="small-text muted">{shown(note)}</span>}
        </li>
      ))}
    </ul>
  );
}
