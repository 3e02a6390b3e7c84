// Files that models write in pieces: how far each is, and what became of those that are finished.
//
// Must never call a file written that has no receipt.
import { useSignal } from "@preact/signals";
import type { WriteState } from "../../../shared/src/server-client.ts";
import { resumeWrite } from "../../../shared/src/write-session.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { Failure } from "../parts/Failure.tsx";
import { useResource } from "../parts/resource.ts";
import { save } from "../parts/save.ts";
import type { SessionError } from "../../../shared/src/server-client.ts";
import { failureOf, server, writeAccess } from "../state/session.ts";
import { shown, size, t, when } from "../texts.ts";

const OVER = new Set(["committed", "cancelled", "expired", "failed"]);

export function Writes() {
  const list = useResource(() => server.value.writes(), [], 2_000);
  const asks = useSignal<WriteState | undefined>(undefined);
  const failure = useSignal<SessionError | undefined>(undefined);
  const files = [...(list.value?.data ?? [])].sort((one, other) => other.last_activity - one.last_activity);
  // The first part of a path is the workspace where there is one.
  const download = async (path: string) => {
    failure.value = undefined;
    const [workspace = "", ...rest] = path.split("/");
    try {
      save(await server.value.bytes(workspace, rest.join("/")), rest.at(-1) ?? path);
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  return (
    <div class="page">
      <h1>{t("writes.title")}</h1>
      {list.failure && <Failure failure={list.failure} retry={() => void list.reload()} />}
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {list.value && files.length === 0 && <p class="empty">{t("writes.none")}</p>}
      <ul class="cards">
        {files.slice(0, 200).map((file) => (
          <li key={file.session_id} class="card">
            <p class="row spread">
              <strong><bdi>{shown(file.target_file)}</bdi></strong>
              <span class={tagOf(file.state)}>{shown(file.state)}</span>
            </p>
            <p class="row muted small-text">
              <span>{file.operation}</span>
              <span>{file.receipt ? t("writes.lines", { lines: file.receipt.lines, bytes: size(file.receipt.bytes) }) : size(file.bytes)}</span>
              <span>{when(file.last_activity / 1000)}</span>
            </p>
            {file.error && <Failure failure={file.error} />}
            <p class="row">
              {file.receipt?.path.includes("/") && (
                <button type="button" class="button small" onClick={() => void download(file.receipt?.path ?? "")}>{t("common.download")}</button>
              )}
              {!OVER.has(file.state) && (
                <button type="button" class="button small" onClick={() => (asks.value = file)}>{t("writes.cancel")}</button>
              )}
            </p>
          </li>
        ))}
      </ul>
      {asks.value && (
        <Confirm
          title={t("writes.cancelTitle")}
          yes={t("writes.cancel")}
          isDangerous
          act={async () => {
            if (!asks.value) return;
            await (await resumeWrite(writeAccess(), asks.value.session_id)).cancel();
            await list.reload();
          }}
          close={() => (asks.value = undefined)}
        >
          <p><bdi>{shown(asks.value.target_file)}</bdi></p>
          <p>{t("writes.cancelText")}</p>
        </Confirm>
      )}
    </div>
  );
}

function tagOf(state: string): string {
  if (state === "committed") return "tag good";
  return state === "failed" || state === "expired" ? "tag bad" : OVER.has(state) ? "tag" : "tag warn";
}
