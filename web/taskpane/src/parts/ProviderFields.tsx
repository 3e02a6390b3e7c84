// The fields for a provider, its model and the person's own key.
//
// Must never offer the key to a store of the browser.
import type { Signal } from "@preact/signals";
import type { ProviderName } from "../alone/dialect.ts";
import { t } from "../texts.ts";

export const PROVIDERS: readonly (readonly [ProviderName, string, string])[] = [
  ["anthropic", "Anthropic", "claude-sonnet-4-5"],
  ["openai", "OpenAI", "gpt-5"],
  ["gemini", "Google Gemini", "gemini-2.5-pro"],
];

/** The model of a provider that is taken where the person names none. */
export function usualModel(provider: ProviderName): string {
  return PROVIDERS.find(([name]) => name === provider)?.[2] ?? "";
}

interface Props {
  readonly provider: Signal<ProviderName>;
  readonly model: Signal<string>;
  readonly secret: Signal<string>;
  readonly isWrong: boolean;
  /** Names what says what is wrong. */
  readonly problem: string;
  /** Whether there is a key for the chosen provider already. */
  readonly hasKey?: boolean;
}

export function ProviderFields({ provider, model, secret, isWrong, problem, hasKey = false }: Props) {
  return (
    <>
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
        <input value={model.value} placeholder={usualModel(provider.value)} maxLength={100} autocomplete="off" spellcheck={false} onInput={(event) => (model.value = event.currentTarget.value)} />
      </label>
      <label>
        <span>{t("gate.key")}</span>
        <input type="password" required={!hasKey} placeholder={hasKey ? t("brought.asBefore") : ""} autocomplete="off" value={secret.value} aria-invalid={isWrong} aria-describedby={problem} onInput={(event) => (secret.value = event.currentTarget.value)} />
      </label>
    </>
  );
}
