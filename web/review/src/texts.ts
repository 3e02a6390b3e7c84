// What the page says, in the person's language.
import { signal } from "@preact/signals";
import german from "./texts/de.json";

const en = {
  title: "Tracked changes",
  waiting: "Waiting for the document…",
  alone: "This page shows the tracked changes of a Word document in the window of a chat. It does nothing by itself.",
  cancelled: "The call was taken back. Nothing was changed.",
  none: "There are no tracked changes.",
  left: "{count} left",
  one: "1 left",
  more: "{count} more are not listed here; decide on these first.",
  readOnly: "This client does not let the page act. Ask the agent to accept or reject a change by its number.",
  newFile: "The file stays as it is: your first decision makes a new one beside it.",
  inPlace: "Decisions are written into this file; each state before is kept as a checkpoint.",
  accept: "Accept",
  reject: "Reject",
  acceptOne: "Accept change {number}",
  rejectOne: "Reject change {number}",
  acceptAll: "Accept all",
  rejectAll: "Reject all",
  sure: "{count} changes in {file}: accept all?",
  sureReject: "{count} changes in {file}: reject all?",
  yes: "Yes",
  no: "No",
  refresh: "Read again",
  accepted: "{count} accepted in {file}.",
  rejected: "{count} rejected in {file}.",
  failed: "The server did not do it.",
  unanswered: "The client did not carry it out: {why}",
  noText: "no text",
  nowhere: "Elsewhere",
  somebody: "somebody",
  busy: "Working…",
  insertion: "Inserted",
  deletion: "Deleted",
  replacement: "Replaced",
  move_from: "Moved away",
  move_to: "Moved here",
  paragraph_insertion: "Paragraph inserted",
  paragraph_deletion: "Paragraph deleted",
  formatting: "Formatted",
  paragraph_formatting: "Paragraph formatted",
  section_formatting: "Section formatted",
  table_formatting: "Table formatted",
  row_insertion: "Row inserted",
  row_deletion: "Row deleted",
  cell_insertion: "Cell inserted",
  cell_deletion: "Cell deleted",
  cell_merge: "Cells merged",
  control_insertion: "Content control added",
  control_deletion: "Content control removed",
  numbering: "Numbering changed",
} as const;

export type TextKey = keyof typeof en;

// A text that German lacks does not compile.
const de: Readonly<Record<TextKey, string>> = german;

export const language = signal<"en" | "de">("en");

/** Takes the language of a locale, if the page has it. */
export function speak(locale: string | undefined): void {
  language.value = locale?.toLowerCase().startsWith("de") ? "de" : "en";
}

/** A text, with what stands in its braces filled in. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const text: string = (language.value === "de" ? de : en)[key];
  return text.replace(/\{(\w+)\}/g, (brace, name: string) => String(values[name] ?? brace));
}

/** The name of a kind of change. */
export function kindNamed(kind: string): string {
  return Object.hasOwn(en, kind) ? t(kind as TextKey) : kind;
}
