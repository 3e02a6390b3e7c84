// The conversation: what was said and done, and where the person says more.
//
// Must never clear what the person is typing, or offer to send while something is under way.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Show } from "../show.ts";
import type { Pane } from "../state/pane.ts";
import { failureOf, modelName } from "../state/pane.ts";
import { aboutPlace } from "../state/places.ts";
import { busy, cancel, draft, failure, items, send, type Item } from "../state/talk.ts";
import { isText, shown, t } from "../texts.ts";
import { Change } from "./Change.tsx";
import { Failure } from "./Failure.tsx";
import { Prose } from "./Prose.tsx";

export function Chat({ pane, show, retry }: { readonly pane: Pane; readonly show: Show; readonly retry: () => void }) {
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const isAtEnd = useRef(true);
  const count = items.value.length;
  const found = useSignal<number | undefined>(undefined);
  const notFound = useSignal("");
  useEffect(() => {
    if (list.current && isAtEnd.current) list.current.scrollTop = list.current.scrollHeight;
  });
  const say = (event?: Event) => {
    event?.preventDefault();
    const text = draft.value;
    if (busy.value !== "no" || text.trim() === "") return;
    draft.value = "";
    isAtEnd.current = true;
    void send(pane, text).then(() => field.current?.focus());
  };
  const find = async () => {
    notFound.value = "";
    try {
      found.value = await aboutPlace(pane, items.value);
      if (found.value === undefined) notFound.value = t("chat.notAbout");
      const row = found.value === undefined ? undefined : list.current?.querySelectorAll<HTMLElement>(":scope > [data-row]")[found.value];
      isAtEnd.current = false;
      row?.scrollIntoView({ block: "nearest" });
      row?.focus();
    } catch (thrown) {
      notFound.value = failureOf(thrown).message;
    }
  };
  return (
    <div class="chat">
      <div
        ref={list}
        class="talk"
        role="log"
        aria-label={t("chat.log")}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => (isAtEnd.current = scrollHeight - scrollTop - clientHeight < 60)}
      >
        {count === 0 && <Welcome />}
        {items.value.map((item, at) => (
          <div key={"id" in item ? item.id : at} data-row tabIndex={-1} class={found.value === at ? "talk-row is-found" : "talk-row"}>
            <Row item={item} pane={pane} show={show} />
          </div>
        ))}
        {failure.value && <Failure failure={failure.value} retry={retry} dismiss={() => (failure.value = undefined)} />}
      </div>
      <form class="say" onSubmit={say}>
        <label>
          <span class="visually-hidden">{t("chat.ask")}</span>
          <textarea
            ref={field}
            rows={3}
            value={draft.value}
            placeholder={t("chat.ask")}
            onInput={(event) => (draft.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.shiftKey && !event.isComposing) say(event);
            }}
          />
        </label>
        {count > 0 && (
          <div class="row spread">
            <button type="button" class="button quiet small" onClick={() => void find()}>{t("chat.about")}</button>
            <span class="small-text muted" role="status">{notFound.value}</span>
          </div>
        )}
        <div class="row spread">
          <span class="small-text muted" role="status">{busy.value === "no" ? shown(modelName.value ?? "") : t(`busy.${busy.value}`)}</span>
          {/* Two buttons and not one that changes: a click on the second would send the form once it has become the first. */}
          {busy.value === "no" ? (
            <button key="send" class="button primary" disabled={draft.value.trim() === ""}>{t("chat.send")}</button>
          ) : (
            <button key="stop" type="button" class="button" disabled={busy.value === "stopping"} onClick={() => void cancel()}>{t("chat.stop")}</button>
          )}
        </div>
      </form>
    </div>
  );
}

function Welcome() {
  return (
    <div class="hint">
      <p>{t("welcome.what")}</p>
      {(["one", "two", "three"] as const).map((name) => (
        <button key={name} type="button" class="example" onClick={() => (draft.value = t(`example.${name}`))}>{t(`example.${name}`)}</button>
      ))}
    </div>
  );
}

function Row({ item, pane, show }: { readonly item: Item; readonly pane: Pane; readonly show: Show }) {
  switch (item.kind) {
    case "asked":
      return <p class="bubble">{shown(item.text)}</p>;
    case "said":
      return <Prose text={item.text} show={show} />;
    case "sources":
      return (
        <section class="card sources" aria-label={t("sources.title")}>
          <p class="card-head"><strong>{t("sources.title")}</strong></p>
          <ol class="rows">
            {item.sources.map(({ url, title }) => (
              <li key={url} class="outcome">
                <a href={url} target="_blank" rel="noopener noreferrer">{shown(title)}</a>
                <span class="small-text muted">{shown(hostOf(url))}</span>
              </li>
            ))}
          </ol>
        </section>
      );
    case "stopped":
      return <p class="muted small-text">{t("chat.stopped")}</p>;
    case "change":
      return <Change item={item} pane={pane} show={show} />;
    case "tool": {
      const name = `tool.${item.name}`;
      return (
        <div class={`step is-${item.state}`}>
          <span class="step-mark" aria-hidden="true" />
          <span>{isText(name) ? t(name) : shown(item.name)}{item.progress ? ` ${item.progress}` : ""} · {t(`state.${item.state}`)}</span>
          {item.detail && <p class="small-text why">{shown(item.detail.slice(0, 600))}</p>}
        </div>
      );
    }
  }
}

/** The machine of an address, so that nobody is led elsewhere than a title says. */
function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
