// What was typed and is not sent yet, for as long as the page is open.
//
// Must never lose a text because a request failed or another page was looked at.
import { signal } from "@preact/signals";
import type { Signal } from "@preact/signals";

const drafts = new Map<string, Signal<string>>();

/** The text that is being typed at a place. */
export function draft(place: string): Signal<string> {
  let text = drafts.get(place);
  if (!text) {
    text = signal("");
    drafts.set(place, text);
  }
  return text;
}

/** Puts back what could not be sent, before what was typed since. */
export function putBack(place: string, text: string): void {
  const typed = draft(place);
  typed.value = typed.value.trim() === "" ? text : `${text}\n${typed.value}`;
}

// A page that is left by mistake would take the texts with it.
addEventListener("beforeunload", (event) => {
  if ([...drafts.values()].some((text) => text.value.trim() !== "")) event.preventDefault();
});
