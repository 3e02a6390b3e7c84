// What a person has set, kept by the browser for the next time: name, language, questions, instructions, which model answers.
//
// Must never keep a key, an address of a document, or what one says.
import { effect } from "@preact/signals";
import { language } from "../texts.ts";
import { checks, ownQuestions } from "./checks.ts";
import { furtherModel, instructions, mayLoseUndo, person } from "./pane.ts";

interface Preferences {
  readonly person?: unknown;
  readonly language?: unknown;
  readonly instructions?: unknown;
  readonly mayLoseUndo?: unknown;
  readonly questions?: unknown;
  readonly model?: unknown;
}

/** Reads what was kept, and keeps what is changed from now on. On the web each site that shows Word has a partition of its own. */
export function restorePreferences(partition: string | undefined): void {
  const place = `${partition ?? ""}engross.preferences`;
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "{}") as Preferences;
    if (typeof kept.person === "string") person.value = kept.person.slice(0, 80);
    if (kept.language === "en" || kept.language === "de") language.value = kept.language;
    if (typeof kept.instructions === "string") instructions.value = kept.instructions.slice(0, 4_000);
    if (kept.mayLoseUndo === true) mayLoseUndo.value = true;
    // What the server calls it; one that it offers no longer is let go.
    if (typeof kept.model === "string") furtherModel.value = kept.model.slice(0, 200);
    if (Array.isArray(kept.questions)) ownQuestions(kept.questions.filter((question): question is string => typeof question === "string").slice(0, 50));
  } catch {
    // What cannot be read is asked anew.
  }
  let isFirst = true;
  effect(() => {
    const now: Preferences = { person: person.value, language: language.value, instructions: instructions.value, mayLoseUndo: mayLoseUndo.value, questions: checks.value.map(({ question }) => question), model: furtherModel.value };
    if (isFirst) {
      isFirst = false;
      return;
    }
    try {
      localStorage.setItem(place, JSON.stringify(now));
    } catch {
      // A browser that keeps nothing is as good.
    }
  });
}
