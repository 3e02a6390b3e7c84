// Asks for the key of the server, once.
//
// Must never keep it anywhere but in memory, nor offer it to a store of the browser.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { gate, token } from "../state/pane.ts";
import { t } from "../texts.ts";

export function Gate({ enter }: { readonly enter: () => Promise<void> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const key = useSignal("");
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  const go = (event: Event) => {
    event.preventDefault();
    if (key.value.trim() === "") return;
    token.value = key.value.trim();
    void enter();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="gate-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={go} autocomplete="off">
        <h2 id="gate-title">{t("gate.title")}</h2>
        <p class="small-text muted">{t("gate.text")}</p>
        <label>
          <span>{t("gate.key")}</span>
          <input type="password" required autocomplete="off" value={key.value} aria-invalid={gate.value === "refused"} aria-describedby="gate-problem" onInput={(event) => (key.value = event.currentTarget.value)} />
        </label>
        <p id="gate-problem" class="problem" role="alert">{gate.value === "refused" ? t("gate.wrong") : ""}</p>
        <button class="button primary">{t("gate.enter")}</button>
      </form>
    </dialog>
  );
}
