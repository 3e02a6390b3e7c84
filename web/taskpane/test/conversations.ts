// What people ask of an open document, as the operations that a model sends for it, and what else happens in that moment.
import type { FakeWord } from "../../fakeword/src/index.ts";

export interface Conversation {
  readonly name: string;
  /** Markdown, or the example contract. */
  readonly document: string;
  /** Operations that made the document what it is before the person asks, by somebody else. */
  readonly before?: readonly Operation[];
  /** One list for each request. */
  readonly rounds: readonly (readonly Operation[])[];
  /** What somebody does while the first request is carried out; each exchange with Word is tried as the moment. */
  readonly meanwhile?: (fake: FakeWord) => void;
  /** Words that a person typed and that must be there at the end. */
  readonly typed?: readonly string[];
  /** How the document tracked before. */
  readonly mode?: "Off" | "TrackAll";
}

export type Operation = { readonly op: string } & Readonly<Record<string, unknown>>;

const CONTRACT = [
  "# Services",
  "The Supplier shall deliver within thirty (30) days of the order.",
  "The fee is *five* thousand euros, payable \"at once\" and without deduction.",
  "1. The Supplier keeps all records.\n2. The Customer may inspect them.\n3. Copies are free of charge.",
  "Neither party shall assign this Agreement. Neither party shall disclose it.",
  "| Item | Price |\n|---|---|\n| Hosting | 100 |\n| Support | 200 |",
  "Notices are sent by registered post.",
  "This Agreement is governed by the law of Ireland.",
  "Signed by both parties.",
].join("\n\n");

const say = (originalText: string, replacementText: string, more: Record<string, unknown> = {}): Operation => ({ op: "modify_text", originalText, replacementText, ...more });

export const CONVERSATIONS: readonly Conversation[] = [
  { name: "one word", document: CONTRACT, rounds: [[say("thirty (30)", "sixty (60)")]] },
  { name: "several places, one request", document: CONTRACT, rounds: [[say("thirty (30)", "sixty (60)"), say("Ireland", "Scotland"), say("registered post", "e-mail")]] },
  { name: "two spots of one paragraph", document: CONTRACT, rounds: [[say("Supplier shall deliver", "Supplier must deliver"), say("the order", "the written order")]] },
  { name: "every place of a phrase", document: CONTRACT, rounds: [[say("Neither party", "No party", { occurrence: "all" })]] },
  { name: "the second of two", document: CONTRACT, rounds: [[say("Neither party", "No party", { occurrence: 2 })]] },
  { name: "an addition and a deletion", document: CONTRACT, rounds: [[say(", payable", ", plus VAT, payable"), say(" and without deduction", "")]] },
  { name: "words with a form of their own", document: CONTRACT, rounds: [[say("five", "seven")]] },
  { name: "the whole paragraph written anew", document: CONTRACT, rounds: [[{ op: "edit_paragraph", target: { text: "registered post" }, newContent: "Notices are sent by e-mail and by post." }]] },
  { name: "a cell", document: CONTRACT, rounds: [[say("Hosting", "Hosting and backup"), say("200", "250")]] },
  { name: "an item of a list", document: CONTRACT, rounds: [[say("all records", "complete records")]] },
  { name: "a new paragraph", document: CONTRACT, rounds: [[{ op: "insert_paragraph", after: { text: "registered post" }, content: "Urgent notices are sent by e-mail, too." }]] },
  { name: "a new item", document: CONTRACT, rounds: [[{ op: "insert_list_item", target: { text: "may inspect" }, text: "Inspections are announced." }]] },
  { name: "a paragraph gone", document: CONTRACT, rounds: [[{ op: "delete_paragraph", target: { text: "registered post" } }]] },
  { name: "bold words", document: CONTRACT, rounds: [[{ op: "format_text", target: { text: "governed by" }, textToFormat: "law of Ireland", bold: true }]] },
  { name: "a paragraph to the right", document: CONTRACT, rounds: [[{ op: "format_paragraph", target: { text: "registered post" }, alignment: "right" }]] },
  { name: "comments", document: CONTRACT, rounds: [[{ op: "insert_comment", target: { text: "thirty" }, textToFind: "thirty (30) days", commentContent: "Usual is sixty." }, { op: "insert_comment", target: { text: "assign" }, commentContent: "Check." }]] },
  { name: "a change and a comment on it", document: CONTRACT, rounds: [[say("registered post", "e-mail"), { op: "insert_comment", target: { text: "Notices are" }, textToFind: "Notices", commentContent: "Faster." }]] },
  { name: "three requests, one after the other", document: CONTRACT, rounds: [[say("thirty (30)", "sixty (60)")], [say("sixty (60)", "ninety (90)")], [say("Ireland", "Scotland"), { op: "delete_paragraph", target: { text: "registered post" } }]] },
  { name: "one of three that is not there", document: CONTRACT, rounds: [[say("thirty (30)", "sixty (60)"), say("no such words", "x"), say("Ireland", "Scotland")]] },
  { name: "a row of a table", document: CONTRACT, rounds: [[{ op: "edit_table", target: { text: "Hosting" }, action: "add_row", content: ["Training", "50"] }, say("Ireland", "Scotland")]] },
  {
    name: "where somebody has changed things before",
    document: CONTRACT,
    before: [say("thirty (30)", "forty (40)"), { op: "delete_paragraph", target: { text: "registered post" } }],
    rounds: [[say("of the order", "of the written order"), say("Ireland", "Scotland")]],
  },
  { name: "what somebody else has put in", document: CONTRACT, before: [say("thirty (30)", "forty (40)")], rounds: [[say("forty (40)", "fifty (50)")]] },
  {
    name: "a document with moves",
    document: CONTRACT,
    before: [{ op: "move_paragraph", target: { text: "Notices are" }, before: { text: "Neither party shall assign" } }],
    rounds: [[say("thirty (30)", "sixty (60)"), say("Ireland", "Scotland")]],
  },
  {
    name: "the person types beside it",
    document: CONTRACT,
    mode: "TrackAll",
    rounds: [[say("thirty (30)", "sixty (60)")]],
    meanwhile: ({ person }) => person.type(2, " promptly", " of the order"),
    typed: [" promptly"],
  },
  {
    name: "the person changes the same words",
    document: CONTRACT,
    mode: "TrackAll",
    rounds: [[say("thirty (30)", "sixty (60)")]],
    meanwhile: ({ person }) => person.type(2, "-five", " (30)"),
    typed: ["-five"],
  },
  {
    name: "somebody elsewhere adds a paragraph",
    document: CONTRACT,
    mode: "TrackAll",
    rounds: [[say("thirty (30)", "sixty (60)"), say("Ireland", "Scotland")]],
    meanwhile: (fake) => fake.remote().add(1, "A paragraph from elsewhere."),
    typed: ["A paragraph from elsewhere."],
  },
  {
    name: "somebody elsewhere types while markup goes in",
    document: CONTRACT,
    mode: "TrackAll",
    rounds: [[{ op: "format_paragraph", target: { text: "registered post" }, alignment: "right" }]],
    meanwhile: (fake) => fake.remote().type(fake.texts().findIndex((text) => text.startsWith("Notices")) + 1, " and by courier", " registered"),
    typed: [" and by courier"],
  },
  {
    name: "the person adds a paragraph beside markup",
    document: CONTRACT,
    mode: "TrackAll",
    rounds: [[{ op: "delete_paragraph", target: { text: "registered post" } }]],
    meanwhile: (fake) => fake.person.add(fake.texts("Original").findIndex((text) => text.startsWith("Notices")) + 1, "Typed right behind it."),
    typed: ["Typed right behind it."],
  },
  {
    name: "the person deletes words beside it",
    document: CONTRACT,
    mode: "TrackAll",
    rounds: [[say("thirty (30)", "sixty (60)"), { op: "format_text", target: { text: "governed by" }, textToFormat: "Ireland", bold: true }]],
    meanwhile: ({ person }) => person.erase(2, " of the order"),
    typed: [],
  },
  {
    name: "the person types untracked into the paragraph of a format",
    document: CONTRACT,
    rounds: [[{ op: "format_text", target: { text: "governed by" }, textToFormat: "Ireland", bold: true }]],
    meanwhile: (fake) => fake.person.type(fake.texts().findIndex((text) => text.startsWith("This Agreement is")) + 1, " Amen."),
    typed: [" Amen."],
  },
  { name: "a contract of a law firm", document: "nda", rounds: [[say("three (3) years", "five (5) years"), { op: "delete_paragraph", paragraphIndex: 56 }]] },
];
