// All conversations on the server: searched by name, opened, begun.
//
// Must never show a list as whole of which only a page was fetched.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SessionEntry, SessionError } from "../../../shared/src/server-client.ts";
import { Failure } from "../parts/Failure.tsx";
import { go, link } from "../state/route.ts";
import { failureOf, server, token } from "../state/session.ts";
import { shown, t, when } from "../texts.ts";

/** Sessions of a page. */
const PAGE = 100;

/** So many are looked through for a name before the person is asked whether to go on. */
const SEARCHED = 2_000;

/** The name of a session as people gave it. */
export function nameOf(key: string): string {
  const name = key.replace(/^agent:main:/, "");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

export function Sessions() {
  const all = useSignal<readonly SessionEntry[]>([]);
  const hasMore = useSignal(false);
  const isLoading = useSignal(true);
  const search = useSignal("");
  const failure = useSignal<SessionError | undefined>(undefined);
  const load = async (known: readonly SessionEntry[]) => {
    isLoading.value = true;
    failure.value = undefined;
    try {
      const page = await server.value.sessions(PAGE, known.at(-1)?.id);
      all.value = [...known, ...page.data];
      hasMore.value = page.has_more ?? false;
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isLoading.value = false;
    }
  };
  const key = token.value;
  useEffect(() => void load([]), [key]);
  const wanted = search.value.trim().toLowerCase();
  const fitting = all.value.filter((session) => nameOf(session.key).toLowerCase().includes(wanted));
  // A search goes through the pages until something fits.
  const isSearching = wanted !== "" && hasMore.value && fitting.length < 20 && all.value.length < SEARCHED && !failure.value;
  useEffect(() => {
    if (isSearching && !isLoading.value) void load(all.value);
  }, [isSearching, all.value.length, isLoading.value]);
  return (
    <div class="page">
      <div class="list-head">
        <h1>{t("sessions.title")}</h1>
        <span class="row">
          <input type="search" aria-label={t("sessions.search")} placeholder={t("sessions.search")} value={search.value} onInput={(event) => (search.value = event.currentTarget.value)} />
          <NewSession />
        </span>
      </div>
      {failure.value && <Failure failure={failure.value} retry={() => void load(all.value)} />}
      {isLoading.value && all.value.length === 0 && <p class="empty" role="status">{t("common.loading")}</p>}
      {!isLoading.value && all.value.length === 0 && !failure.value && <p class="empty">{t("sessions.none")}</p>}
      {!isLoading.value && all.value.length > 0 && fitting.length === 0 && <p class="empty">{t("sessions.noneFit")}</p>}
      {fitting.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">{t("sessions.key")}</th>
              <th scope="col">{t("sessions.changed")}</th>
              <th scope="col" class="number-cell only-wide">{t("sessions.entries")}</th>
            </tr>
          </thead>
          <tbody>
            {fitting.map(({ id, key: name, changed, entries }) => (
              <tr key={id}>
                <td><a href={link({ page: "session", key: name || id })}><bdi>{shown(nameOf(name) || id)}</bdi></a></td>
                <td>{when(changed)}</td>
                <td class="number-cell only-wide">{entries}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasMore.value && (
        <p><button type="button" class="button" disabled={isLoading.value} onClick={() => void load(all.value)}>{t("common.more")}</button></p>
      )}
    </div>
  );
}

function NewSession() {
  const isOpen = useSignal(false);
  const name = useSignal("");
  if (!isOpen.value) return <button type="button" class="button" onClick={() => (isOpen.value = true)}>{t("sessions.new")}</button>;
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.value.trim() !== "") go({ page: "session", key: name.value.trim() });
      }}
    >
      <input autofocus required maxLength={200} aria-label={t("sessions.newName")} placeholder={t("sessions.newName")} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
      <button class="button primary" disabled={name.value.trim() === ""}>{t("common.open")}</button>
    </form>
  );
}
