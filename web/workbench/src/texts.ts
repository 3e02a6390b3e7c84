// What the page says, in the person's language.
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

/** The text of a key that a program gives, such as a kind of change; its last part where there is none. */
export function named(group: string, name: string): string {
  const key = `${group}.${name}`;
  return Object.hasOwn(en, key) ? t(key as TextKey) : shown(name);
}

/** Whether the page has a text of that key. */
export function isText(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}

/** When something was, for people; `seconds` since 1970. */
export function when(seconds: number): string {
  const ago = Date.now() / 1000 - seconds;
  if (ago < 45 && ago > -45) return t("time.now");
  const date = new Date(seconds * 1000);
  const isToday = date.toDateString() === new Date().toDateString();
  const format: Intl.DateTimeFormatOptions = isToday
    ? { hour: "2-digit", minute: "2-digit" }
    : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(language.value === "en" ? "en-GB" : "de", format).format(date);
}

/** A moment as documents have it, for people. */
export function day(date: string | null): string {
  const millis = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(millis) ? shown(date ?? "") : when(millis / 1000);
}

/** A size for people. */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${new Intl.NumberFormat(language.value, { maximumFractionDigits: digits }).format(value)} ${units[unit]}`;
}
