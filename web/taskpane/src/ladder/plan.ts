// Which rung each step of an edit takes: by what Word can, what stands in the way, and what is known to go wrong.
//
// Must never know Office.js: a plan is data, and the same for the same document and host.
import { anchors, type Anchor } from "./anchors.ts";
import type { EditStep } from "./engine.ts";
import { hasDeletedRows, obstacle, shapes, type Shape } from "./shape.ts";
import type { Span } from "./text.ts";
import type { Platform } from "./word.ts";

/** How a change comes into the document. A: typed by Word. B: as markup, untracked. D: in a document of its own. */
export type Rung = "A" | "B" | "D";

export type Action =
  /** Type into a paragraph, counted from 0. */
  | { readonly rung: "A"; readonly at: number; readonly now: number; readonly spans: readonly Span[]; readonly anchors: readonly Anchor[]; readonly orElse: PutIn | Elsewhere }
  | PutIn
  | Elsewhere;

/** Put what the engine has made of paragraphs in their place. `now` counts in the document after. */
export interface PutIn {
  readonly rung: "B";
  readonly first: number;
  readonly last: number;
  readonly now: readonly [number, number];
}

export interface Elsewhere {
  readonly rung: "D";
  readonly at: number;
  readonly why: string;
}

export interface Host {
  readonly platform: Platform;
  /** Whether it tells reviewed texts and modes of tracking: WordApi 1.4. */
  readonly canTrack: boolean;
  /** Whether the person takes it that nothing can be undone by Word afterwards. */
  readonly mayLoseUndo: boolean;
}

export interface Source {
  /** The document before, as one XML file. */
  readonly flat: string;
  /** How many paragraphs the engine and Word see. */
  readonly paragraphs: number;
  /** Texts with all changes accepted, by their number from 1. */
  readonly texts: ReadonlyMap<number, string>;
  /** Whether what is put in holds a list. */
  readonly hasLists: boolean;
}

/** The most spans that are typed into one paragraph. */
const MOST_SPANS = 20;

/** What stands in a paragraph and is no text. */
const OBJECTS = new Set(["a field", "a note", "a picture", "an object", "a formula", "a content control"]);

/** The actions for steps, the last of the document first, so that numbers stay true. */
export function plan(steps: readonly EditStep[], source: Source, host: Host): Action[] {
  const all = shapes(source.flat);
  // Where the count of this reading is another one, nothing is known of what stands around a paragraph.
  const known = all.length === source.paragraphs ? all : undefined;
  const bars = {
    undo: host.platform === "web" && !host.mayLoseUndo ? "Word on the web could not undo it" : undefined,
    lists: host.platform === "mac" && source.hasLists && hasDeletedRows(source.flat) ? "Word for Mac numbers deleted tables then" : undefined,
  };
  const putIn = (first: number, last: number, now: readonly [number, number]): PutIn | Elsewhere => {
    const why = !host.canTrack ? "this Word is too old" : (bars.undo ?? bars.lists ?? (known ? obstacle(known, first, last) : "its build is not understood"));
    return why === undefined ? { rung: "B", first, last, now } : { rung: "D", at: first, why };
  };
  const actions = steps.map((step): Action => {
    if (step.story !== "body") return { rung: "D", at: 0, why: `${step.story} is not in the body` };
    switch (step.kind) {
      case "text": {
        const at = step.paragraph - 1;
        const orElse = putIn(at, at, [step.now, step.now]);
        const text = source.texts.get(step.paragraph);
        // Objects are units of the spans and no characters of the text, so that places behind them cannot be told.
        const hasObjects = !known || (known[at]?.delicate ?? []).some((what) => OBJECTS.has(what));
        const isTold = !hasObjects || step.spans.every((span) => span.delete !== "");
        const found = host.canTrack && text !== undefined && isTold && step.spans.length <= MOST_SPANS ? anchors(text, step.spans) : undefined;
        return found ? { rung: "A", at, now: step.now, spans: step.spans, anchors: found, orElse } : orElse;
      }
      case "format":
        return putIn(step.paragraph - 1, step.paragraph - 1, [step.now, step.now]);
      case "deleted":
        return putIn(step.paragraphs[0] - 1, step.paragraphs[1] - 1, step.now);
      case "inserted":
        return inserted(step.after, step.now, known, putIn);
      case "other":
        return { rung: "D", at: (step.paragraphs?.[0] ?? 1) - 1, why: "it changes how the document is built" };
    }
  });
  return merged(actions).sort((one, other) => place(other) - place(one));
}

/** New paragraphs come in with the one before them, or with the one behind. */
function inserted(after: number, now: readonly [number, number], known: readonly Shape[] | undefined, putIn: (first: number, last: number, now: readonly [number, number]) => PutIn | Elsewhere): PutIn | Elsewhere {
  const withBefore = after > 0 ? putIn(after - 1, after - 1, [now[0] - 1, now[1]]) : undefined;
  if (withBefore?.rung === "B") return withBefore;
  const withBehind = !known || after < known.length ? putIn(after, after, [now[0], now[1] + 1]) : undefined;
  return withBehind?.rung === "B" ? withBehind : (withBefore ?? withBehind ?? { rung: "D", at: after, why: "there is nothing beside it" });
}

export function place(action: Action): number {
  return action.rung === "B" ? action.first : action.at;
}

/** Steps that touch the same paragraph become one: nothing is put in where something else was just typed. */
function merged(actions: readonly Action[]): Action[] {
  const rows: Action[] = [];
  for (const action of [...actions].sort((one, other) => place(one) - place(other))) {
    const before = rows.at(-1);
    const earlier = before && markup(before);
    const mine = markup(action);
    if (before && before.rung !== "D" && action.rung !== "D" && lastOf(before) >= place(action)) {
      rows.pop();
      rows.push(
        earlier?.rung === "B" && mine.rung === "B"
          ? { rung: "B", first: Math.min(earlier.first, mine.first), last: Math.max(earlier.last, mine.last), now: [Math.min(earlier.now[0], mine.now[0]), Math.max(earlier.now[1], mine.now[1])] }
          : { rung: "D", at: place(before), why: earlier?.rung === "D" ? earlier.why : mine.rung === "D" ? mine.why : "" },
      );
    } else rows.push(action);
  }
  return rows;
}

function markup(action: Action): PutIn | Elsewhere {
  return action.rung === "A" ? action.orElse : action;
}

function lastOf(action: Action): number {
  return action.rung === "B" ? action.last : action.rung === "A" ? action.at : action.at;
}
