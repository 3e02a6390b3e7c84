// Takes one change set back and keeps what the person has typed since: the tracked changes that the set has made are rejected, and
// nothing else is touched.
//
// Must never reject a change that somebody has edited since, or one that is not known for the set's own.
import { OpenFile, type Engine, type RevisionRow } from "./engine.ts";
import { without, type ChangeSet, type MadeStep } from "./report.ts";
import { hasMoves, obstacle, shapes } from "./shape.ts";
import { HostError, type State, type Survey, type WordDocument } from "./word.ts";

export interface UndoReport {
  /** The paragraph, counted from 1, as it is now; 0 where it is not found. */
  readonly paragraph: number;
  readonly status: "undone" | "nothingLeft" | "kept" | "left";
  /** What it says now, and what it would say, or says, without the changes. */
  readonly now: string;
  readonly then: string;
  readonly note?: string;
}

const STOPPED = "stopped before it";

interface Found {
  readonly first: number;
  readonly last: number;
}

/** What taking a set back would do; nothing is changed. */
export function preview(word: WordDocument, engine: Engine, set: ChangeSet): Promise<UndoReport[]> {
  return each(word, engine, set, false);
}

/** Takes a set back, until it is told to stop: what is not reached then stays as it is. */
export async function undo(word: WordDocument, engine: Engine, set: ChangeSet, signal?: AbortSignal): Promise<UndoReport[]> {
  const reports = await each(word, engine, set, true, signal);
  for (const text of set.comments) {
    if (signal?.aborted) {
      reports.push({ paragraph: 0, status: "left", now: text, then: "", note: STOPPED });
      continue;
    }
    const isGone = await word.uncomment(text).catch(() => false);
    reports.push({ paragraph: 0, status: isGone ? "undone" : "nothingLeft", now: text, then: "" });
  }
  return reports;
}

async function each(word: WordDocument, engine: Engine, set: ChangeSet, isMeant: boolean, signal?: AbortSignal): Promise<UndoReport[]> {
  const reports: UndoReport[] = [];
  // What stands around a paragraph, and whether Word can be asked for tracked changes at all, is only known of the whole file.
  const flat = await word.file().then((bytes) => OpenFile.use(engine, bytes, (file) => file.saveFlat()), () => undefined);
  // The last made stands first in the document.
  for (const step of [...set.steps].reverse()) {
    if (signal?.aborted) {
      reports.push({ paragraph: step.at + 1, status: "left", now: step.accepted, then: "", note: STOPPED });
      continue;
    }
    try {
      reports.push(await one(word, engine, step, isMeant, flat));
    } catch (thrown) {
      reports.push({ paragraph: step.at + 1, status: "left", now: step.accepted, then: "", note: HostError.of(thrown).message });
    }
  }
  return reports;
}

async function one(word: WordDocument, engine: Engine, step: MadeStep, isMeant: boolean, flat: string | undefined): Promise<UndoReport> {
  const survey = await word.survey();
  const found = await find(word, survey, step);
  if (!found) return { paragraph: 0, status: "kept", now: "", then: "", note: `the changed paragraph is not found any more: ${step.accepted.slice(0, 80)}` };
  const state = await word.state(found.first, found.last);
  const said = { paragraph: found.first + 1, now: state.accepted };
  if (step.mixed !== undefined) return { ...said, status: "kept", then: state.accepted, note: step.mixed };
  const { ids, gone, then, original, xml } = await OpenFile.use(engine, state.ooxml, async (file) => {
    const rows = await file.revisions();
    const ids = own(rows, step.rows).map(({ id }) => id);
    const gone = without(step.rows, rows);
    if (ids.length > 0) await file.rejectOnly(ids);
    const text = async (view: "accepted" | "original") => [...(await file.paragraphs(view)).byNumber.values()].map((paragraph) => paragraph.text).join("\n");
    return { ids, gone, then: await text("accepted"), original: await text("original"), xml: await file.saveFlat() };
  });
  const note = gone.length > 0 ? { note: `kept, since edited or resolved: ${gone.map(({ kind, text }) => `${kind} "${text.slice(0, 40)}"`).join(", ")}` } : {};
  if (ids.length === 0) return { ...said, status: gone.length > 0 ? "kept" : "nothingLeft", then: state.accepted, ...note };
  if (!isMeant) return { ...said, status: "undone", then, ...note };
  const isDone = (await byHand(word, found, step, state, then, flat)) ?? (await byMarkup(word, survey, found, state, { then, original, xml }, flat));
  if (isDone === true) return { ...said, status: "undone", then, ...note };
  return { ...said, status: "left", then, note: isDone };
}

/** The rows of a list that are those of the step, as often as it made them. */
function own(rows: readonly RevisionRow[], made: MadeStep["rows"]): RevisionRow[] {
  const others = new Set(without(rows, made));
  return rows.filter((row) => !others.has(row));
}

/** Where the paragraphs of a step are now: by Word's ids, or where exactly one place says what they said. */
async function find(word: WordDocument, survey: Survey, step: MadeStep): Promise<Found | undefined> {
  const [firstId, lastId] = [step.ids?.[0], step.ids?.at(-1)];
  if (survey.ids && firstId !== undefined && lastId !== undefined) {
    const [first, last] = [survey.ids.indexOf(firstId), survey.ids.indexOf(lastId)];
    if (first >= 0 && last >= first) return { first, last };
  }
  const places: Found[] = [];
  for (let first = 0; first + step.count <= survey.texts.length; first += 1) {
    // Words that were typed are in the text of the host, whatever it does with what is deleted.
    if (!step.rows.every(({ kind, text }) => kind !== "insertion" || survey.texts.slice(first, first + step.count).join("\n").includes(text))) continue;
    const last = first + step.count - 1;
    const { accepted, original } = await word.state(first, last);
    if (accepted === step.accepted || original === step.original) places.push({ first, last });
  }
  return places.length === 1 ? places[0] : places.find(({ first }) => first === step.at);
}

/** By Word's own rejecting, where it can be trusted; nothing where it cannot. */
async function byHand(word: WordDocument, { first, last }: Found, step: MadeStep, before: State, then: string, flat: string | undefined): Promise<true | undefined> {
  const isPlain = step.rows.every(({ kind }) => kind === "insertion" || kind === "deletion");
  if (first !== last || !isPlain || !word.supports("WordApi", "1.6") || flat === undefined || hasMoves(flat)) return undefined;
  // Several that say the same are all of the set, or it is not done by hand.
  const form = (isInsertion: boolean, author: string, text: string) => `${isInsertion} ${author} ${text}`;
  const meant = new Set(step.rows.map(({ kind, author, text }) => form(kind === "insertion", author, text)));
  await word.reject(first, ({ author, text, isInsertion }) => meant.has(form(isInsertion, author, text)));
  const after = await word.state(first);
  return after.accepted === then && after.original === before.original ? true : undefined;
}

/** By putting the paragraphs in as they are without the changes. */
async function byMarkup(
  word: WordDocument,
  survey: Survey,
  { first, last }: Found,
  before: State,
  meant: { then: string; original: string; xml: string },
  flat: string | undefined,
): Promise<true | string> {
  const whole = shapes(flat ?? "");
  const barred = whole.length === survey.texts.length ? obstacle(whole, first, last) : "the build of the document is not understood";
  if (barred !== undefined) return `reject the changes in Word: ${barred}`;
  const count = shapes(meant.xml).length;
  const { before: replaced } = await word.put(first, last, meant.xml);
  if (replaced.accepted !== before.accepted) {
    await word.put(first, first + count - 1, replaced.ooxml);
    return "somebody has typed there in the same moment";
  }
  const now = await word.survey();
  const extra = first + count;
  if (now.texts.length === survey.texts.length - (last - first + 1) + count + 1 && now.texts[extra] === "") await word.removeEmpty(extra);
  const after = await word.state(first, first + count - 1);
  return after.accepted === meant.then && after.original === meant.original ? true : "it could not be read back as meant";
}
