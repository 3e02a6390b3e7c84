// What a model says, with the little Markdown that people read easily; addresses of paragraphs lead to them.
//
// Must never make a link, a picture or markup of it.
import { blocks, MOST_DRAWN, PIECES } from "../../../shared/src/prose.ts";
import type { Show } from "../show.ts";
import { shown, t } from "../texts.ts";
import { PlaceButton } from "./PlaceButton.tsx";

export function Prose({ text, show }: { readonly text: string; readonly show: Show }) {
  const rest = text.length - MOST_DRAWN;
  const inline = (words: string) =>
    words.split(PIECES).map((piece, at) => {
      if (at % 2 === 0) return shown(piece);
      if (piece.startsWith("`")) return <code key={at}>{shown(piece.slice(1, -1))}</code>;
      if (piece.startsWith("**")) return <strong key={at}>{shown(piece.slice(2, -2))}</strong>;
      const address = piece.replace(/[[\]]/g, "");
      return <PlaceButton key={at} number={Number(address.slice(1))} show={show} />;
    });
  return (
    <div class="prose">
      {blocks(text.slice(0, MOST_DRAWN)).map((part, at) => {
        if (part.kind === "code") return <pre key={at} tabIndex={0}><code>{shown(part.text)}</code></pre>;
        if (part.kind === "item") return <p key={at} class="prose-item"><span aria-hidden="true">{part.marker}</span><span>{inline(part.text)}</span></p>;
        return <p key={at} class={part.kind === "heading" ? "prose-heading" : undefined}>{inline(part.text)}</p>;
      })}
      {rest > 0 && <p class="muted">{t("chat.clipped", { count: rest })}</p>}
    </div>
  );
}
