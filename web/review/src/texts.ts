// What the page says, in the person's language.
import { signal } from "@preact/signals";

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
  numbering: "Numbering changed",
} as const;

export type TextKey = keyof typeof en;

const de: Readonly<Record<TextKey, string>> = {
  title: "Nachverfolgte Änderungen",
  waiting: "Warte auf das Dokument …",
  alone: "Diese Seite zeigt die nachverfolgten Änderungen eines Word-Dokuments im Fenster eines Chats. Von sich aus tut sie nichts.",
  cancelled: "Der Aufruf wurde zurückgenommen. Nichts wurde geändert.",
  none: "Es gibt keine nachverfolgten Änderungen.",
  left: "{count} offen",
  one: "1 offen",
  more: "{count} weitere stehen nicht in dieser Liste; entscheiden Sie zuerst über diese.",
  readOnly: "Dieses Programm lässt die Seite nicht handeln. Bitten Sie den Agenten, eine Änderung anzunehmen oder abzulehnen.",
  newFile: "Die Datei bleibt, wie sie ist: Ihre erste Entscheidung legt eine neue daneben an.",
  inPlace: "Entscheidungen werden in diese Datei geschrieben; jeder Stand davor bleibt als Sicherung.",
  accept: "Annehmen",
  reject: "Ablehnen",
  acceptOne: "Änderung {number} annehmen",
  rejectOne: "Änderung {number} ablehnen",
  acceptAll: "Alle annehmen",
  rejectAll: "Alle ablehnen",
  sure: "{count} Änderungen in {file}: alle annehmen?",
  sureReject: "{count} Änderungen in {file}: alle ablehnen?",
  yes: "Ja",
  no: "Nein",
  refresh: "Neu lesen",
  accepted: "{count} angenommen in {file}.",
  rejected: "{count} abgelehnt in {file}.",
  failed: "Der Server hat es nicht getan.",
  unanswered: "Das Programm hat es nicht ausgeführt: {why}",
  noText: "kein Text",
  nowhere: "Anderswo",
  somebody: "jemand",
  busy: "In Arbeit …",
  insertion: "Eingefügt",
  deletion: "Gelöscht",
  replacement: "Ersetzt",
  move_from: "Verschoben von hier",
  move_to: "Verschoben hierher",
  paragraph_insertion: "Absatz eingefügt",
  paragraph_deletion: "Absatz gelöscht",
  formatting: "Formatiert",
  paragraph_formatting: "Absatz formatiert",
  section_formatting: "Abschnitt formatiert",
  table_formatting: "Tabelle formatiert",
  row_insertion: "Zeile eingefügt",
  row_deletion: "Zeile gelöscht",
  cell_insertion: "Zelle eingefügt",
  cell_deletion: "Zelle gelöscht",
  cell_merge: "Zellen verbunden",
  numbering: "Nummerierung geändert",
};

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
