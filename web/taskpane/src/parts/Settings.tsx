// Who works here, and how far changes may go.
import { BROUGHT, furtherModel, furtherModels, gate, instructions, isAlone, mayLoseUndo, modelName, own, person, token, type Pane } from "../state/pane.ts";
import { language, shown, t } from "../texts.ts";
import { brought } from "../state/brought.ts";
import { BroughtModel } from "./BroughtModel.tsx";

export function Settings({ pane }: { readonly pane: Pane }) {
  return (
    <div class="page">
      <label>
        <span>{t("settings.person")}</span>
        <input value={person.value} maxLength={80} autocomplete="off" aria-describedby="person-help" onInput={(event) => (person.value = event.currentTarget.value)} />
      </label>
      <p id="person-help" class="small-text muted">{t("settings.personHelp")}</p>
      <label>
        <span>{t("settings.instructions")}</span>
        <textarea rows={3} value={instructions.value} maxLength={4_000} aria-describedby="wish-help" onInput={(event) => (instructions.value = event.currentTarget.value)} />
      </label>
      <p id="wish-help" class="small-text muted">{t("settings.instructionsHelp")}</p>
      {furtherModels.value.length > 0 && (
        <label>
          <span>{t("settings.model")}</span>
          <select value={furtherModel.value} onChange={(event) => (furtherModel.value = event.currentTarget.value)}>
            <option value="">{shown(modelName.value ?? "")}</option>
            {furtherModels.value.map((name) => <option key={name} value={name}>{name === BROUGHT ? t("brought.option", { model: brought.value?.model?.name ?? "" }) : shown(name)}</option>)}
          </select>
        </label>
      )}
      {!isAlone && <BroughtModel />}
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
        <dt>{t(isAlone ? "own.provider" : "settings.server")}</dt>
        <dd>{isAlone ? (own.value?.provider ?? "–") : location.origin}</dd>
        <dt>{t("settings.model")}</dt>
        <dd>{shown(answering() ?? "–")}</dd>
        <dt>Word</dt>
        <dd>{pane.word.platform}, {["1.4", "1.6", "1.8"].filter((version) => pane.word.supports("WordApi", version)).at(-1) ?? "< 1.4"}</dd>
      </dl>
      {isAlone && (
        <button type="button" class="button small" onClick={() => {
          own.value = undefined;
          gate.value = "asks";
        }}>{t("own.other")}</button>
      )}
      {token.value !== undefined && (
        <button type="button" class="button small" onClick={() => {
          token.value = undefined;
          gate.value = "asks";
        }}>{t("settings.forget")}</button>
      )}
      <p class="small-text muted">{t(isAlone ? "settings.keptAlone" : "settings.kept")}</p>
    </div>
  );
}

/** Which model answers now. */
function answering(): string | undefined {
  return furtherModel.value === BROUGHT ? brought.value?.model?.name : furtherModel.value || modelName.value;
}
