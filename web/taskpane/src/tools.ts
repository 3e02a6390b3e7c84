// What a model may do in the open document: read it, change it, comment, show a place. All of it happens here and not on the server.
//
// Must never run two calls at once, nor say of a change more than the ladder found.
import type { Tool, ToolResult } from "../../shared/src/session-client.ts";
import { filled } from "./long-texts.ts";
import { OpenFile, type Engine, type ParagraphReading, type Reading } from "./ladder/engine.ts";
import { climb, readDocument, type LadderOptions } from "./ladder/ladder.ts";
import { counts, type Outcome } from "./ladder/report.ts";
import { located } from "./ladder/text.ts";
import type { WordDocument } from "./ladder/word.ts";
import type { Found, Look } from "./research.ts";

const OPERATIONS = [
  '{"op":"modify_text","target":"P3","originalText":"…","replacementText":"…"} (occurrence: 1, "all" where it stands several times)',
  '{"op":"edit_paragraph","target":"P3","newContent":"…"}',
  '{"op":"insert_paragraph","after":"P3","content":"…"}',
  '{"op":"delete_paragraph","target":"P3"}',
  '{"op":"insert_list_item","afterParagraphIndex":3,"text":"…"}',
  '{"op":"format_text","target":"P3","textToFormat":"…","bold":true}',
  '{"op":"format_paragraph","target":"P3","alignment":"right"}',
  '{"op":"edit_table","target":"P9","action":"add_row","content":["…"]}',
].join("; ");

export const TOOLS: readonly Tool[] = [
  {
    name: "read_document",
    description: "Reads the open document: lines [P1|Style] text. Long ones come in pages; go on with from. search finds words.",
    parameters: { type: "object", properties: { from: { type: "string", description: "an address such as P40, or the cursor" }, search: { type: "string" }, limit: { type: "integer", minimum: 1, maximum: 400 } } },
    readOnly: true,
  },
  {
    name: "apply_redlines",
    description: `Changes the open document with tracked changes. All operations mean the document as it was read. Operations: ${OPERATIONS}. The result says of each change whether it is in the document; repair only those that are not.`,
    parameters: { type: "object", properties: { operations: { type: "array", items: { type: "object", properties: { op: { type: "string" } }, required: ["op"] } } }, required: ["operations"] },
  },
  {
    name: "insert_comment",
    description: "Comments a paragraph, or words of it.",
    parameters: { type: "object", properties: { paragraphIndex: { type: "integer" }, textToFind: { type: "string" }, commentContent: { type: "string" } }, required: ["paragraphIndex", "commentContent"] },
  },
  {
    name: "navigate_to_section",
    description: "Shows the person a paragraph, or words in it.",
    parameters: { type: "object", properties: { paragraphIndex: { type: "integer" }, text: { type: "string" } }, required: ["paragraphIndex"] },
    readOnly: true,
  },
  {
    name: "research",
    description: "Looks something up in the web. The answer names its sources: cite their addresses where you use it. It costs another model call, and no word of the document goes along but what you put into the question.",
    parameters: { type: "object", properties: { question: { type: "string", description: "what to find out, in full" } }, required: ["question"] },
    readOnly: true,
  },
];

/** Those that look at the document and at nothing else. */
export const READING = TOOLS.filter(({ name }) => name === "read_document" || name === "navigate_to_section");

/** Characters of a reading that go to a model at once. */
const MOST_READ = 24_000;

export interface Done {
  readonly result: ToolResult;
  readonly outcome?: Outcome;
  readonly found?: Found;
  readonly isFailed: boolean;
}

export class Toolbox {
  readonly word: WordDocument;
  readonly engine: Engine;
  readonly #look: Look;
  readonly #named: (names: ReadonlyMap<number, string>) => void;
  /** The texts of the body as they were last read, by their numbers from 1, and as the host told them. */
  #read: { readonly texts: ReadonlyMap<number, string>; readonly host: readonly string[] } | undefined;

  /** `look` searches the web; `named` hears what people call the paragraphs that were read. */
  constructor(word: WordDocument, engine: Engine, look: Look, named: (names: ReadonlyMap<number, string>) => void = () => undefined) {
    this.word = word;
    this.engine = engine;
    this.#look = look;
    this.#named = named;
  }

  async run(call: { id: string; name: string; arguments: string }, options: Omit<LadderOptions, "signature"> & { author: string }): Promise<Done> {
    const result = (content: unknown, isError = false): ToolResult => ({ id: call.id, name: call.name, content: typeof content === "string" ? content : JSON.stringify(content), ...(isError ? { isError } : {}) });
    try {
      const given = arguments_(call.arguments);
      switch (call.name) {
        case "read_document":
          return { result: result(await this.read(given)), isFailed: false };
        case "apply_redlines":
        case "insert_comment": {
          const operations = call.name === "insert_comment" ? [{ op: "insert_comment", ...given }] : operationsOf(given);
          const outcome = await this.#climb(filled(operations), options);
          const told = summary(outcome);
          return { result: result(told, !told.ok), outcome, isFailed: !told.ok };
        }
        case "navigate_to_section": {
          const isShown = await this.show(Number(given["paragraphIndex"]), typeof given["text"] === "string" ? given["text"] : undefined);
          return { result: result(isShown ? "shown" : "the paragraph is not there any more; read the document again", !isShown), isFailed: !isShown };
        }
        case "research": {
          const found = await this.#look(String(given["question"] ?? ""), options.signal);
          return { result: result(found), found, isFailed: false };
        }
        default:
          return { result: result(`there is no tool ${call.name}`, true), isFailed: true };
      }
    } catch (thrown) {
      const { code, message } = thrown as { code?: string; message?: string };
      return { result: result(`${code ?? "ERROR"}: ${message ?? String(thrown)}`, true), isFailed: true };
    }
  }

  async #climb(operations: readonly { op: string }[], { author, ...options }: Omit<LadderOptions, "signature"> & { author: string }): Promise<Outcome> {
    const date = `${new Date().toISOString().slice(0, 19)}Z`;
    return climb(this.word, this.engine, operations, { ...options, signature: { author, date } });
  }

  /** The document, or a page of it, as a model reads it. */
  async read(options: Record<string, unknown> = {}): Promise<string> {
    const { source, survey, bodyOnly } = await readDocument(this.word);
    return OpenFile.use(this.engine, source, async (file) => {
      const all = await file.paragraphs("accepted");
      this.#read = { texts: new Map([...all.byNumber].map(([number, { text }]) => [number, text])), host: survey.texts };
      this.#named(new Map([...all.byNumber].map(([number, paragraph]) => [number, nameOf(paragraph)])));
      const chosen = Object.fromEntries(["from", "search", "limit"].flatMap((name) => (options[name] === undefined || options[name] === "" ? [] : [[name, options[name]]])));
      const page = await file.read({ limit: 200, ...chosen });
      return lines(page, bodyOnly);
    });
  }

  /** Shows a paragraph of the last reading; says whether it is there. */
  async show(number: number, words?: string): Promise<boolean> {
    if (!this.#read) await this.read({ limit: 1 });
    const { texts } = await this.word.survey();
    const at = located(this.#read?.host ?? texts, texts, number - 1);
    return at !== undefined && at >= 0 && at < texts.length && this.word.show(at, words);
  }

  /** Which paragraph of the last reading stands at a place of the document now, both counted from 1. */
  async asRead(place: number): Promise<number | undefined> {
    if (!this.#read) return undefined;
    const { texts } = await this.word.survey();
    const at = located(texts, this.#read.host, place - 1);
    return at === undefined ? undefined : at + 1;
  }

  /** What the person has selected, for a model. */
  async selection(): Promise<{ text: string; number: number | undefined }> {
    const [{ text, paragraphs, ids }, survey] = [await this.word.selection(), await this.word.survey()];
    const byId = ids?.[0] === undefined ? -1 : (survey.ids?.indexOf(ids[0]) ?? -1);
    const same = survey.texts.flatMap((each, at) => (each === paragraphs[0] ? [at] : []));
    const at = byId >= 0 ? byId : same.length === 1 ? same[0] : undefined;
    return { text: text.slice(0, 4_000), number: at === undefined ? undefined : at + 1 };
  }
}

/** What a person calls a paragraph: its number in the document, and how it begins. */
function nameOf({ marker, section, bullet, text }: ParagraphReading): string {
  const number = bullet ? "" : (marker ?? section ?? "");
  const words = text.trim().split(/\s+/).slice(0, 5).join(" ").slice(0, 40);
  const begins = words === "" ? "" : `“${words}${words.length < text.trim().length ? " …" : ""}”`;
  return [number, begins].filter(Boolean).join(" ");
}

function lines({ paragraphs, cursor, total, stories }: Reading, bodyOnly: boolean): string {
  const said: string[] = [];
  let size = 0;
  let next = cursor;
  for (const { address, style, marker, table, text } of paragraphs) {
    const line = `[${[address, style ?? "", marker ?? "", table ? `T:${table.row},${table.column}` : ""].filter(Boolean).join("|")}] ${text}`;
    if (size + line.length > MOST_READ && said.length > 0) {
      next = address;
      break;
    }
    size += line.length;
    said.push(line);
  }
  const others = (stories ?? []).filter(({ name, paragraphs: count }) => name !== "body" && count > 0).map(({ name }) => name);
  return [
    `${total} paragraphs${bodyOnly ? "; only the body could be read" : ""}${others.length > 0 ? `; also: ${others.join(", ")}` : ""}`,
    ...said,
    ...(next ? [`more: from ${next}`] : []),
  ].join("\n");
}

/** What a model is told of a change: each part by itself, so that only those that failed are repaired. */
export function summary(outcome: Outcome): { ok: boolean; changes: unknown[]; refused: unknown[]; comments: unknown[]; note?: string } {
  const refused = outcome.results.filter(({ status }) => status === "refused" || status === "failed").map(({ index, op, code, message }) => ({ index, op, code, message }));
  const changes = outcome.steps.map(({ paragraph, status, rung, checked, note }) => ({ paragraph: `P${paragraph}`, status, rung, checked, ...(note === undefined ? {} : { note }) }));
  const sum = counts(outcome);
  const isDone = refused.length === 0 && sum.changedMeanwhile + sum.elsewhere + sum.putBack + sum.left + sum.cancelled === 0 && outcome.comments.every(({ status }) => status === "done");
  const note = outcome.copy ? "what is elsewhere is in a copy that the person can open" : outcome.others ? "somebody has changed the document meanwhile; read it again before the next change" : undefined;
  return { ok: isDone, changes, refused, comments: [...outcome.comments], ...(note === undefined ? {} : { note }) };
}

function arguments_(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text === "" ? "{}" : text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("the arguments are no object");
  return value as Record<string, unknown>;
}

function operationsOf(given: Record<string, unknown>): { op: string }[] {
  const { operations } = given;
  const list: unknown = typeof operations === "string" ? JSON.parse(operations) : operations;
  if (!Array.isArray(list) || list.some((each) => typeof (each as { op?: unknown })?.op !== "string")) throw new Error("operations is a list of objects with op");
  return list as { op: string }[];
}
