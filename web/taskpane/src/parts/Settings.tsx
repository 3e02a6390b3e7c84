// Who works here, and how far changes may go.
import { gate, mayLoseUndo, modelName, person, token, type Pane } from "../state/pane.ts";
import { language, shown, t } from "../texts.ts";

export function Settings({ pane }: { readonly pane: Pane }) {
  return (
    <div class="page">
      <label>
        <span>{t("settings.person")}</span>
        <input value={person.value} maxLength={80} autocomplete="off" aria-describedby="person-help" onInput={(event) => (person.value = event.currentTarget.value)} />
      </label>
      <p id="person-help" class="small-text muted">{t("settings.personHelp")}</p>
      <fieldset>
        <legend>{t("settings.language")}</legend>
        {(["en", "de"] as const).map((name) => (
          <label key={name} class="row choice">
            <input type="radio" name="language" checked={language.value === name} onChange={() => (language.value = name)} />
            <span lang={name}>{name === "en" ? "English" : "Deutsch"}</span>
          </label>
        ))}
      </fieldset>
      {pane.word.platform === "web" && (
        <label class="row choice">
          <input type="checkbox" checked={mayLoseUndo.value} onChange={(event) => (mayLoseUndo.value = event.currentTarget.checked)} />
          <span>{t("settings.undo")}</span>
        </label>
      )}
      <dl class="facts">
        <dt>{t("settings.server")}</dt>
        <dd>{location.origin}</dd>
        <dt>{t("settings.model")}</dt>
        <dd>{shown(modelName.value ?? "–")}</dd>
        <dt>Word</dt>
        <dd>{pane.word.platform}, {["1.4", "1.6", "1.8"].filter((version) => pane.word.supports("WordApi", version)).at(-1) ?? "< 1.4"}</dd>
      </dl>
      {token.value !== undefined && (
        <button type="button" class="button small" onClick={() => {
          token.value = undefined;
          gate.value = "asks";
        }}>{t("settings.forget")}</button>
      )}
      <p class="small-text muted">{t("settings.kept")}</p>
    </div>
  );
}
