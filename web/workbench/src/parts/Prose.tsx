// What a model says, with the little Markdown that people read easily; addresses of paragraphs lead to them.
//
// Must never make a link, a picture or markup of it.
import type { ComponentChildren } from "preact";
import { blocks, MOST_DRAWN, PIECES } from "../../../shared/src/prose.ts";
import { shown, t } from "../texts.ts";

interface Props {
  readonly text: string;
  /** Goes to a paragraph of the document that is being talked about. */
  readonly show?: ((address: string) => void) | undefined;
}

export function Prose({ text, show }: Props) {
  const rest = text.length - MOST_DRAWN;
  const parts = blocks(text.slice(0, MOST_DRAWN));
  return (
    <div class="prose">
      {parts.map((part, at) => {
        if (part.kind === "code") return <pre key={at} tabIndex={0}><code>{shown(part.text)}</code></pre>;
        if (part.kind === "heading") return <p key={at} class="prose-heading">{inline(part.text, show)}</p>;
        if (part.kind === "item") return <p key={at} class="prose-item"><span aria-hidden="true">{part.marker}</span><span>{inline(part.text, show)}</span></p>;
        return <p key={at}>{inline(part.text, show)}</p>;
      })}
      {rest > 0 && <p class="muted">{t("common.clipped", { count: rest })}</p>}
    </div>
  );
}

function inline(text: string, show: Props["show"]): ComponentChildren {
  return text.split(PIECES).map((piece, at) => {
    if (at % 2 === 0) return shown(piece);
    if (piece.startsWith("`")) return <code key={at}>{shown(piece.slice(1, -1))}</code>;
    if (piece.startsWith("**")) return <strong key={at}>{shown(piece.slice(2, -2))}</strong>;
    const address = piece.replace(/[[\]]/g, "");
    return show ? <button key={at} type="button" class="place" onClick={() => show(address)}>{address}</button> : piece;
  });
}
