// The frame of the page: where one can go, who one is, and what the page has to say.
//
// Must never show a page of the server before it is known whether the person may see it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SessionError } from "../../shared/src/server-client.ts";
import { DocumentPage } from "./document/DocumentPage.tsx";
import { Compare } from "./pages/Compare.tsx";
import { Documents } from "./pages/Documents.tsx";
import { Server } from "./pages/Server.tsx";
import { Session } from "./pages/Session.tsx";
import { Sessions } from "./pages/Sessions.tsx";
import { Skills } from "./pages/Skills.tsx";
import { Task } from "./pages/Task.tsx";
import { Tasks } from "./pages/Tasks.tsx";
import { Writes } from "./pages/Writes.tsx";
import { Failure } from "./parts/Failure.tsx";
import { Gate } from "./parts/Gate.tsx";
import { dismiss, notice } from "./state/notice.ts";
import { link, route } from "./state/route.ts";
import type { Route } from "./state/route.ts";
import { gate, greet, models, person } from "./state/session.ts";
import { language, shown, t } from "./texts.ts";

const NAV = ["documents", "compare", "sessions", "tasks", "writes", "skills", "server"] as const;

/** The entry of the menu that a page belongs to. */
function entryOf(page: Route["page"]): string {
  return page === "document" ? "documents" : page === "session" ? "sessions" : page === "task" ? "tasks" : page;
}

export function App() {
  const failure = useSignal<SessionError | undefined>(undefined);
  const main = useRef<HTMLElement>(null);
  const to = route.value;
  const start = async () => {
    failure.value = undefined;
    failure.value = await greet();
  };
  useEffect(() => {
    void start();
    // A file that misses its place must not replace the page.
    const stay = (event: DragEvent) => event.preventDefault();
    addEventListener("dragover", stay);
    addEventListener("drop", stay);
    return () => {
      removeEventListener("dragover", stay);
      removeEventListener("drop", stay);
    };
  }, []);
  const place = link(to);
  const isFirst = useRef(true);
  useEffect(() => {
    // The head of the page stands over what is scrolled to, so that the page begins at its beginning.
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [place]);
  useEffect(() => {
    document.documentElement.lang = language.value;
    document.title = `${to.page === "document" ? `${shown(to.path.split("/").at(-1) ?? "")} · ` : ""}engross`;
  }, [place, language.value]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault();
        main.current?.focus();
      }}>{t("app.skip")}</a>
      <header class="top">
        <a class="brand" href="#/documents">engross</a>
        <nav aria-label={t("app.nav")}>
          {NAV.map((page) => (
            <a key={page} href={link({ page })} aria-current={entryOf(to.page) === page ? "page" : undefined}>{t(`nav.${page}`)}</a>
          ))}
        </nav>
        <Person />
        <button type="button" class="button quiet small" onClick={() => (language.value = language.value === "en" ? "de" : "en")} lang={language.value === "en" ? "de" : "en"}>
          {language.value === "en" ? "Deutsch" : "English"}
        </button>
      </header>
      <main ref={main} id="main" tabIndex={-1} class={to.page === "document" ? "main is-bench" : "main"}>
        {models.value ? <Page to={to} /> : failure.value && gate.value === "open" ? (
          <div class="page"><Failure failure={failure.value} retry={() => void start()} /></div>
        ) : null}
      </main>
      {gate.value !== "open" && <Gate />}
      <div class="notice-place" role="status">
        {notice.value && (
          <div class="notice">
            <span>{notice.value.text}</span>
            {notice.value.action && (
              <button type="button" class="button small" onClick={() => {
                const run = notice.value?.action?.run;
                dismiss();
                run?.();
              }}>{notice.value.action.label}</button>
            )}
            <button type="button" class="icon" aria-label={t("common.close")} onClick={dismiss}>
              <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 4l8 8M12 4l-8 8" /></svg>
            </button>
          </div>
        )}
      </div>
    </>
  );
}

function Page({ to }: { readonly to: Route }) {
  switch (to.page) {
    case "document":
      return <DocumentPage key={link(to)} workspace={to.workspace} path={to.path} />;
    case "compare":
      return <Compare />;
    case "sessions":
      return <Sessions />;
    case "session":
      return <Session key={to.key} id={to.key} />;
    case "tasks":
      return <Tasks />;
    case "task":
      return <Task key={to.id} id={to.id} />;
    case "writes":
      return <Writes />;
    case "skills":
      return <Skills />;
    case "server":
      return <Server />;
    default:
      return <Documents />;
  }
}

function Person() {
  return (
    <label class="person">
      <span class="visually-hidden">{t("person.name")}</span>
      <input
        value={person.value}
        placeholder={t("person.name")}
        title={t("person.nameHelp")}
        autocomplete="off"
        maxLength={80}
        onInput={(event) => (person.value = event.currentTarget.value)}
      />
    </label>
  );
}
