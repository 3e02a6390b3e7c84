// The open document and a file: what differs between them, as a redline in a document of its own.
//
// Must never touch the open document, or take one side for the other.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ComparisonReport } from "../../../engine/src/types.ts";
import { failureOf, person, type Pane } from "../state/pane.ts";
import { shown, t } from "../texts.ts";
import { Copy } from "./Copy.tsx";

interface Made {
  readonly bytes: Uint8Array;
  readonly report: ComparisonReport;
}

// Of the whole pane, so that another view can be looked at meanwhile.
const file = signal<File | undefined>(undefined);
const isLater = signal(false);
const isRunning = signal(false);
const made = signal<Made | undefined>(undefined);
const problem = signal("");

export function Compare({ pane }: { readonly pane: Pane }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The field of a view that was left has lost its file.
    if (!field.current || !file.value || field.current.files?.length) return;
    const transfer = new DataTransfer();
    transfer.items.add(file.value);
    field.current.files = transfer.files;
  }, []);
  const start = async (event: Event) => {
    event.preventDefault();
    if (!file.value || isRunning.value) return;
    isRunning.value = true;
    problem.value = "";
    made.value = undefined;
    try {
      const [here, there] = [await pane.word.file(), new Uint8Array(await file.value.arrayBuffer())];
      const [before, after] = isLater.value ? [here, there] : [there, here];
      const options = { author: person.value.trim() || "engross", date: `${new Date().toISOString().slice(0, 19)}Z` };
      made.value = await pane.tools.engine.call<Made>({ do: "compare", before, after, options });
    } catch (thrown) {
      const { code, message } = failureOf(thrown);
      problem.value = `${code}: ${message}`;
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <div class="page">
      <p class="small-text muted">{t("compare.what")}</p>
      <form class="stack" onSubmit={(event) => void start(event)}>
        <label>
          <span>{t("compare.file")}</span>
          <input ref={field} type="file" accept=".docx,.docm" onChange={(event) => (file.value = event.currentTarget.files?.[0])} />
        </label>
        <fieldset>
          <legend>{t("compare.which")}</legend>
          {[false, true].map((later) => (
            <label key={String(later)} class="row choice">
              <input type="radio" name="side" checked={isLater.value === later} onChange={() => (isLater.value = later)} />
              <span>{t(later ? "compare.fileLater" : "compare.fileEarlier")}</span>
            </label>
          ))}
        </fieldset>
        <div class="row">
          <button class="button primary" disabled={!file.value || isRunning.value}>{t("compare.start")}</button>
          <span role="status" class="small-text muted">{isRunning.value ? t("compare.running") : ""}</span>
        </div>
      </form>
      <p class="problem" role="alert">{shown(problem.value.slice(0, 600))}</p>
      {made.value && <Result made={made.value} pane={pane} />}
    </div>
  );
}

/** So many changes are listed; the redline has all. */
const LISTED = 30;

function Result({ made: { bytes, report }, pane }: { readonly made: Made; readonly pane: Pane }) {
  const { changes, limitations } = report;
  if (changes.length === 0 && limitations.length === 0) return <p>{t("compare.same")}</p>;
  return (
    <section class="card" aria-label={t("compare.result")}>
      <p class="card-head"><strong>{t("compare.count", { count: changes.length })}</strong></p>
      <ul class="rows">
        {changes.slice(0, LISTED).map(({ kind, subject, address }, at) => (
          <li key={at} class="outcome"><span>{shown(address)}</span><span class="muted">{shown(`${kind} · ${subject}`)}</span></li>
        ))}
      </ul>
      {changes.length > LISTED && <p class="small-text muted">{t("compare.more", { count: changes.length - LISTED })}</p>}
      {limitations.length > 0 && <p class="small-text warn-text">{t("compare.left", { count: limitations.length })}</p>}
      <Copy what={t("compare.copy")} name="compared.docx" bytes={bytes} pane={pane} />
    </section>
  );
}
