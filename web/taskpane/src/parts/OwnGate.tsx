// Asks for the person's own key for a provider, where no server is behind the pane.
//
// Must never keep it anywhere but in memory, nor offer it to a store of the browser.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ProviderName } from "../alone/session.ts";
import { gate, own } from "../state/pane.ts";
import { t } from "../texts.ts";

const PROVIDERS: readonly (readonly [ProviderName, string, string])[] = [
  ["anthropic", "Anthropic", "claude-sonnet-4-5"],
  ["openai", "OpenAI", "gpt-5"],
  ["gemini", "Google Gemini", "gemini-2.5-pro"],
];

export function OwnGate({ enter }: { readonly enter: () => Promise<void> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const provider = useSignal<ProviderName>(own.value?.provider ?? "anthropic");
  const usual = PROVIDERS.find(([name]) => name === provider.value)?.[2] ?? "";
  const model = useSignal(own.value?.model ?? "");
  const key = useSignal("");
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  const go = (event: Event) => {
    event.preventDefault();
    if (key.value.trim() === "") return;
    own.value = { provider: provider.value, model: model.value.trim() || usual, key: key.value.trim() };
    void enter();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="gate-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={go} autocomplete="off">
        <h2 id="gate-title">{t("own.title")}</h2>
        <p class="small-text muted">{t("own.text")}</p>
        <label>
          <span>{t("own.provider")}</span>
          <select value={provider.value} onChange={(event) => {
            provider.value = event.currentTarget.value as ProviderName;
            model.value = "";
          }}>
            {PROVIDERS.map(([name, label]) => <option key={name} value={name}>{label}</option>)}
          </select>
        </label>
        <label>
          <span>{t("settings.model")}</span>
          <input value={model.value} placeholder={usual} maxLength={100} autocomplete="off" spellcheck={false} onInput={(event) => (model.value = event.currentTarget.value)} />
        </label>
        <label>
          <span>{t("gate.key")}</span>
          <input type="password" required autocomplete="off" value={key.value} aria-invalid={gate.value === "refused"} aria-describedby="gate-problem" onInput={(event) => (key.value = event.currentTarget.value)} />
        </label>
        <p id="gate-problem" class="problem" role="alert">{gate.value === "refused" ? t("own.wrong") : ""}</p>
        <button class="button primary">{t("gate.enter")}</button>
      </form>
    </dialog>
  );
}
