// Two documents become a redline, which is opened as a document of its own.
//
// Must never take one side for the other.
import { useSignal } from "@preact/signals";
import type { SessionError } from "../../../shared/src/server-client.ts";
import { Failure } from "../parts/Failure.tsx";
import { compareAndOpen } from "../state/files.ts";
import { failureOf } from "../state/session.ts";
import { shown, size, t } from "../texts.ts";

export function Compare() {
  const before = useSignal<File | undefined>(undefined);
  const after = useSignal<File | undefined>(undefined);
  const isRunning = useSignal(false);
  const failure = useSignal<SessionError | undefined>(undefined);
  const start = async (event: Event) => {
    event.preventDefault();
    if (!before.value || !after.value || isRunning.value) return;
    isRunning.value = true;
    failure.value = undefined;
    try {
      await compareAndOpen(before.value, after.value, after.value.name);
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isRunning.value = false;
    }
  };
  const swap = () => {
    [before.value, after.value] = [after.value, before.value];
  };
  return (
    <div class="page">
      <h1>{t("compare.title")}</h1>
      <p class="lead">{t("compare.text")}</p>
      <form class="compare" onSubmit={(event) => void start(event)}>
        <Side label={t("compare.before")} file={before.value} choose={(file) => (before.value = file)} />
        <button type="button" class="button quiet swap" disabled={isRunning.value || (!before.value && !after.value)} onClick={swap}>{t("compare.swap")}</button>
        <Side label={t("compare.after")} file={after.value} choose={(file) => (after.value = file)} />
        <p class="row end wide">
          {isRunning.value && <span role="status">{t("compare.running")}</span>}
          <button class="button primary" disabled={!before.value || !after.value || isRunning.value}>{t("compare.start")}</button>
        </p>
      </form>
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
    </div>
  );
}

interface SideProps {
  readonly label: string;
  readonly file: File | undefined;
  readonly choose: (file: File) => void;
}

function Side({ label, file, choose }: SideProps) {
  const isOver = useSignal(false);
  const take = (files: FileList | null | undefined) => {
    const [first] = files ?? [];
    if (first) choose(first);
  };
  return (
    <label
      class={isOver.value ? "side is-over" : "side"}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        take(event.dataTransfer?.files);
      }}
    >
      <span class="side-label">{label}</span>
      <input type="file" accept=".docx,.docm" onChange={(event) => take(event.currentTarget.files)} />
      {file && <span class="side-file"><bdi>{shown(file.name)}</bdi> <span class="muted">{size(file.size)}</span></span>}
    </label>
  );
}
