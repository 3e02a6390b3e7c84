// A question before something that changes much: yes, or nothing happens.
//
// Must never do it twice.
import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SessionError } from "../../../shared/src/server-client.ts";
import { failureOf } from "../state/session.ts";
import { t } from "../texts.ts";
import { Failure } from "./Failure.tsx";

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly yes: string;
  readonly isDangerous?: boolean;
  readonly act: () => Promise<void>;
  readonly close: () => void;
}

export function Confirm({ title, children, yes, isDangerous, act, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isBusy = useSignal(false);
  const failure = useSignal<SessionError | undefined>(undefined);
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  const run = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      await act();
      close();
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <dialog
      ref={dialog}
      class="dialog"
      onClose={close}
      onCancel={(event) => {
        // What comes of it would be told nowhere.
        if (isBusy.value) event.preventDefault();
      }}
      aria-labelledby="confirm-title"
    >
      <h2 id="confirm-title">{title}</h2>
      <div class="dialog-body">{children}</div>
      {failure.value && <Failure failure={failure.value} />}
      <p class="row end">
        <button type="button" class="button" disabled={isBusy.value} onClick={() => dialog.current?.close()}>{t("common.cancel")}</button>
        <button type="button" class={isDangerous ? "button danger" : "button primary"} disabled={isBusy.value} onClick={() => void run()}>
          {yes}
        </button>
      </p>
    </dialog>
  );
}
