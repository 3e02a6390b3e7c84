// What the document was before each change: to be compared with now, or to be put back.
//
// Must never put a version back without saying what that takes away.
import { useSignal } from "@preact/signals";
import type { Checkpoint, SessionError } from "../../../shared/src/server-client.ts";
import { Clipped } from "../parts/Clipped.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { Failure } from "../parts/Failure.tsx";
import { useResource } from "../parts/resource.ts";
import { compareAndOpen } from "../state/files.ts";
import { say } from "../state/notice.ts";
import { failureOf, server } from "../state/session.ts";
import { size, t, when } from "../texts.ts";
import type { DocumentModel } from "./model.ts";

export function Versions({ model }: { readonly model: DocumentModel }) {
  const { workspace, path } = model;
  const list = useResource(() => server.value.checkpoints(workspace, path), [workspace, path, model.loaded.value?.tag]);
  const asks = useSignal<Checkpoint | undefined>(undefined);
  const failure = useSignal<SessionError | undefined>(undefined);
  const isComparing = useSignal("");
  const versions = [...(list.value?.data ?? [])].reverse();
  const compare = async ({ id }: Checkpoint) => {
    if (isComparing.value !== "") return;
    isComparing.value = id;
    failure.value = undefined;
    try {
      const [before, after] = await Promise.all([server.value.earlier(workspace, path, id), server.value.bytes(workspace, path)]);
      await compareAndOpen(before, after, model.name);
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isComparing.value = "";
    }
  };
  return (
    <div class="pane">
      {list.failure && <Failure failure={list.failure} retry={() => void list.reload()} />}
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {!list.failure && versions.length === 0 && !list.isLoading && <p class="empty">{t("versions.none")}</p>}
      <ol class="versions">
        {versions.length > 0 && <li class="version is-now"><strong>{t("versions.now")}</strong></li>}
        {versions.map((version) => (
          <li key={version.id} class="version">
            <span>{when(version.created)}</span> <span class="muted">{size(version.size)}</span>
            <span class="row">
              <button type="button" class="button small" disabled={isComparing.value !== ""} onClick={() => void compare(version)}>
                {isComparing.value === version.id ? t("compare.running") : t("versions.compare")}
              </button>
              <button type="button" class="button small" disabled={model.isBusy.value} onClick={() => (asks.value = version)}>
                {t("versions.restore")}
              </button>
            </span>
          </li>
        ))}
      </ol>
      {asks.value && (
        <Confirm
          title={t("versions.restoreTitle", { when: when(asks.value.created) })}
          yes={t("versions.restore")}
          act={async () => {
            if (asks.value) await model.restore(asks.value.id);
            say(t("versions.restored"));
          }}
          close={() => (asks.value = undefined)}
        >
          <p>{t("versions.restoreText")}</p>
          <Lost model={model} id={asks.value.id} />
        </Confirm>
      )}
    </div>
  );
}

/** What going back would take and give. */
function Lost({ model, id }: { readonly model: DocumentModel; readonly id: string }) {
  const losses = useResource(() => server.value.losses(model.workspace, model.path, id), [id]);
  if (losses.failure) return <Failure failure={losses.failure} />;
  if (!losses.value) return <p class="muted">{t("common.loading")}</p>;
  const { lost, back } = losses.value;
  if (lost.length + back.length === 0) return <p class="muted">{t("versions.same")}</p>;
  const list = (title: string, items: typeof lost) =>
    items.length > 0 && (
      <>
        <h3>{title} ({items.length})</h3>
        <ul class="losses">
          {items.slice(0, 50).map(({ address, text }, at) => (
            <li key={at}><span class="muted">{address}</span> <Clipped text={text} most={300} /></li>
          ))}
        </ul>
      </>
    );
  return <div class="scroll">{list(t("versions.lost"), lost)}{list(t("versions.back"), back)}</div>;
}
