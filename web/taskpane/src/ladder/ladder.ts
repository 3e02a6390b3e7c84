// Brings operations into the document that is open in Word: read once, one step at a time by the smallest rung that works, each read
// back through the engine, and put back where it is not as meant.
//
// Must never say of a step that it is done without having read it back, nor write over what somebody typed meanwhile.
import { OpenFile, type CommentRow, type Engine, type OperationResult, type Signature } from "./engine.ts";
import { place, plan, type Action, type Elsewhere, type Host } from "./plan.ts";
import type { ChangeSet, CommentReport, MadeStep, Outcome, StepReport } from "./report.ts";
import { Rungs } from "./rungs.ts";
import { HostError, type Survey, type WordDocument } from "./word.ts";

/** A batch of docs/guide/editing.md. */
export type Operations = readonly { readonly op: string }[];

export interface LadderOptions {
  /** Who changes, where the markup says it, and when. */
  readonly signature: Signature;
  readonly signal?: AbortSignal;
  /** Whether the person takes it that Word on the web cannot undo what is put in. */
  readonly mayLoseUndo?: boolean;
  /** Told after each step. */
  readonly onStep?: (step: StepReport, done: number, all: number) => void;
}

/** What stands in the document when it was read. */
interface Reading {
  readonly survey: Survey;
  readonly source: Uint8Array | string;
  readonly bodyOnly: boolean;
}

const TRIES = 3;

/** Reads the document in a moment in which nobody changes it. */
export async function readDocument(word: WordDocument): Promise<Reading> {
  for (let tries = 0; ; tries += 1) {
    const before = await word.survey();
    let source: Uint8Array | string;
    let bodyOnly = false;
    try {
      source = await word.file();
    } catch (thrown) {
      if (HostError.of(thrown).code === "STUCK") throw thrown;
      source = await word.bodyOoxml();
      bodyOnly = true;
    }
    const survey = await word.survey();
    if (same(before.texts, survey.texts)) return { survey, source, bodyOnly };
    if (tries >= TRIES) throw new HostError("CHANGED_MEANWHILE", "somebody is typing; ask again when the document rests");
  }
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

/** Carries operations out in the open document. */
export async function climb(word: WordDocument, engine: Engine, operations: Operations, options: LadderOptions): Promise<Outcome> {
  const reading = await readDocument(word);
  return OpenFile.use(engine, reading.source, async (before) => {
    // Comments are no markup: Word writes them itself, and what is put in must not hold them.
    const isComment = ({ op }: { op: string }) => op === "insert_comment";
    const [commented, after] = [await before.copy(), await before.copy()];
    try {
      const said = await applied(commented, operations.filter(isComment), options.signature);
      const done = await applied(after, operations.filter((operation) => !isComment(operation)), options.signature);
      const results = operations.map((operation, index) => ({ ...((isComment(operation) ? said : done).shift() as OperationResult), index }));
      return await carriedOut(word, engine, { before, after, commented, results, reading, options, operations });
    } finally {
      await commented.close();
      await after.close();
    }
  });
}

function applied(file: OpenFile, operations: Operations, signature: Signature): Promise<OperationResult[]> {
  return operations.length === 0 ? Promise.resolve([]) : file.apply(operations, signature);
}

interface Work {
  readonly before: OpenFile;
  /** With the changes, and without the comments. */
  readonly after: OpenFile;
  /** With the comments alone. */
  readonly commented: OpenFile;
  readonly operations: Operations;
  readonly results: OperationResult[];
  readonly reading: Reading;
  readonly options: LadderOptions;
}

async function carriedOut(word: WordDocument, engine: Engine, work: Work): Promise<Outcome> {
  const { before, after, commented, results, reading, options } = work;
  const [accepted, original, now, nowOriginal, flat] = await Promise.all([
    before.paragraphs("accepted"),
    before.paragraphs("original"),
    after.paragraphs("accepted"),
    after.paragraphs("original"),
    before.saveFlat(),
  ]);
  const isMapped = accepted.total === reading.survey.texts.length;
  const host: Host = { platform: word.platform, canTrack: word.supports("WordApi", "1.4"), mayLoseUndo: options.mayLoseUndo ?? false };
  const texts = new Map([...accepted.byNumber].map(([number, { text }]) => [number, text]));
  const steps = await before.steps(after);
  const hasLists = [...now.byNumber.values()].some(({ marker }) => marker !== null);
  const source = { flat, paragraphs: accepted.total, texts, hasLists };
  const actions = isMapped
    ? plan(steps, source, host)
    : steps.map((step): Elsewhere => ({ rung: "D", at: ("paragraph" in step ? step.paragraph : 1) - 1, why: "Word counts other paragraphs than the engine" }));
  const rungs = new Rungs(word, engine, { before: { accepted, original }, after: { accepted: now, original: nowOriginal, file: after }, flat }, reading.survey);
  const reports: StepReport[] = [];
  const made: MadeStep[] = [];
  for (const [at, action] of actions.entries()) {
    const { report, step } = options.signal?.aborted ? { report: cancelled(action), step: undefined } : await rungs.take(action);
    reports.push(report);
    if (step) made.push(step);
    options.onStep?.(report, at + 1, actions.length);
  }
  const known = await before.comments();
  const said = { added: newComments(known, await commented.comments()).added, others: newComments(known, await after.comments()).others };
  const comments: CommentReport[] = [];
  const written: string[] = [];
  for (const comment of said.added) {
    const report = options.signal?.aborted ? ({ paragraph: 0, status: "cancelled" } as const) : await rungs.comment(comment);
    comments.push(report);
    if (report.status === "done") written.push(comment.text);
  }
  for (let left = 0; left < said.others; left += 1) comments.push({ paragraph: 0, status: "elsewhere", note: "comments that are there are answered, resolved or deleted in the copy only" });
  const changeSet: ChangeSet = { steps: made, comments: written };
  const isWhole = reports.every(({ status }) => status === "done") && comments.every(({ status }) => status === "done");
  const hasChanged = made.length + written.length > 0;
  const proof = hasChanged || !isWhole ? await proven(word, engine, work, reports.every(({ status }) => status === "done")) : undefined;
  const isElsewhere = [...reports, ...comments].some(({ status }) => status === "elsewhere" || status === "putBack" || status === "left");
  const copy = isElsewhere && !reading.bodyOnly ? await whole(work) : undefined;
  return { results, steps: reports, comments, changeSet, bodyOnly: reading.bodyOnly, copy, proof, others: rungs.others };
}

/** The document with all that was asked for. */
async function whole({ before, operations, options }: Work): Promise<Uint8Array> {
  const file = await before.copy();
  try {
    await file.apply(operations, options.signature);
    return await file.save();
  } finally {
    await file.close();
  }
}

function cancelled(action: Action): StepReport {
  return { status: "cancelled", rung: action.rung, paragraph: place(action) + 1, checked: false, author: undefined, changes: 0 };
}

/** The document read anew as a whole: what it was with all changes rejected, what was meant with all accepted. */
async function proven(word: WordDocument, engine: Engine, { before, after, reading }: Work, isWhole: boolean): Promise<Outcome["proof"]> {
  try {
    const source = reading.bodyOnly ? await word.bodyOoxml() : await word.file();
    return await OpenFile.use(engine, source, async (now) => {
      const known = new Set((await before.check()).map(({ code, address }) => `${code} ${address}`));
      const found = (await now.check()).filter(({ severity, code, address }) => severity === "error" && !known.has(`${code} ${address}`));
      return {
        original: await before.differences(now, "original"),
        accepted: isWhole ? await after.differences(now, "accepted") : undefined,
        errors: found.map(({ code, message }) => `${code}: ${message}`),
      };
    });
  } catch {
    return undefined;
  }
}

/** Comments that operations have added, and how many they have changed otherwise. */
function newComments(before: readonly CommentRow[], after: readonly CommentRow[]): { added: CommentRow[]; others: number } {
  const form = ({ id, text, resolved }: CommentRow) => JSON.stringify([id, text, resolved]);
  const known = new Set(before.map(form));
  const fresh = after.filter((row) => !known.has(form(row)));
  const added = fresh.filter(({ id, parent }) => parent === null && !before.some((row) => row.id === id));
  const gone = before.filter(({ id }) => !after.some((row) => row.id === id)).length;
  return { added, others: fresh.length - added.length + gone };
}
