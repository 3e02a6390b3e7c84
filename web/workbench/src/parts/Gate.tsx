// Asks for the key of the server, and for the person's name, once.
//
// Must never keep the key anywhere but in memory, nor offer it to a store of the browser.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { gate, greet, person, token } from "../state/session.ts";
import type { SessionError } from "../../../shared/src/server-client.ts";
import { t } from "../texts.ts";
import { Failure } from "./Failure.tsx";

export function Gate() {
  const dialog = useRef<HTMLDialogElement>(null);
  const key = useSignal("");
  const isBusy = useSignal(false);
  const failure = useSignal<SessionError | undefined>(undefined);
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  const enter = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value || key.value.trim() === "") return;
    isBusy.value = true;
    token.value = key.value.trim();
    const problem = await greet();
    isBusy.value = false;
    failure.value = problem?.code === "UNAUTHORIZED" ? undefined : problem;
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="gate-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={(event) => void enter(event)} autocomplete="off">
        <h2 id="gate-title">{t("gate.title")}</h2>
        <p class="muted">{t("gate.text")}</p>
        <label>
          <span>{t("gate.key")}</span>
          <input
            type="password"
            required
            autofocus
            autocomplete="off"
            value={key.value}
            aria-invalid={gate.value === "refused"}
            aria-describedby="gate-problem"
            onInput={(event) => (key.value = event.currentTarget.value)}
          />
        </label>
        <p id="gate-problem" class="problem" role="alert">{gate.value === "refused" && !isBusy.value && <>{t("gate.wrong")} <code class="code">UNAUTHORIZED</code></>}</p>
        <label>
          <span>{t("person.name")}</span>
          <input value={person.value} autocomplete="off" maxLength={80} onInput={(event) => (person.value = event.currentTarget.value)} />
        </label>
        <p class="muted small-text">{t("person.nameHelp")}</p>
        {failure.value && <Failure failure={failure.value} />}
        <p class="row end">
          <button class="button primary" disabled={isBusy.value || key.value.trim() === ""}>{t("gate.enter")}</button>
        </p>
      </form>
    </dialog>
  );
}
