// What a person sees who opens the pane elsewhere than in Word.
//
// Must never pretend that something works without Word.
import { isAlone } from "../state/pane.ts";
import { t } from "../texts.ts";

export function Missing({ what }: { readonly what: "office" | "word" }) {
  return (
    <main class="main page">
      <h1>engross</h1>
      <p>{t(`missing.${what}`)}</p>
      {!isAlone && <p><a href="/">{t("missing.workbench")}</a></p>}
    </main>
  );
}
