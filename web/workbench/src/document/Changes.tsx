// The tracked changes: each with its kind, author, text and place, to be accepted or rejected one by one or as filtered.
//
// Must never resolve a change that is not in the list that the person sees.
import { useComputed, useSignal } from "@preact/signals";
import type { SessionError } from "../../../shared/src/server-client.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { Failure } from "../parts/Failure.tsx";
import { dismiss, say } from "../state/notice.ts";
import { failureOf } from "../state/session.ts";
import { day, named, shown, t } from "../texts.ts";
import type { DocumentModel } from "./model.ts";
import { GROUPS, groupOf } from "./rows.ts";
import type { ChangeRow } from "./rows.ts";

/** So many rows are drawn at once. */
const PAGE = 200;

/** So much of a text is shown in a row. */
const LONGEST = 240;

type Side = "accept" | "reject";

export function Changes({ model }: { readonly model: DocumentModel }) {
  const author = useSignal("");
  const group = useSignal("");
  const limit = useSignal(PAGE);
  const asks = useSignal<Side | undefined>(undefined);
  const failure = useSignal<SessionError | undefined>(undefined);
  const rows = model.rows.value;
  const fitting = useComputed(() =>
    model.rows.value.filter(
      (row) => (author.value === "" || row.author === author.value) && (group.value === "" || groupOf(row.kind) === group.value),
    ),
  ).value;
  const authors = [...new Set(rows.map((row) => row.author))];
  const groups = GROUPS.filter((name) => rows.some((row) => groupOf(row.kind) === name));

  const resolve = async (side: Side, chosen: readonly ChangeRow[]) => {
    failure.value = undefined;
    // The offer to take the last decision back is over with the next one.
    dismiss();
    const receipt = await model.agreed([{ op: side, ids: chosen.flatMap((row) => row.ids) }]);
    if (!receipt) return;
    const { checkpoint } = receipt;
    const tag = model.loaded.value?.tag ?? null;
    const text = t(side === "accept" ? "changes.accepted" : "changes.rejected", { count: chosen.length });
    say(text, checkpoint === null ? undefined : { label: t("changes.undo"), run: () => void undo(checkpoint, tag) });
  };
  const undo = async (checkpoint: string, tag: string | null) => {
    try {
      await model.restore(checkpoint, tag);
      say(t("changes.undone"));
    } catch (error) {
      // The person may look at comments or versions by now, where this list is not.
      model.failure.value = failureOf(error);
    }
  };
  const one = (side: Side, row: ChangeRow) => {
    // A double click is one decision.
    if (model.isBusy.value) return;
    resolve(side, [row]).catch((error: unknown) => (failure.value = failureOf(error)));
  };

  if (rows.length === 0) {
    return (
      <div class="pane">
        {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
        <p class="empty">{t("changes.none")}</p>
      </div>
    );
  }
  const isBusy = model.isBusy.value;
  return (
    <div class="pane">
      <div class="filters">
        <label>
          <span>{t("changes.author")}</span>
          <select value={author.value} onChange={(event) => (author.value = event.currentTarget.value)}>
            <option value="">{t("changes.all")}</option>
            {authors.map((name) => <option key={name} value={name}>{shown(name) || t("common.unknown")}</option>)}
          </select>
        </label>
        <label>
          <span>{t("changes.kind")}</span>
          <select value={group.value} onChange={(event) => (group.value = event.currentTarget.value)}>
            <option value="">{t("changes.all")}</option>
            {groups.map((name) => <option key={name} value={name}>{named("group", name)}</option>)}
          </select>
        </label>
        <span class="row">
          <button type="button" class="button small" disabled={isBusy || fitting.length === 0} onClick={() => (asks.value = "accept")}>
            {t("changes.acceptShown", { count: fitting.length })}
          </button>
          <button type="button" class="button small" disabled={isBusy || fitting.length === 0} onClick={() => (asks.value = "reject")}>
            {t("changes.rejectShown", { count: fitting.length })}
          </button>
        </span>
      </div>
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {fitting.length === 0 && <p class="empty">{t("changes.noneFit")}</p>}
      <ol class="changes">
        {fitting.slice(0, limit.value).map((row) => (
          <Change key={row.ids.join(" ")} row={row} model={model} isBusy={isBusy} resolve={one} />
        ))}
      </ol>
      {fitting.length > limit.value && (
        <button type="button" class="button" onClick={() => (limit.value += PAGE)}>{t("common.more")}</button>
      )}
      {asks.value && (
        <Confirm
          title={t(asks.value === "accept" ? "changes.confirmAccept" : "changes.confirmReject", { count: fitting.length })}
          yes={t(asks.value === "accept" ? "changes.accept" : "changes.reject")}
          act={() => resolve(asks.value ?? "accept", fitting)}
          close={() => (asks.value = undefined)}
        >
          <p>{t("changes.confirmText")}</p>
        </Confirm>
      )}
    </div>
  );
}

interface ChangeProps {
  readonly row: ChangeRow;
  readonly model: DocumentModel;
  readonly isBusy: boolean;
  readonly resolve: (side: Side, row: ChangeRow) => void;
}

function Change({ row, model, isBusy, resolve }: ChangeProps) {
  const { number, ids, kind, author, date, address, before, after } = row;
  const show = () => model.show({ address, ...(ids[0] === undefined ? {} : { revision: ids[0] }) });
  return (
    <li class="change-row">
      <button type="button" class="change-text" onClick={show} title={t("changes.show", { address: shown(address) })}>
        <span class="change-kind">
          <span class={`mark mark-${groupOf(kind)}`} aria-hidden="true" />
          {named("kind", kind)}
        </span>
        <span class="change-words">
          {before !== "" && <del>{short(before)}</del>}
          {before !== "" && after !== "" && " "}
          {after !== "" && <ins>{short(after)}</ins>}
          {before === "" && after === "" && <span class="muted">{t("changes.noText")}</span>}
        </span>
        <span class="change-meta">
          <bdi>{shown(author) || t("common.unknown")}</bdi>
          {date !== null && <span>{day(date)}</span>}
          <span>{shown(address)}</span>
        </span>
      </button>
      <span class="change-actions">
        <button type="button" class="icon accept" disabled={isBusy} aria-label={t("changes.acceptOne", { number })} title={t("changes.accept")} onClick={() => resolve("accept", row)}>
          <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.2 3.2L13 5" /></svg>
        </button>
        <button type="button" class="icon reject" disabled={isBusy} aria-label={t("changes.rejectOne", { number })} title={t("changes.reject")} onClick={() => resolve("reject", row)}>
          <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 4l8 8M12 4l-8 8" /></svg>
        </button>
      </span>
    </li>
  );
}

function short(text: string): string {
  return text.length > LONGEST ? `${shown(text.slice(0, LONGEST))}…` : shown(text);
}
