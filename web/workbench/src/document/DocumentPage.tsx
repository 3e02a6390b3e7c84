// One document: its page, and beside it what can be done with it.
//
// Must never show the panel of one document beside the page of another.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Conversation } from "../parts/Conversation.tsx";
import { Failure } from "../parts/Failure.tsx";
import { csv, save } from "../parts/save.ts";
import { failureOf, server } from "../state/session.ts";
import type { SessionError } from "../../../shared/src/server-client.ts";
import { Talk } from "../state/talk.ts";
import { day, named, shown, t } from "../texts.ts";
import { Ask } from "./Ask.tsx";
import { Changes } from "./Changes.tsx";
import { Comments } from "./Comments.tsx";
import { DocumentModel } from "./model.ts";
import { Paper } from "./Paper.tsx";
import { Versions } from "./Versions.tsx";

const TABS = ["view", "changes", "comments", "conversation", "versions"] as const;
type Tab = (typeof TABS)[number];

/** The session of a document: as long as a key may be, whatever its path. */
export function sessionOf(workspace: string, path: string): string {
  const key = `document:${workspace}/${encodeURIComponent(path)}`;
  if (key.length <= 400) return key;
  let hash = 0n;
  for (const character of key) hash = (hash * 1_099_511_628_211n + BigInt(character.codePointAt(0) ?? 0)) & ((1n << 128n) - 1n);
  return `document:${workspace}/${hash.toString(16)}`;
}

interface Props {
  readonly workspace: string;
  readonly path: string;
}

export function DocumentPage({ workspace, path }: Props) {
  const model = useMemo(() => new DocumentModel(workspace, path), [workspace, path]);
  const talk = useMemo(() => new Talk(sessionOf(workspace, path), workspace, () => void model.load()), [model]);
  const tab = useSignal<Tab>("changes");
  useEffect(() => {
    void model.load();
    void talk.open();
    return model.watch();
  }, [model]);
  const loaded = model.loaded.value;
  const failure = model.failure.value;
  if (!model.drawn.value) {
    return (
      <div class="page">
        {failure ? <Failure failure={failure} retry={() => void model.load()} /> : <p class="empty" role="status">{t("document.loading")}</p>}
      </div>
    );
  }
  const count: Partial<Record<Tab, number>> = !loaded ? {} : { changes: model.rows.value.length, comments: loaded.comments.length };
  return (
    <div class={tab.value === "view" ? "bench shows-view" : "bench"}>
      <div class="bench-head">
        <h1><bdi>{shown(model.name)}</bdi></h1>
        <Downloads model={model} />
      </div>
      {failure && <Failure failure={failure} retry={() => void model.load()} />}
      <div class="bench-paper" tabIndex={0} role="region" aria-label={t("document.view")}>
        <Paper model={model} showComments={() => (tab.value = "comments")} reveal={() => (tab.value = "view")} />
      </div>
      <section class="bench-panel" aria-label={t("document.panel")}>
        <Tabs tab={tab.value} count={count} isTalking={talk.live.value !== undefined} choose={(next) => (tab.value = next)} />
        <div class="panel-body" role="tabpanel" id="panel" aria-labelledby={`tab-${tab.value}`} tabIndex={0}>
          {!loaded && (tab.value === "changes" || tab.value === "comments") && <p class="empty" role="status">{t("document.loading")}</p>}
          {loaded && tab.value === "changes" && <Changes model={model} />}
          {loaded && tab.value === "comments" && <Comments model={model} />}
          {tab.value === "conversation" && (
            <Conversation
              talk={talk}
              show={(address) => {
                model.show({ address });
              }}
            />
          )}
          {tab.value === "versions" && <Versions model={model} />}
        </div>
        <Ask model={model} talk={talk} sent={() => (tab.value = "conversation")} />
      </section>
    </div>
  );
}

interface TabsProps {
  readonly tab: Tab;
  readonly count: Partial<Record<Tab, number>>;
  readonly isTalking: boolean;
  readonly choose: (tab: Tab) => void;
}

function Tabs({ tab, count, isTalking, choose }: TabsProps) {
  const keys = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const there = TABS.filter((name) => document.getElementById(`tab-${name}`)?.offsetParent);
    const next = there[(there.indexOf(tab) + step + there.length) % there.length];
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={t("document.panel")} onKeyDown={keys}>
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          class={name === "view" ? "tab only-narrow" : "tab"}
          aria-selected={tab === name}
          aria-controls="panel"
          tabIndex={tab === name ? 0 : -1}
          onClick={() => choose(name)}
        >
          {t(`document.${name}`)}
          {count[name] !== undefined && <span class="count">{count[name]}</span>}
          {name === "conversation" && isTalking && <span class="busy" role="img" aria-label={t("ask.running")} />}
        </button>
      ))}
    </div>
  );
}

function Downloads({ model }: { readonly model: DocumentModel }) {
  const failure = useSignal<SessionError | undefined>(undefined);
  const file = async () => {
    failure.value = undefined;
    try {
      save(await server.value.bytes(model.workspace, model.path), model.name);
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  const list = () => {
    const head = ["#", t("changes.kind"), t("changes.author"), t("server.time"), t("comments.place"), "−", "+"];
    const rows = model.rows.value.map(({ number, kind, author, date, address, before, after }) => [
      String(number), named("kind", kind), author, date ?? "", address, before, after,
    ]);
    save(csv([head, ...rows]), `${model.name.replace(/\.docx$/i, "")}.changes.csv`);
  };
  return (
    <div class="downloads">
      <span class="muted only-wide">{model.loaded.value && lastChange(model)}</span>
      <button type="button" class="button" onClick={list} disabled={model.rows.value.length === 0}>{t("document.downloadChanges")}</button>
      <button type="button" class="button primary" onClick={() => void file()}>{t("document.downloadDocument")}</button>
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
    </div>
  );
}

/** When the newest of its changes was made. */
function lastChange(model: DocumentModel): string {
  const dates = (model.loaded.value?.revisions ?? []).flatMap(({ date }) => (date === null ? [] : [date])).sort();
  const last = dates.at(-1);
  return last === undefined ? "" : day(last);
}
