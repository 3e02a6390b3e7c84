// A conversation: what was said, with the calls of each turn, and the turn that is under way.
//
// Must never show a turn as ended that is not.
import type { ChatMessage } from "../../../shared/src/server-client.ts";
import type { Talk } from "../state/talk.ts";
import { named, shown, t } from "../texts.ts";
import { Clipped } from "./Clipped.tsx";
import { Failure } from "./Failure.tsx";
import { Prose } from "./Prose.tsx";

interface Props {
  readonly talk: Talk;
  readonly show?: (address: string) => void;
}

export function Conversation({ talk, show }: Props) {
  const messages = talk.messages.value;
  const live = talk.live.value;
  const failure = talk.failure.value;
  const results = new Map(messages.filter(({ role }) => role === "tool").map((message) => [message.tool_call_id, message]));
  // The turn under way is drawn below; what is stored of it already would be there twice.
  const said = live ? withoutOpenTurn(messages, live.asked) : messages;
  return (
    <div class="conversation">
      {talk.earlier.value > 0 && (
        <button type="button" class="button small" disabled={talk.isFetching.value} onClick={() => void talk.older()}>{t("ask.olderMessages")}</button>
      )}
      {said.length === 0 && !live && !failure && <p class="empty">{t("ask.empty")}</p>}
      {said.map((message, at) => <Message key={at} message={message} results={results} show={show} />)}
      {live && (
        <>
          {live.asked !== undefined && <Bubble text={live.asked} />}
          <div class="turn is-live">
            <ul class="steps">
              {live.steps.map((step) => (
                <li key={step.id} class={`step is-${step.state}`}>
                  <span class="step-mark" aria-hidden="true" />
                  <span><Clipped text={step.message} most={300} /></span>
                  <code>{shown(step.name)}</code>
                </li>
              ))}
            </ul>
            {live.text !== "" && <Prose text={live.text} show={show} />}
            {live.warnings.map((warning) => <p key={warning} class="warning"><Clipped text={warning} most={400} /></p>)}
            <p class="working" role="status">{t("ask.running")}</p>
          </div>
        </>
      )}
      {failure && <Failure failure={failure} dismiss={() => (talk.failure.value = undefined)} />}
    </div>
  );
}

/** The messages before the turn that is under way: all up to the last one of the person. */
function withoutOpenTurn(messages: readonly ChatMessage[], asked: string | undefined): readonly ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const isOpen = last >= 0 && (asked === undefined || messages[last]?.content === asked) && !isOver(messages.slice(last + 1));
  return isOpen ? messages.slice(0, asked === undefined ? last + 1 : last) : messages;
}

function isOver(answers: readonly ChatMessage[]): boolean {
  const last = answers.at(-1);
  return last?.role === "assistant" && !last.tool_calls?.length;
}

function Bubble({ text }: { readonly text: string }) {
  return (
    <div class="bubble">
      <span class="visually-hidden">{t("ask.you")}: </span>
      <Clipped text={text} />
    </div>
  );
}

interface MessageProps {
  readonly message: ChatMessage;
  readonly results: ReadonlyMap<string | undefined, ChatMessage>;
  readonly show: Props["show"];
}

function Message({ message, results, show }: MessageProps) {
  const { role, content, tool_calls: calls = [] } = message;
  if (role === "tool") return null;
  if (role === "user") return <Bubble text={content} />;
  return (
    <div class="turn">
      <span class="visually-hidden">{t("ask.assistant")}: </span>
      {content !== "" && <Prose text={content} show={show} />}
      {calls.map((call) => <Call key={call.id} name={call.function.name} sent={call.function.arguments} result={results.get(call.id)} />)}
    </div>
  );
}

interface CallProps {
  readonly name: string;
  readonly sent: string;
  readonly result: ChatMessage | undefined;
}

function Call({ name, sent, result }: CallProps) {
  const summary = summaryOf(result?.content);
  return (
    <details class={result?.is_error ? "call is-failed" : "call"}>
      <summary>
        <code>{shown(name)}</code>
        {summary && <span class="muted">{t("ask.applied", summary)}</span>}
        {result?.is_error && <span class="tag bad">{t("ask.failedResult")}</span>}
      </summary>
      <p class="label">{t("ask.call")}</p>
      <pre tabIndex={0}><Clipped text={pretty(sent)} most={8_000} /></pre>
      {result && (
        <>
          <p class="label">{t("ask.result")}</p>
          {outcomesOf(result.content).map(({ index, op, status, code }) => (
            <p key={index} class={`outcome is-${status}`}>
              <span class="tag">{named("outcome", status)}</span> <code>{shown(op)}</code> {code && <code class="code">{shown(code)}</code>}
            </p>
          ))}
          <pre tabIndex={0}><Clipped text={pretty(result.content)} most={8_000} /></pre>
        </>
      )}
    </details>
  );
}

function pretty(text: string): string {
  if (text.length > 100_000) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

interface Report {
  readonly summary?: { readonly applied?: number; readonly refused?: number; readonly failed?: number };
  readonly operations?: readonly { readonly index: number; readonly op: string; readonly status: string; readonly code?: string }[];
}

function reportOf(text: string | undefined): Report | undefined {
  if (text === undefined || text.length > 500_000 || !text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}

function summaryOf(text: string | undefined): { applied: number; refused: number } | undefined {
  const summary = reportOf(text)?.summary;
  if (typeof summary?.applied !== "number") return undefined;
  return { applied: summary.applied, refused: (summary.refused ?? 0) + (summary.failed ?? 0) };
}

function outcomesOf(text: string): NonNullable<Report["operations"]> {
  const operations = reportOf(text)?.operations;
  return Array.isArray(operations) ? operations.slice(0, 100).filter((one) => typeof one?.op === "string" && typeof one.status === "string") : [];
}
