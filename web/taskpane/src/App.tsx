// The frame of the pane: chat, checks and settings, and what stands above them.
//
// Must never let two things change the document at once: one lock is for all of it.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Chat } from "./parts/Chat.tsx";
import { Checks } from "./parts/Checks.tsx";
import { Compare } from "./parts/Compare.tsx";
import { Gate } from "./parts/Gate.tsx";
import { OwnGate } from "./parts/OwnGate.tsx";
import { Settings } from "./parts/Settings.tsx";
import type { Show } from "./show.ts";
import { beginAnew, broughtIsGone, conversationKey, failureOf, gate, greet, isAlone, type Pane } from "./state/pane.ts";
import { busy, failure, items, restore } from "./state/talk.ts";
import { language, t } from "./texts.ts";

const VIEWS = ["chat", "checks", "compare", "settings"] as const;

export function App({ pane }: { readonly pane: Pane }) {
  const view = useSignal<(typeof VIEWS)[number]>("chat");
  const lost = useSignal("");
  const start = async () => {
    failure.value = await greet();
    if (failure.value?.code === "UNAUTHORIZED") failure.value = undefined;
    else if (!failure.value) await restore();
  };
  useEffect(() => {
    void start();
  }, []);
  useEffect(() => {
    document.documentElement.lang = language.value;
  }, [language.value]);
  const show: Show = (address, words) => {
    lost.value = "";
    const number = Number(address.replace(/\D/g, ""));
    pane.tools.show(number, words).then(
      (isThere) => {
        if (!isThere) lost.value = t("show.gone", { address });
      },
      (thrown: unknown) => {
        lost.value = t("show.failed", { address, why: failureOf(thrown).message });
      },
    );
  };
  const anew = () => {
    beginAnew(pane);
    items.value = [];
    failure.value = undefined;
  };
  return (
    <>
      <header class="top">
        <nav class="tabs" aria-label={t("app.views")}>
          {VIEWS.map((name) => (
            <button key={name} type="button" class="tab" aria-current={view.value === name ? "page" : undefined} onClick={() => (view.value = name)}>
              {t(`view.${name}`)}
            </button>
          ))}
        </nav>
        <button type="button" class="button quiet small" disabled={busy.value !== "no"} onClick={anew}>{t("chat.new")}</button>
      </header>
      <main class="main" key={conversationKey.value}>
        <h1 class="visually-hidden">{t(`view.${view.value}`)}</h1>
        {view.value === "chat" && <Chat pane={pane} show={show} retry={() => void start()} />}
        {view.value === "checks" && <Checks pane={pane} show={show} />}
        {view.value === "compare" && <Compare pane={pane} />}
        {view.value === "settings" && <Settings pane={pane} />}
      </main>
      <p class="lost" role="status">{lost.value === "" && broughtIsGone.value ? t("brought.gone") : lost}</p>
      {gate.value !== "open" && (isAlone ? <OwnGate enter={start} /> : <Gate enter={start} />)}
    </>
  );
}
