// The page: the changes by paragraph, each with its two buttons where the host lets it act.
import { useSignal } from "@preact/signals";
import { shown } from "../../shared/src/shown.ts";
import type { ChangeRow } from "../../workbench/src/document/rows.ts";
import type { Host } from "./host.ts";
import type { ChangeList, ParagraphChanges, Piece } from "./list.ts";
import type { ReviewModel, Side } from "./model.ts";
import { kindNamed, language, t } from "./texts.ts";

/** So much of a text is shown in a row, and of what stays around changes. */
const LONGEST = 240;
const AROUND = 60;

interface Props {
  readonly model: ReviewModel;
  readonly host: Host;
}

export function Review({ model, host }: Props) {
  const scene = model.scene.value;
  const notice = model.notice.value;
  return (
    <>
      {scene.kind === "list" ? <List list={scene.list} model={model} host={host} /> : <h1>{t("title")}</h1>}
      {scene.kind === "waiting" && <p class="muted">{t("waiting")}</p>}
      {scene.kind === "alone" && <p class="muted">{t("alone")}</p>}
      {scene.kind === "cancelled" && <p class="muted">{t("cancelled")}</p>}
      {scene.kind === "text" && <pre tabIndex={0}>{shown(scene.text)}</pre>}
      <p class={`notice${notice?.isBad ? " bad" : ""}`} role="status" aria-live="polite">
        {model.isBusy.value ? t("busy") : notice ? shown(notice.text) : ""}
      </p>
    </>
  );
}

function List({ list, model, host }: Props & { readonly list: ChangeList }) {
  const asks = useSignal<Side | undefined>(undefined);
  const can = model.abilities.value.callsTools;
  const isBusy = model.isBusy.value;
  const file = shown(list.path);
  const all = (side: Side) => {
    asks.value = undefined;
    void model.decide(host, side, "all");
  };
  return (
    <>
      <header>
        <h1>{t("title")}</h1>
        <p class="file"><bdi>{file}</bdi> <span class="count">{list.total === 1 ? t("one") : t("left", { count: list.total })}</span></p>
        {can && (
          <p class="actions">
            {list.total > 0 && (
              <>
                <button type="button" disabled={isBusy} onClick={() => (asks.value = "accept")}>{t("acceptAll")}</button>
                <button type="button" disabled={isBusy} onClick={() => (asks.value = "reject")}>{t("rejectAll")}</button>
              </>
            )}
            <button type="button" class="quiet" disabled={isBusy} onClick={() => void model.refresh(host)}>{t("refresh")}</button>
          </p>
        )}
      </header>
      {asks.value && (
        <p class="sure" role="alert">
          {t(asks.value === "accept" ? "sure" : "sureReject", { count: list.total, file })}{" "}
          <button type="button" onClick={() => all(asks.value ?? "accept")}>{t("yes")}</button>{" "}
          <button type="button" class="quiet" onClick={() => (asks.value = undefined)}>{t("no")}</button>
        </p>
      )}
      {list.total === 0 ? <p class="muted">{t("none")}</p> : <p class="muted small">{can ? t(list.inPlace ? "inPlace" : "newFile") : t("readOnly")}</p>}
      {list.paragraphs.map((paragraph) => (
        <Paragraph key={paragraph.address} paragraph={paragraph} model={model} host={host} />
      ))}
      {list.more > 0 && <p class="muted">{t("more", { count: list.more })}</p>}
    </>
  );
}

function Paragraph({ paragraph, model, host }: Props & { readonly paragraph: ParagraphChanges }) {
  const { address, pieces, rows } = paragraph;
  return (
    <section aria-label={address === "" ? t("nowhere") : shown(address)}>
      <h2>{address === "" ? t("nowhere") : shown(address)}</h2>
      {pieces.length > 0 && <p class="words">{pieces.map((piece, at) => <Words key={at} piece={piece} isFirst={at === 0} isLast={at === pieces.length - 1} />)}</p>}
      <ol>
        {rows.map((row) => (
          <Row key={row.ids.join(" ")} row={row} model={model} host={host} />
        ))}
      </ol>
    </section>
  );
}

function Words({ piece, isFirst, isLast }: { readonly piece: Piece; readonly isFirst: boolean; readonly isLast: boolean }) {
  if (piece.kind === "gone") return <del>{short(piece.text)}</del>;
  if (piece.kind === "come") return <ins>{short(piece.text)}</ins>;
  return <>{around(piece.text, isFirst, isLast)}</>;
}

function Row({ row, model, host }: Props & { readonly row: ChangeRow }) {
  const { number, kind, author, date, before, after } = row;
  const decide = (side: Side) => void model.decide(host, side, [row]);
  const isBusy = model.isBusy.value;
  return (
    <li>
      <span class="what">
        <span class="kind">{number}. {shown(kindNamed(kind))}</span>{" "}
        {before !== "" && <del>{short(before)}</del>}
        {before !== "" && after !== "" && " "}
        {after !== "" && <ins>{short(after)}</ins>}
        {before === "" && after === "" && <span class="muted">{t("noText")}</span>}
        <span class="who"><bdi>{shown(author) || t("somebody")}</bdi>{date === null ? "" : `, ${day(date)}`}</span>
      </span>
      {model.abilities.value.callsTools && (
        <span class="buttons">
          <button type="button" class="accept" disabled={isBusy} aria-label={t("acceptOne", { number })} onClick={() => decide("accept")}>{t("accept")}</button>
          <button type="button" class="reject" disabled={isBusy} aria-label={t("rejectOne", { number })} onClick={() => decide("reject")}>{t("reject")}</button>
        </span>
      )}
    </li>
  );
}

function short(text: string): string {
  return text.length > LONGEST ? `${shown(text.slice(0, LONGEST))}…` : shown(text);
}

/** Text that stays: what is far from a change is left out. */
function around(text: string, isFirst: boolean, isLast: boolean): string {
  const most = AROUND * (isFirst || isLast ? 1 : 2);
  if (text.length <= most + 10) return shown(text);
  if (isFirst && isLast) return `${shown(text.slice(0, LONGEST))}${text.length > LONGEST ? "…" : ""}`;
  if (isFirst) return `…${shown(text.slice(-AROUND))}`;
  if (isLast) return `${shown(text.slice(0, AROUND))}…`;
  return `${shown(text.slice(0, AROUND))} … ${shown(text.slice(-AROUND))}`;
}

function day(date: string): string {
  const millis = Date.parse(date);
  if (Number.isNaN(millis)) return shown(date);
  return new Intl.DateTimeFormat(language.value === "de" ? "de" : "en-GB", { dateStyle: "medium" }).format(new Date(millis));
}
