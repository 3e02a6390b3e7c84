// The document on its page: drawn, scrolled to where the person wants to look, and a paragraph chosen by a click.
//
// Must never lose the place where the person reads when the document is drawn anew.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { say } from "../state/notice.ts";
import { shown, t } from "../texts.ts";
import { blocksOf, update } from "./blocks.ts";
import type { DocumentModel } from "./model.ts";
import { PREFIX } from "./safe.ts";

/** When a page that was out of sight has surely been drawn, in milliseconds. */
const DRAWN_AFTER = 50;

interface Props {
  readonly model: DocumentModel;
  /** Called when a mark of a comment is followed. */
  readonly showComments: () => void;
  /** Called when the person wants to look at a place and the page is out of sight, as on a narrow screen. */
  readonly reveal: () => void;
}

export function Paper({ model, showComments, reveal }: Props) {
  const paper = useRef<HTMLDivElement>(null);
  const known = useRef(new Map<string, HTMLElement[]>());
  const view = model.drawn.value;
  useLayoutEffect(() => {
    if (paper.current && view) known.current = update(paper.current, known.current, blocksOf(view.html));
  }, [view]);
  const chosen = model.chosen.value;
  useLayoutEffect(() => {
    if (chosen === undefined) return;
    const element = paper.current?.querySelector(`[data-address="${CSS.escape(chosen)}"]`);
    element?.classList.add("chosen");
    return () => element?.classList.remove("chosen");
  }, [chosen, view]);
  const wanted = model.wanted.value;
  useEffect(() => {
    const { revision, address, count } = wanted;
    if (count === 0) return;
    const by = (name: string, value: string | undefined) =>
      value === undefined ? null : paper.current?.querySelector<HTMLElement>(`[data-${name}="${CSS.escape(value)}"]`);
    const element = by("revision", revision) ?? by("address", address);
    if (!element) {
      say(t("document.gone", { address: shown(address ?? "") }));
      return;
    }
    const isHidden = element.getClientRects().length === 0;
    if (isHidden) reveal();
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const scroll = () => element.scrollIntoView({ block: "center", behavior: isCalm || isHidden ? "instant" : "smooth" });
    // What was out of sight has no place before it is drawn.
    const drawn = isHidden ? setTimeout(scroll, DRAWN_AFTER) : undefined;
    if (!isHidden) scroll();
    element.classList.add("found");
    const timer = setTimeout(() => element.classList.remove("found"), 2_000);
    return () => {
      clearTimeout(drawn);
      clearTimeout(timer);
      element.classList.remove("found");
    };
  }, [wanted]);
  const pressed = useRef<string | undefined>(undefined);
  const press = (event: PointerEvent) => {
    pressed.current = addressOf(event.target);
  };
  const choose = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : null;
    const inner = target?.closest<HTMLAnchorElement>('a[href^="#"]');
    if (inner) {
      // The part of the address behind `#` is the page's own.
      event.preventDefault();
      const id = inner.getAttribute("href")?.slice(1) ?? "";
      if (id.startsWith(`${PREFIX}comment-`)) showComments();
      else {
        const goal = document.getElementById(id);
        if (goal) goal.scrollIntoView({ block: "center" });
        else say(t("document.noGoal"));
      }
      return;
    }
    // What moves under the pointer, as while the page scrolls or is drawn anew, is let go of beside where it was pressed.
    const address = addressOf(target) ?? pressed.current;
    // A selection of words is no click on their paragraph, but says where it is as well.
    if (address !== undefined && !target?.closest("a")) model.chosen.value = address === model.chosen.value ? undefined : address;
  };
  return (
    <article class="paper docx" lang="" aria-label={t("document.view")}>
      <div ref={paper} class="sheet" onPointerDown={press} onClick={choose} />
    </article>
  );
}

/** The address of the paragraph in which something happened. */
function addressOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>("[data-address]")?.dataset["address"] : undefined;
}
