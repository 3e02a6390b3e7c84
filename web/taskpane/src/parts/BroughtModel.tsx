// The person's own model beside those of the server: which it is, where its key is, and how it is given and forgotten.
//
// Must never show the key, nor keep it when the dialog is gone.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ProviderName } from "../alone/dialect.ts";
import { bring, brought, broughtFailure, forgetBrought, lookForModel } from "../state/brought.ts";
import { isText, shown, t } from "../texts.ts";
import { ProviderFields, PROVIDERS, usualModel } from "./ProviderFields.tsx";

/** A place where a key is, in words. */
function placeOf(place: string): string {
  const key = `brought.in.${place}`;
  return isText(key) ? t(key) : shown(place);
}

export function BroughtModel() {
  const isOpen = useSignal(false);
  const isForgetting = useSignal(false);
  const forget = async () => {
    isForgetting.value = true;
    await forgetBrought();
    isForgetting.value = false;
  };
  useEffect(() => {
    void lookForModel();
  }, []);
  const state = brought.value;
  if (!state) return <Problem />;
  const { model, allowed } = state;
  if (!allowed && !model) return null;
  return (
    <section class="stack" aria-labelledby="brought-title">
      <h2 id="brought-title">{t("brought.title")}</h2>
      {model ? (
        <p class="small-text">
          {PROVIDERS.find(([name]) => name === model.provider)?.[1] ?? shown(model.provider)}, {shown(model.name)}.{" "}
          {model.remembered === null ? t("brought.inMemory") : t(model.hasKey ? "brought.remembered" : "brought.locked", { place: placeOf(model.remembered) })}
        </p>
      ) : (
        <p class="small-text muted">{t("brought.none")}</p>
      )}
      <div class="row">
        {allowed && <button type="button" class="button small" onClick={() => (isOpen.value = true)}>{t(model ? "own.other" : "brought.give")}</button>}
        {model && <button type="button" class="button small" disabled={isForgetting.value} onClick={() => void forget()}>{t("brought.forget")}</button>}
      </div>
      {!isOpen.value && <Problem />}
      {isOpen.value && <Giving close={() => (isOpen.value = false)} />}
    </section>
  );
}

function Problem() {
  const failure = broughtFailure.value;
  return <p id="brought-problem" class="problem small-text" role="alert">{failure ? shown(failure.message.slice(0, 600)) : ""}</p>;
}

function Giving({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const before = brought.value?.model;
  const provider = useSignal<ProviderName>(PROVIDERS.find(([name]) => name === before?.provider)?.[0] ?? "anthropic");
  const model = useSignal(before?.name ?? "");
  const key = useSignal("");
  const remember = useSignal((before?.remembered ?? null) !== null);
  const isSending = useSignal(false);
  useEffect(() => {
    broughtFailure.value = undefined;
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  const hasKey = before?.hasKey === true && before.provider === provider.value;
  const go = async (event: Event) => {
    event.preventDefault();
    const secret = key.value.trim();
    if ((secret === "" && !hasKey) || isSending.value) return;
    isSending.value = true;
    const isTaken = await bring({ provider: provider.value, name: model.value.trim() || usualModel(provider.value), remember: remember.value, ...(secret === "" ? {} : { key: secret }) });
    isSending.value = false;
    // Closing gives the focus back to where it was; what is heard of it takes the dialog away.
    if (isTaken) dialog.current?.close();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="giving-title" onClose={close}>
      <form onSubmit={(event) => void go(event)} autocomplete="off">
        <h2 id="giving-title">{t("own.title")}</h2>
        <p class="small-text muted">{t("brought.text")}</p>
        <ProviderFields provider={provider} model={model} secret={key} isWrong={broughtFailure.value !== undefined} problem="brought-problem" hasKey={hasKey} />
        <label class="row choice">
          <input type="checkbox" checked={remember.value} aria-describedby="remember-help" onChange={(event) => (remember.value = event.currentTarget.checked)} />
          <span>{t("brought.remember")}</span>
        </label>
        <p id="remember-help" class="small-text muted">{remember.value ? t("brought.rememberHelp", { place: placeOf(brought.value?.remembersIn ?? "file") }) : t("brought.inMemory")}</p>
        <Problem />
        <div class="row">
          <button class="button primary" disabled={isSending.value || (key.value.trim() === "" && !hasKey)}>{t("gate.enter")}</button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>{t("brought.cancel")}</button>
        </div>
      </form>
    </dialog>
  );
}
