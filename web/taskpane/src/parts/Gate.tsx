// Asks for the key of the server, once.
//
// Must never keep it anywhere but in memory, nor offer it to a store of the browser.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { gate, token } from "../state/pane.ts";
import { failure } from "../state/talk.ts";
import { shown, t } from "../texts.ts";

export function Gate({ enter }: { readonly enter: () => Promise<void> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const key = useSignal("");
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  const isBusy = useSignal(false);
  const go = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value || key.value.trim() === "") return;
    isBusy.value = true;
    token.value = key.value.trim();
    await enter();
    isBusy.value = false;
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="gate-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={(event) => void go(event)} autocomplete="off">
        <h2 id="gate-title">{t("gate.title")}</h2>
        <p class="small-text muted">{t("gate.text")}</p>
        <label>
          <span>{t("gate.key")}</span>
          <input type="password" required autocomplete="off" value={key.value} aria-invalid={gate.value === "refused"} aria-describedby="gate-problem" onInput={(event) => (key.value = event.currentTarget.value)} />
        </label>
        <p id="gate-problem" class="problem" role="alert">{isBusy.value ? "" : failure.value ? `${failure.value.code}: ${shown(failure.value.message.slice(0, 600))}` : gate.value === "refused" ? t("gate.wrong") : ""}</p>
        <button class="button primary" disabled={isBusy.value || key.value.trim() === ""}>{t("gate.enter")}</button>
      </form>
    </dialog>
  );
}
