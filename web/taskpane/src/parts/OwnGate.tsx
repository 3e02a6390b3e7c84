// Asks for the person's own key for a provider, where no server is behind the pane.
//
// Must never keep it anywhere but in memory, nor offer it to a store of the browser.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ProviderName } from "../alone/session.ts";
import { gate, own } from "../state/pane.ts";
import { t } from "../texts.ts";
import { ProviderFields, usualModel } from "./ProviderFields.tsx";

export function OwnGate({ enter }: { readonly enter: () => Promise<void> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const provider = useSignal<ProviderName>(own.value?.provider ?? "anthropic");
  const model = useSignal(own.value?.model ?? "");
  const key = useSignal("");
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  const go = (event: Event) => {
    event.preventDefault();
    if (key.value.trim() === "") return;
    own.value = { provider: provider.value, model: model.value.trim() || usualModel(provider.value), key: key.value.trim() };
    void enter();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="gate-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={go} autocomplete="off">
        <h2 id="gate-title">{t("own.title")}</h2>
        <p class="small-text muted">{t("own.text")}</p>
        <ProviderFields provider={provider} model={model} secret={key} isWrong={gate.value === "refused"} problem="gate-problem" />
        <p id="gate-problem" class="problem" role="alert">{gate.value === "refused" ? t("own.wrong") : ""}</p>
        <button class="button primary" disabled={key.value.trim() === ""}>{t("gate.enter")}</button>
      </form>
    </dialog>
  );
}
