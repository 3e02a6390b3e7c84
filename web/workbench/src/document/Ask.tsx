// Where a person says what should change: in words, or as operations.
//
// Must never clear what was typed before it was accepted.
import { useSignal } from "@preact/signals";
import type { Operation, Outcome, SessionError } from "../../../shared/src/server-client.ts";
import { SessionError as Problem } from "../../../shared/src/server-client.ts";
import { Failure } from "../parts/Failure.tsx";
import { draft } from "../state/drafts.ts";
import { failureOf, models } from "../state/session.ts";
import type { Talk } from "../state/talk.ts";
import { named, shown, t } from "../texts.ts";
import type { DocumentModel } from "./model.ts";

interface Props {
  readonly model: DocumentModel;
  readonly talk: Talk;
  /** Called when a message is on its way. */
  readonly sent: () => void;
}

export function Ask({ model, talk, sent }: Props) {
  const mode = useSignal<"instruction" | "operations">("instruction");
  return (
    <section class="ask" aria-label={t("ask.label")}>
      <div class="ask-head">
        <fieldset class="switch">
          <legend class="visually-hidden">{t("ask.label")}</legend>
          {(["instruction", "operations"] as const).map((name) => (
            <label key={name}>
              <input type="radio" name="ask-mode" checked={mode.value === name} onChange={() => (mode.value = name)} />
              <span>{t(`ask.${name}`)}</span>
            </label>
          ))}
        </fieldset>
        {mode.value === "instruction" && <Models talk={talk} />}
      </div>
      {mode.value === "instruction" ? <Instruction talk={talk} sent={sent} /> : <Operations model={model} />}
    </section>
  );
}

function Models({ talk }: { readonly talk: Talk }) {
  const offered = models.value;
  if (!offered) return null;
  if (offered.further.length === 0) return <span class="muted model-name">{t("ask.model")}: {shown(offered.usual)}</span>;
  return (
    <label class="model-choice">
      <span class="visually-hidden">{t("ask.model")}</span>
      <select value={talk.model.value} onChange={(event) => (talk.model.value = event.currentTarget.value)}>
        <option value="">{t("ask.modelUsual", { model: shown(offered.usual) })}</option>
        {offered.further.map((name) => <option key={name} value={name}>{shown(name)}</option>)}
      </select>
    </label>
  );
}

function Instruction({ talk, sent }: Omit<Props, "model">) {
  const text = draft(talk.place);
  const isRules = models.value?.usual === "rules" && talk.model.value === "";
  const isRunning = talk.live.value !== undefined;
  const send = () => {
    const said = text.value.trim();
    if (said === "" || isRunning) return;
    text.value = "";
    sent();
    void talk.send(said);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        rows={3}
        aria-label={t("ask.label")}
        placeholder={t("ask.placeholder")}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={keys}
      />
      {isRules && talk.messages.value.length === 0 && !isRunning && (
        <div class="hint">
          <p>{t("ask.rules")}</p>
          {([t("ask.rulesExample1"), t("ask.rulesExample2"), t("ask.rulesExample3")]).map((example) => (
            <button key={example} type="button" class="example" onClick={() => (text.value = example)}>{example}</button>
          ))}
        </div>
      )}
      <p class="row spread">
        <span class="muted small-text">{t("ask.tracked")}</span>
        {/* Two buttons and not one that changes: a click on the first would send the form once it has become the second. */}
        {isRunning ? (
          <button key="stop" type="button" class="button" disabled={talk.isStopping.value} onClick={() => void talk.stop()}>{t("ask.stop")}</button>
        ) : (
          <button key="send" class="button primary" disabled={text.value.trim() === ""}>{t("ask.send")}</button>
        )}
      </p>
    </form>
  );
}

/** The operations in a text: a list, or an object that has one. */
function operationsOf(text: string): readonly Operation[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Problem("OPERATIONS_INVALID", error instanceof Error ? error.message : String(error));
  }
  const list: unknown = Array.isArray(parsed) ? parsed : (parsed as { operations?: unknown } | null)?.operations;
  if (!Array.isArray(list)) throw new Problem("OPERATIONS_INVALID", "[ … ]");
  return list as readonly Operation[];
}

function Operations({ model }: { readonly model: DocumentModel }) {
  const text = draft(`operations ${model.workspace}/${model.path}`);
  const failure = useSignal<SessionError | undefined>(undefined);
  const outcomes = useSignal<readonly Outcome[]>([]);
  const apply = async (event: Event) => {
    event.preventDefault();
    failure.value = undefined;
    outcomes.value = [];
    try {
      const receipt = await model.apply(operationsOf(text.value));
      if (!receipt) return;
      outcomes.value = receipt.operations;
      if (receipt.summary.refused + receipt.summary.failed === 0) text.value = "";
    } catch (error) {
      const problem = failureOf(error);
      failure.value = problem;
      const told = problem.particulars.details?.["operations"];
      if (Array.isArray(told)) outcomes.value = told as readonly Outcome[];
    }
  };
  return (
    <form onSubmit={(event) => void apply(event)}>
      <textarea
        rows={5}
        class="mono"
        spellcheck={false}
        aria-label={t("ask.operationsLabel")}
        placeholder={'[{"op": "modify_text", "originalText": "…", "replacementText": "…"}]'}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {outcomes.value.length > 0 && (
        <ul class="outcomes" tabIndex={0} aria-label={t("ask.outcomes")}>
          {outcomes.value.slice(0, 200).map(({ index, op, status, code, message, address }) => (
            <li key={index} class={`outcome is-${status}`}>
              <span class="tag">{named("outcome", status)}</span> <code>{shown(op)}</code>
              {address && <button type="button" class="place" onClick={() => model.show({ address })}>{shown(address)}</button>}
              {code && <code class="code">{shown(code)}</code>} {message && <span class="muted">{shown(message.slice(0, 400))}</span>}
            </li>
          ))}
        </ul>
      )}
      <p class="row spread">
        <span class="muted small-text">{t("ask.tracked")}</span>
        <button class="button primary" disabled={text.value.trim() === "" || model.isBusy.value || !model.loaded.value}>{t("ask.apply")}</button>
      </p>
    </form>
  );
}
