// The last thing that the page has to say, with what can be done about it.
//
// Must never replace a failure that stands where it happened: notices are for what went well.
import { signal } from "@preact/signals";

export interface Notice {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

export const notice = signal<Notice | undefined>(undefined);

let timer: ReturnType<typeof setTimeout> | undefined;

/** Says something for a while. */
export function say(text: string, action?: Notice["action"]): void {
  clearTimeout(timer);
  notice.value = action ? { text, action } : { text };
  timer = setTimeout(() => (notice.value = undefined), action ? 20_000 : 6_000);
}

export function dismiss(): void {
  clearTimeout(timer);
  notice.value = undefined;
}
