// What the pane says, in the person's language.
//
// Must never hold a text of the interface itself: those stand in texts/*.json.
import { signal } from "@preact/signals";
import { shown } from "../../shared/src/shown.ts";
import de from "./texts/de.json";
import en from "./texts/en.json";

export { shown };

export type TextKey = keyof typeof en;

// A text that German lacks does not compile.
const LANGUAGES: Readonly<Record<"en" | "de", Readonly<Record<TextKey, string>>>> = { en, de };

export type Language = keyof typeof LANGUAGES;

export const language = signal<Language>(navigator.language.toLowerCase().startsWith("de") ? "de" : "en");

/** A text, with what stands in its braces filled in. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return LANGUAGES[language.value][key].replace(/\{(\w+)\}/g, (brace, name: string) => String(values[name] ?? brace));
}

export function isText(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}
