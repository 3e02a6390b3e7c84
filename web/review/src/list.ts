// What the server says of a document's tracked changes, taken from the result of a tool.
//
// Must never trust it: what is not as it should be is left out, and without an id nothing can be decided.
import type { Revision } from "../../shared/src/server-client.ts";
import { rowsOf } from "../../workbench/src/document/rows.ts";
import type { ChangeRow } from "../../workbench/src/document/rows.ts";
import { isObject } from "./host.ts";
import type { Json } from "./host.ts";

/** The field of a result's `_meta`. */
const FIELD = "engross/review";

/** A run of a paragraph's text. */
export interface Piece {
  readonly kind: "same" | "gone" | "come";
  readonly text: string;
}

export interface ParagraphChanges {
  readonly address: string;
  /** The paragraph with its marks; empty when it is not known. */
  readonly pieces: readonly Piece[];
  readonly rows: readonly ChangeRow[];
}

export interface ChangeList {
  /** By which tools name the document. */
  readonly path: string;
  readonly revision: string;
  /** Whether decisions are written into that very file; else a new one is made by the first. */
  readonly inPlace: boolean;
  readonly paragraphs: readonly ParagraphChanges[];
  /** How many there are as a person counts them, those not listed among them. */
  readonly total: number;
  /** How many are not listed. */
  readonly more: number;
}

/** The list in a result; nothing when it has none. */
export function listIn(result: Json): ChangeList | undefined {
  const meta = result["_meta"];
  const given = isObject(meta) ? meta[FIELD] : undefined;
  if (!isObject(given)) return undefined;
  const { path, revision, inPlace, total } = given;
  if (typeof path !== "string" || !Array.isArray(given["changes"])) return undefined;
  const changes = given["changes"].flatMap((change) => revisionOf(change) ?? []);
  const more = typeof total === "number" ? Math.max(0, total - changes.length) : 0;
  const texts = isObject(given["paragraphs"]) ? given["paragraphs"] : {};
  const byAddress = new Map<string, ChangeRow[]>();
  const all = rowsOf(changes);
  for (const row of all) {
    const rows = byAddress.get(row.address);
    if (rows) rows.push(row);
    else byAddress.set(row.address, [row]);
  }
  const paragraphs = [...byAddress].map(([address, rows]) => ({ address, rows, pieces: piecesOf(Object.hasOwn(texts, address) ? texts[address] : undefined) }));
  return {
    path,
    revision: typeof revision === "string" ? revision : "",
    inPlace: inPlace === true,
    paragraphs,
    total: all.length + more,
    more,
  };
}

/** The text that a result has for people. */
export function textIn(result: Json): string {
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const texts = content.flatMap((block) => (isObject(block) && typeof block["text"] === "string" ? [block["text"]] : []));
  return texts.join("\n");
}

function revisionOf(given: unknown): Revision | undefined {
  if (!isObject(given)) return undefined;
  const { id, kind, author, date, address, text } = given;
  if (typeof id !== "string" || id === "" || typeof kind !== "string") return undefined;
  const words = (value: unknown) => (typeof value === "string" ? value : "");
  return { id, kind, author: words(author), date: typeof date === "string" ? date : null, address: words(address), text: words(text) };
}

function piecesOf(given: unknown): readonly Piece[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((piece) => {
    if (!Array.isArray(piece)) return [];
    const [kind, text] = piece as unknown[];
    const isKind = kind === "same" || kind === "gone" || kind === "come";
    return isKind && typeof text === "string" && text !== "" ? [{ kind, text } as const] : [];
  });
}
