// A paragraph as people call it, which leads to it.
//
// Must never say a name that the paragraph did not have when it was read.
import type { Show } from "../show.ts";
import { names } from "../state/pane.ts";
import { shown } from "../texts.ts";

export function PlaceButton({ number, show }: { readonly number: number; readonly show: Show }) {
  const address = `P${number}`;
  const name = names.value.get(number) ?? "";
  return (
    <button type="button" class="place" title={address} onClick={() => show(address)}>
      {name === "" ? address : shown(name)}
    </button>
  );
}
