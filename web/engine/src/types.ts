//! The JSON of the engine. Names are those of the command line's `--json`.

/** Which tracked changes count as done. */
export type View = "accepted" | "original" | "markup";

export interface ReadOptions {
  view?: View;
  /** `footnote:3`, `headers`, `everywhere`; the body without. */
  story?: string;
  search?: string;
  /** A cursor or an address. */
  from?: string;
  limit?: number;
  /** `false`: texts without labels such as `⟦ref …⟧`. */
  labels?: boolean;
}

export interface ParagraphReading {
  address: string;
  index: number;
  style: string | null;
  listLevel: number | null;
  marker: string | null;
  bullet: boolean;
  table: { id: number; row: number; column: number } | null;
  section: string | null;
  text: string;
  revisions: string[];
  comments: string[];
  paraId: string | null;
  fingerprint: string;
}

export interface Reading {
  revision: string;
  view: View;
  stories?: { name: string; paragraphs: number; characters: number }[];
  paragraphs: ParagraphReading[];
  cursor: string | null;
  total: number;
  note?: string;
}

/** An operation of docs/guide/editing.md. */
export interface Operation {
  op: string;
  [field: string]: unknown;
}

export type Batch =
  | Operation[]
  | {
      operations: Operation[];
      author?: string;
      date?: string;
      atomic?: boolean;
      expectedRevision?: string;
    };

/** Who edits, and when: RFC 3339 with whole seconds. */
export interface Signature {
  author: string;
  date: string;
}

export interface OperationResult {
  index: number;
  op: string;
  status: "applied" | "no_change" | "refused" | "failed";
  code?: string;
  message?: string;
  [field: string]: unknown;
}

export interface RevisionRow {
  id: string;
  kind: string;
  author: string;
  date: string | null;
  address: string;
  text: string;
}

export interface CommentRow {
  id: string;
  author: string;
  initials: string | null;
  date: string | null;
  address: string;
  quoted: string;
  text: string;
  parent: string | null;
  resolved: boolean;
}

export interface Choice {
  ids?: string[];
  author?: string;
  /** `insertion`, or `ins`, `del`, `move`, `format`, `row`, `cell`, `control`, `paragraph` for several. */
  kinds?: string[];
  /** `P3-P9`, `footnote:3`. */
  range?: string;
}

export interface Finding {
  code: string;
  severity: "error" | "warning" | "hint";
  address: string;
  message: string;
}

/** Words of a paragraph that give way to others: UTF-16 offsets in its text with all changes accepted, where an object is one unit. */
export interface TextSpan {
  start: number;
  end: number;
  delete: string;
  insert: string;
  /** Which text has the form of the new words. */
  like: "deleted" | "before" | "after";
}

/**
 * What an edit did to a paragraph, or to some that follow each other. `paragraph`, `paragraphs` and `after` count in the document
 * before, `now` in the document after; from 1, as addresses do.
 */
export type EditStep =
  /** Other words and nothing else, the last first. */
  | { kind: "text"; story: string; paragraph: number; now: number; spans: TextSpan[]; revised: boolean }
  /** Another form, link, field or object. */
  | { kind: "format"; story: string; paragraph: number; now: number; revised: boolean }
  /** New paragraphs behind `after`; 0: before all others. */
  | { kind: "inserted"; story: string; after: number; now: [number, number] }
  | { kind: "deleted"; story: string; paragraphs: [number, number]; now: [number, number] }
  /** Rows, tables, joined or parted paragraphs, sections, moves. */
  | { kind: "other"; story: string; paragraphs: [number, number] | null; now: [number, number] | null };

/** A place where two documents differ. */
export interface Difference {
  story: string;
  paragraph: number;
  what: "text" | "format" | "paragraphs" | "structure";
  one: string;
  other: string;
}

export interface HtmlOptions {
  view?: View;
  /** A whole page with its style sheet; else one `article` element. */
  page?: boolean;
  title?: string;
  /** What ids of elements begin with. */
  prefix?: string;
}

export interface CompareOptions extends Signature {
  view?: "accepted" | "original" | "as-is";
  /** Earlier authors' tracked changes stay in the redline as theirs. */
  keepRevisions?: boolean;
  /** Whether formatting is compared; it stays as it is before without. */
  formatting?: boolean;
  moves?: boolean;
}

export interface ComparisonReport {
  proof: { reject: string; accept: string };
  summary: Record<string, Record<string, number>>;
  changes: { kind: string; subject: string; address: string; [field: string]: unknown }[];
  limitations: { address: string; difference: string; [field: string]: unknown }[];
}

/** What went wrong; docs/errors has a page for each code. */
export class EngineError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "EngineError";
    this.code = code;
  }

  /** Makes one of whatever the engine threw. */
  static of(thrown: unknown): EngineError {
    if (thrown instanceof EngineError) return thrown;
    if (typeof thrown === "string") {
      try {
        const { code, message } = JSON.parse(thrown) as { code: string; message: string };
        return new EngineError(code, message);
      } catch {
        return new EngineError("INTERNAL", thrown);
      }
    }
    return new EngineError("INTERNAL", thrown instanceof Error ? thrown.message : String(thrown));
  }
}
