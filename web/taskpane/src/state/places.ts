// From a place of the document to what was said about it.
//
// Must never take one paragraph for another: where it is not known which one is meant, nothing is found.
import { PIECES } from "../../../shared/src/prose.ts";
import type { Pane } from "./pane.ts";
import type { Item } from "./talk.ts";

/** The paragraphs that an item is about, by their numbers. */
function paragraphsOf(item: Item): number[] {
  if (item.kind === "said") return item.text.split(PIECES).flatMap((piece) => (/^\[?P\d{1,6}\]?$/.test(piece) ? [Number(piece.replace(/\D/g, ""))] : []));
  if (item.kind === "change") return [...item.outcome.steps, ...item.outcome.comments].map(({ paragraph }) => paragraph);
  return [];
}

/** Which item speaks last of the paragraph in which the person has put the cursor. */
export async function aboutPlace({ tools }: Pane, items: readonly Item[]): Promise<number | undefined> {
  const { number } = await tools.selection();
  const place = number === undefined ? undefined : ((await tools.asRead(number)) ?? number);
  if (place === undefined) return undefined;
  const at = items.findLastIndex((item) => paragraphsOf(item).includes(place));
  return at < 0 ? undefined : at;
}
