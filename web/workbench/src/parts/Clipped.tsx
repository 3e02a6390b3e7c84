// Text of somebody else, never more of it than a page can hold.
//
// Must never show it as anything but text.
import { shown, t } from "../texts.ts";

export function Clipped({ text, most = 20_000 }: { readonly text: string; readonly most?: number }) {
  const rest = text.length - most;
  if (rest <= 0) return <>{shown(text)}</>;
  return (
    <>
      {shown(text.slice(0, most))}
      <span class="muted"> {t("common.clipped", { count: rest })}</span>
    </>
  );
}
