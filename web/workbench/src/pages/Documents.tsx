// Where a person begins: a place to drop a document, and the documents that are there.
//
// Must never open two files of one drop as if they were one.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { FileEntry, SessionError } from "../../../shared/src/server-client.ts";
import { Failure } from "../parts/Failure.tsx";
import { useResource } from "../parts/resource.ts";
import { openFile } from "../state/files.ts";
import { link } from "../state/route.ts";
import { failureOf, server } from "../state/session.ts";
import { shown, size, t, when } from "../texts.ts";

/** Workspaces whose files are listed. */
const LISTED = 60;

interface Entry extends FileEntry {
  readonly workspace: string;
}

async function documents(): Promise<{ readonly entries: readonly Entry[]; readonly isCut: boolean }> {
  const { data } = await server.value.workspaces();
  const newest = [...data].sort((one, other) => other.modified - one.modified).slice(0, LISTED);
  const files = await Promise.all(
    newest.map(async ({ name }) => (await server.value.files(name)).data.map((file) => ({ ...file, workspace: name }))),
  );
  const entries = files.flat().filter(({ path }) => /\.(docx|docm)$/i.test(path));
  return { entries: entries.sort((one, other) => other.modified - one.modified), isCut: data.length > LISTED };
}

export function Documents() {
  const list = useResource(documents, [], 15_000);
  const filter = useSignal("");
  const { entries = [], isCut = false } = list.value ?? {};
  const wanted = filter.value.trim().toLowerCase();
  const fitting = entries.filter(({ path, workspace }) => `${workspace}/${path}`.toLowerCase().includes(wanted));
  return (
    <div class="page">
      <h1>{t("documents.title")}</h1>
      <Drop />
      <div class="list-head">
        <h2>{t("documents.recent")}</h2>
        {entries.length > 0 && (
          <input type="search" aria-label={t("documents.filter")} placeholder={t("documents.filter")} value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
        )}
      </div>
      {list.failure && <Failure failure={list.failure} retry={() => void list.reload()} />}
      {!list.value && !list.failure && <p class="empty" role="status">{t("common.loading")}</p>}
      {list.value && entries.length === 0 && <p class="empty">{t("documents.empty")}</p>}
      {entries.length > 0 && fitting.length === 0 && <p class="empty">{t("documents.noMatch")}</p>}
      {fitting.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">{t("documents.name")}</th>
              <th scope="col" class="only-wide">{t("documents.workspace")}</th>
              <th scope="col" class="number-cell">{t("documents.size")}</th>
              <th scope="col">{t("documents.changed")}</th>
            </tr>
          </thead>
          <tbody>
            {fitting.slice(0, 300).map(({ workspace, path, size: bytes, modified }) => (
              <tr key={`${workspace}/${path}`}>
                <td><a href={link({ page: "document", workspace, path })}><bdi>{shown(path)}</bdi></a></td>
                <td class="only-wide muted">{shown(workspace)}</td>
                <td class="number-cell">{size(bytes)}</td>
                <td>{when(modified)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isCut && <p class="muted">{t("documents.manyWorkspaces", { count: LISTED })}</p>}
    </div>
  );
}

function Drop() {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useSignal(false);
  const isOpening = useSignal("");
  const failure = useSignal<SessionError | undefined>(undefined);
  const left = useRef<readonly File[]>([]);
  const waiting = useRef<readonly File[]>([]);
  const open = async (files: readonly File[]) => {
    if (files.length === 0) return;
    waiting.current = [...waiting.current, ...files];
    // What is dropped while another file is read comes after it.
    if (isOpening.value !== "") return;
    failure.value = undefined;
    try {
      for (let [file] = waiting.current; file; [file] = waiting.current) {
        isOpening.value = file.name;
        await openFile(file, file.name);
        waiting.current = waiting.current.slice(1);
      }
    } catch (error) {
      failure.value = failureOf(error);
      // To be tried again: the file that failed, and those that were to come after it.
      left.current = waiting.current;
      waiting.current = [];
    } finally {
      isOpening.value = "";
    }
  };
  const chosen = (event: Event & { readonly currentTarget: HTMLInputElement }) => {
    const files = [...(event.currentTarget.files ?? [])];
    event.currentTarget.value = "";
    void open(files);
  };
  return (
    <div
      class={isOver.value ? "drop is-over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void open([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <svg class="drop-mark" viewBox="0 0 48 48" aria-hidden="true"><path d="M12 5h16l9 9v29H12z M28 5v9h9" /><path class="drop-lines" d="M18 22h13M18 28h13M18 34h8" /></svg>
      <p class="drop-title">{t("documents.drop")}</p>
      <p class="muted">{t("documents.dropHelp")}</p>
      <input ref={input} class="visually-hidden" type="file" tabIndex={-1} aria-hidden="true" accept=".docx,.docm" multiple onChange={chosen} />
      <button type="button" class="button primary" disabled={isOpening.value !== ""} onClick={() => input.current?.click()}>{t("documents.choose")}</button>
      {isOpening.value !== "" && <p role="status">{t("documents.uploading", { name: shown(isOpening.value) })}</p>}
      {failure.value && (
        <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} retry={failure.value.code === "CONNECTION_LOST" ? () => void open(left.current) : undefined} />
      )}
    </div>
  );
}
