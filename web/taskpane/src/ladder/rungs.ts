// One step of an edit in the open document: typed or put in, read back, and put back where it is not as meant.
//
// Must never leave a step without knowing what stands there now.
import { anchors, quotedAnchor } from "./anchors.ts";
import { OpenFile, type CommentRow, type Engine, type ParagraphReading, type RevisionRow } from "./engine.ts";
import { place, type Action, type Elsewhere, type PutIn } from "./plan.ts";
import { without, type CommentReport, type MadeStep, type StepReport, type StepStatus } from "./report.ts";
import { obstacle, shapes } from "./shape.ts";
import { located, rebased, stretch } from "./text.ts";
import { HostError, type Edited, type State, type Survey, type WordDocument } from "./word.ts";

interface Side {
  readonly byNumber: ReadonlyMap<number, ParagraphReading>;
}

/** What was read, and what is meant. */
export interface Meant {
  readonly before: { readonly accepted: Side; readonly original: Side };
  readonly after: { readonly accepted: Side; readonly original: Side; readonly file: OpenFile };
  readonly flat: string;
}

export interface Place {
  readonly first: number;
  readonly last: number;
}

interface Taken {
  readonly report: StepReport;
  readonly step?: MadeStep | undefined;
}

export class Rungs {
  readonly #word: WordDocument;
  readonly #engine: Engine;
  readonly #meant: Meant;
  readonly #shapes: ReturnType<typeof shapes>;
  /** Where each paragraph that was read is now, counted from 0; nothing where somebody has changed it. */
  #where: (number | undefined)[];
  #survey: Survey;
  #others = false;

  constructor(word: WordDocument, engine: Engine, meant: Meant, survey: Survey) {
    this.#word = word;
    this.#engine = engine;
    this.#meant = meant;
    this.#shapes = shapes(meant.flat);
    this.#survey = survey;
    this.#where = survey.texts.map((_, at) => at);
  }

  /** Whether others have changed the document since it was read. */
  get others(): boolean {
    return this.#others;
  }

  async take(action: Action): Promise<Taken> {
    if (action.rung === "D") return told(action, "elsewhere", action.why);
    const [first, last] = action.rung === "A" ? [action.at, action.at] : [action.first, action.last];
    try {
      const found = await this.#find(first, last);
      if (!found) return told(action, "changedMeanwhile", "somebody has changed it since it was read");
      return action.rung === "A" ? await this.#type(action, found) : await this.#put(action, found);
    } catch (thrown) {
      const { code, message } = HostError.of(thrown);
      return told(action, "left", `${code}: ${message}; what stands there now is not known`);
    }
  }

  /** Where paragraphs are now. */
  async #find(first: number, last: number): Promise<Place | undefined> {
    await this.#look();
    const [from, to] = [this.#where[first], this.#where[last]];
    return from === undefined || to === undefined || to - from !== last - first ? undefined : { first: from, last: to };
  }

  /** Looks what others have changed. */
  async #look(): Promise<void> {
    const now = await this.#word.survey();
    const known = this.#survey;
    this.#where = this.#where.map((at) => {
      if (at === undefined) return undefined;
      const id = known.ids?.[at];
      const found = id === undefined || !now.ids ? located(known.texts, now.texts, at) : now.ids.indexOf(id);
      return found === undefined || found < 0 || now.texts[found] !== known.texts[at] ? undefined : found;
    });
    if (known.texts.length !== now.texts.length || known.texts.some((text, at) => text !== now.texts[at])) this.#others = true;
    this.#survey = now;
  }

  /** Takes over what a step has done: its own paragraphs are not to be found again, the others are where they were. */
  async #settle({ first, last }: Place, count: number): Promise<void> {
    const grown = count - (last - first + 1);
    this.#where = this.#where.map((at) => (at === undefined || (at >= first && at <= last) ? undefined : at > last ? at + grown : at));
    const known = this.#survey.texts;
    this.#survey = await this.#word.survey();
    const expected = [...known.slice(0, first), ...this.#survey.texts.slice(first, first + count), ...known.slice(last + 1)];
    if (expected.length !== this.#survey.texts.length || expected.some((text, at) => text !== this.#survey.texts[at])) {
      this.#others = true;
      this.#where = this.#where.map((at) => (at === undefined ? undefined : moved(expected, this.#survey.texts, at)));
    }
  }

  #texts(side: Side, from: number, to: number): string {
    return Array.from({ length: to - from + 1 }, (_, at) => side.byNumber.get(from + at)?.text ?? "").join("\n");
  }

  async #type(action: Action & { rung: "A" }, { first: at }: Place): Promise<Taken> {
    const { before, after } = this.#meant;
    const expected = this.#texts(before.accepted, action.at + 1, action.at + 1);
    const wanted = this.#texts(after.accepted, action.now, action.now);
    const here = { first: at, last: at };
    let edited: Edited;
    try {
      edited = await this.#word.type(at, expected, action.anchors);
    } catch (thrown) {
      const { code, message } = HostError.of(thrown);
      if (code === "STUCK") throw thrown;
      const now = await this.#word.state(at);
      if (code === "CHANGED_MEANWHILE" || now.accepted !== expected) return told(action, now.accepted === expected ? "putBack" : "changedMeanwhile", message);
      return this.#instead(action.orElse, here, `${code}: ${message}`);
    }
    const meant = edited.before.accepted === expected ? wanted : rebased(expected, edited.before.accepted, action.spans);
    const wrong = await this.#wrong(edited, meant);
    if (wrong === undefined) return this.#done(action, here, 1, edited, meant === wanted ? undefined : "somebody typed beside it; both are there");
    const back = await this.#backFrom(here, edited, 1);
    if (back) return { report: told(action, "left", `${wrong}; ${back}`).report };
    if (edited.before.accepted !== expected) return told(action, "changedMeanwhile", "somebody has changed the same words");
    return this.#instead(action.orElse, here, wrong);
  }

  /** Takes the next rung, after the first was not enough. */
  async #instead(action: PutIn | Elsewhere, here: Place, why: string): Promise<Taken> {
    await this.#settle(here, 1);
    this.#where = this.#where.map((found, at) => (at === place(action) ? here.first : found));
    const taken = await this.take(action.rung === "D" ? { ...action, why: `${why}; and ${action.why}` } : action);
    return { ...taken, report: { ...taken.report, note: [why, taken.report.note].filter(Boolean).join("; ") } };
  }

  /** What is not as meant after an edit; nothing where all is. */
  async #wrong(edited: Edited, accepted: string | undefined): Promise<string | undefined> {
    if (accepted === undefined) return "somebody typed where it was";
    if (edited.after.accepted !== accepted) return "the text is not as meant";
    if (edited.after.original !== edited.before.original) return "what was there is not kept as deleted";
    const differences = await this.#differences(edited.before.ooxml, edited.after.ooxml, "original");
    return differences === 0 ? undefined : "what was there has another form now";
  }

  /** How often two packages differ; with `what` in that alone, since what is put in has no section of its own. */
  #differences(one: string, other: string, view: "original" | "markup", what?: string): Promise<number> {
    const count = async (before: OpenFile, after: OpenFile) => (await before.differences(after, view)).filter((each) => what === undefined || each.what === what).length;
    return OpenFile.use(this.#engine, one, (before) => OpenFile.use(this.#engine, other, (after) => count(before, after)));
  }

  #revisions(ooxml: string): Promise<RevisionRow[]> {
    return OpenFile.use(this.#engine, ooxml, (file) => file.revisions());
  }

  async #done(action: Action, here: Place, count: number, edited: Edited, note: string | undefined): Promise<Taken> {
    const [before, after] = await Promise.all([this.#revisions(edited.before.ooxml), this.#revisions(edited.after.ooxml)]);
    const rows = without(after, before);
    const mixed = without(before, after).length > 0 ? "it has changed tracked changes that were there" : undefined;
    await this.#settle(here, count);
    const ids = this.#survey.ids?.slice(here.first, here.first + count);
    const step: MadeStep = {
      rung: action.rung === "B" ? "B" : "A",
      at: here.first,
      count,
      ids,
      accepted: edited.after.accepted,
      original: edited.after.original,
      rows: rows.map(({ kind, author, date, text }) => ({ kind, author, date, text })),
      ...(mixed === undefined ? {} : { mixed }),
    };
    const report: StepReport = {
      status: "done",
      rung: action.rung,
      paragraph: place(action) + 1,
      checked: true,
      author: rows[0]?.author,
      changes: rows.length,
      ...(note === undefined ? {} : { note }),
    };
    return { report, step };
  }

  async #put(action: PutIn, here: Place): Promise<Taken> {
    const { before, after } = this.#meant;
    const expected = this.#texts(before.accepted, action.first + 1, action.last + 1);
    const state = await this.#word.state(here.first, here.last);
    if (state.accepted !== expected) return told(action, "changedMeanwhile", "somebody has changed it since it was read");
    let xml: string;
    try {
      xml = await after.file.fragment(...action.now);
    } catch (thrown) {
      return told({ rung: "D", at: action.first, why: "" }, "elsewhere", HostError.of(thrown).message);
    }
    const count = action.now[1] - action.now[0] + 1;
    const beside = await this.#neighbours(here.first - 1, here.last + 1);
    let was: State;
    let said: Omit<State, "ooxml">;
    try {
      ({ before: was, after: said } = await this.#word.put(here.first, here.last, xml));
    } catch (thrown) {
      const { code, message } = HostError.of(thrown);
      const now = await this.#word.state(here.first, here.last).catch(() => undefined);
      if (code === "STUCK" || now?.accepted !== expected) throw thrown;
      return told({ rung: "D", at: action.first, why: "" }, "elsewhere", `${code}: ${message}`);
    }
    const block = await this.#block(here, count);
    if (!block) return told(action, "left", "somebody has changed the document in the same moment; look at this paragraph");
    const given = new Set(this.#texts(after.accepted, ...action.now).split("\n"));
    const all = (await this.#word.state(block.first, block.last)).accepted.split("\n");
    // What is more than was given is Word's doing where it says what was given, and somebody's where it does not.
    const isSomebodys = all.length > count && all.slice(count).every((text) => !given.has(text));
    const span = isSomebodys ? { first: block.first, last: block.first + count - 1 } : block;
    const now = await this.#word.state(span.first, span.last);
    const isLarger = span.last - span.first + 1 !== count;
    const wrong = isLarger ? "Word put more in than it was given" : await this.#wrongPut(action, was, said, expected, isSomebodys ? [] : beside, span);
    const isTyped = !says(now.accepted, said.accepted);
    if (wrong === undefined) {
      // Whether the form is that of the markup is said; only a changed text is a fault of this step.
      const form = await this.#differences(xml, now.ooxml, "markup", "format").catch(() => 1);
      const note = isTyped ? "somebody has typed there since; both are there" : form === 0 ? undefined : "Word has given it a form of its own";
      return this.#done(action, here, count, { before: was, after: { ...now, ooxml: xml } }, note);
    }
    if (isLarger && all.some((text) => !given.has(text))) return told(action, "left", `${wrong}; look at this paragraph`);
    if (isTyped && !isLarger) return told(action, "left", `${wrong}; somebody has typed there since, so that it stays as it is`);
    const back = await this.#backFrom(span, { before: was, after: now }, here.last - here.first + 1);
    if (back) return told(action, "left", `${wrong}; ${back}`);
    if (was.accepted !== expected) return told(action, "changedMeanwhile", "somebody has changed it in the same moment");
    return told({ rung: "D", at: action.first, why: "" }, "elsewhere", `${wrong}; it is as it was`);
  }

  async #wrongPut(action: PutIn, was: State, now: Omit<State, "ooxml">, expected: string, beside: readonly (State | undefined)[], span: Place): Promise<string | undefined> {
    const { after } = this.#meant;
    if (was.accepted !== expected) return "somebody typed where it was";
    if (!says(now.accepted, this.#texts(after.accepted, ...action.now))) return "the text is not as meant";
    if (!says(now.original, this.#texts(after.original, ...action.now))) return "what was there is not kept as deleted";
    const behind = await this.#neighbours(span.first - 1, span.last + 1);
    for (const [at, one] of beside.entries()) {
      const other = behind[at];
      if (!one || !other || one.accepted !== other.accepted) continue;
      if ((await this.#differences(one.ooxml, other.ooxml, "markup")) > 0) return "a paragraph beside it has changed";
    }
    return undefined;
  }

  #neighbours(before: number, behind: number): Promise<(State | undefined)[]> {
    const read = (at: number) => (at < 0 ? Promise.resolve(undefined) : this.#word.state(at).catch(() => undefined));
    return Promise.all([read(before), read(behind)]);
  }

  /**
   * Where what was put in stands, without the empty paragraph that Word leaves behind it; nothing where the paragraphs around it are not
   * those that were there before.
   */
  async #block({ first, last }: Place, count: number): Promise<Place | undefined> {
    const known = this.#survey;
    const behind = known.texts.length - last - 1;
    const within = (now: Survey): Place | undefined => {
      const end = now.texts.length - behind;
      const isKnown = (at: number, then: number) => now.texts[at] === known.texts[then] && now.ids?.[at] === known.ids?.[then];
      for (let at = 0; at < first; at += 1) if (!isKnown(at, at)) return undefined;
      for (let at = 0; at < behind; at += 1) if (!isKnown(end + at, last + 1 + at)) return undefined;
      return end > first ? { first, last: end - 1 } : undefined;
    };
    const now = await this.#word.survey();
    const found = within(now);
    if (!found || found.last - first < count || now.texts[first + count] !== "") return found;
    await this.#word.removeEmpty(first + count);
    return within(await this.#word.survey());
  }

  /** Brings paragraphs back to what they were before an edit; tells what stands there where that was not possible. */
  async #backFrom(here: Place, { before, after }: Edited, count: number): Promise<string | undefined> {
    const now = await this.#word.state(here.first, here.last);
    if (now.accepted === before.accepted && now.original === before.original) return undefined;
    if (now.accepted !== after.accepted) return "somebody has typed there since, so that it stays as it is";
    const at = this.#where.findIndex((where) => where === here.first);
    const barred = here.first === here.last && at >= 0 ? obstacle(this.#shapes, at, at) : undefined;
    if (barred !== undefined) return this.#typedBack(here.first, before, after);
    const { before: replaced } = await this.#word.put(here.first, here.last, before.ooxml);
    if (replaced.accepted !== after.accepted) {
      // Somebody typed in the last moment: what they had before them comes back.
      await this.#word.put(here.first, here.first + count - 1, replaced.ooxml);
      return "somebody has typed there since, so that it stays as it is";
    }
    // What stood there before had as many paragraphs as are known.
    const whole = await this.#word.survey();
    if (whole.texts.length === this.#survey.texts.length + 1 && whole.texts[here.first + count] === "") await this.#word.removeEmpty(here.first + count);
    const then = await this.#word.state(here.first, here.first + count - 1);
    return then.accepted === before.accepted && then.original === before.original ? undefined : "it could not be put back";
  }

  /** Where nothing can be put in, what was there is typed again. */
  async #typedBack(at: number, before: State, after: State): Promise<string | undefined> {
    const { start, end, insert } = stretch(after.accepted, before.accepted);
    const found = anchors(after.accepted, [{ start, end, delete: after.accepted.slice(start, end), insert, like: "before" }]);
    if (!found) return "it could not be put back";
    const { after: then } = await this.#word.type(at, after.accepted, found);
    return then.accepted === before.accepted ? undefined : "it could not be put back";
  }

  /** Writes a comment of the engine's into the open document, by the person who is signed in. */
  async comment({ address, quoted, text }: CommentRow): Promise<CommentReport> {
    const number = Number(/^P(\d+)$/.exec(address)?.[1]);
    if (Number.isNaN(number)) return { paragraph: 0, status: "elsewhere", note: `${address} is not in the body` };
    await this.#look();
    // A step of this edit may have changed it; then its number is counted from those before it.
    const at = this.#where[number - 1] ?? this.#beside(number - 1);
    if (at === undefined) return { paragraph: number, status: "changedMeanwhile" };
    const state = await this.#word.state(at);
    const anchor = quotedAnchor(state.accepted, quoted);
    // Words that a step of this very edit has changed are commented with their paragraph.
    const note = anchor || quoted === state.accepted || quoted === "" ? undefined : "on the whole paragraph, since the words have changed";
    try {
      await this.#word.comment(at, anchor, text);
    } catch (thrown) {
      return { paragraph: number, status: "elsewhere", note: HostError.of(thrown).message };
    }
    return { paragraph: number, status: "done", ...(note === undefined ? {} : { note }) };
  }

  #beside(index: number): number | undefined {
    const before = this.#where[index - 1];
    const behind = this.#where[index + 1];
    if (before !== undefined && (behind === undefined || behind === before + 2)) return before + 1;
    return behind !== undefined && index === 0 && behind === 1 ? 0 : undefined;
  }
}

function moved(known: readonly string[], now: readonly string[], at: number): number | undefined {
  return located(known, now, at);
}

/** Whether two texts of paragraphs are the same but for how their ends are told. */
function says(one: string, other: string): boolean {
  return one.replaceAll("\n", "") === other.replaceAll("\n", "");
}

function told(action: Action, status: StepStatus, note: string): Taken {
  return { report: { status, rung: action.rung, paragraph: place(action) + 1, checked: false, author: undefined, changes: 0, note } };
}
