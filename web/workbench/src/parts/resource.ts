// Something that is fetched, shown, and fetched again.
//
// Must never show an older answer over a newer one.
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { failureOf, token } from "../state/session.ts";
import type { SessionError } from "../../../shared/src/server-client.ts";

export interface Resource<T> {
  readonly value: T | undefined;
  readonly failure: SessionError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => Promise<void>;
}

/** Fetches again whenever `keys` change, or the key of the server; and each `every` milliseconds while the page can be seen. */
export function useResource<T>(fetch: () => Promise<T>, keys: readonly unknown[], every = 0): Resource<T> {
  const state = useSignal<{ value?: T; failure?: SessionError; isLoading: boolean }>({ isLoading: true });
  const newest = useRef(0);
  const latest = useRef(fetch);
  latest.current = fetch;
  const reload = useCallback(async () => {
    const turn = (newest.current += 1);
    state.value = { ...state.value, isLoading: true };
    try {
      const value = await latest.current();
      if (turn === newest.current) state.value = { value, isLoading: false };
    } catch (error) {
      const failure = failureOf(error);
      if (turn === newest.current) state.value = { ...state.value, failure, isLoading: false };
    }
  }, []);
  const key = token.value;
  useEffect(() => {
    state.value = { isLoading: true };
    void reload();
    if (every === 0) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void reload();
    }, every);
    return () => {
      newest.current += 1;
      clearInterval(timer);
    };
  }, [...keys, key, every]);
  const { value, failure, isLoading } = state.value;
  return { value, failure, isLoading, reload };
}
