// A document beside the open one: opened in Word, or downloaded.
import { useSignal } from "@preact/signals";
import { failureOf, type Pane } from "../state/pane.ts";
import { t } from "../texts.ts";

export function Copy({ what, name, bytes, pane }: { readonly what: string; readonly name: string; readonly bytes: Uint8Array; readonly pane: Pane }) {
  const problem = useSignal("");
  const open = () => {
    pane.word.openNew(bytes).catch((thrown: unknown) => (problem.value = t("copy.failed", { why: failureOf(thrown).message })));
  };
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes as BlobPart], { type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <div class="copy">
      <p class="small-text">{what}</p>
      <div class="row">
        <button type="button" class="button small" onClick={open}>{t("copy.open")}</button>
        <button type="button" class="button small" onClick={download}>{t("copy.download")}</button>
      </div>
      <p class="problem" role="alert">{problem}</p>
    </div>
  );
}
