// How the server is: its health, what failed lately, what it counts, and how a program is pointed at it.
//
// Must never show the key.
import { useSignal } from "@preact/signals";
import type { FailedRequest } from "../../../shared/src/server-client.ts";
import { Failure } from "../parts/Failure.tsx";
import { Prose } from "../parts/Prose.tsx";
import { useResource } from "../parts/resource.ts";
import { say } from "../state/notice.ts";
import { models, server, token } from "../state/session.ts";
import { shown, t, when } from "../texts.ts";

export function Server() {
  const health = useResource(() => server.value.ready(), [], 10_000);
  const errors = useResource(() => server.value.errors(), [], 10_000);
  const counters = useResource(() => server.value.metrics(), [], 10_000);
  const failing = health.value?.failing ?? [];
  return (
    <div class="page">
      <h1>{t("server.title")}</h1>
      <section>
        <h2>{t("server.health")}</h2>
        {health.failure && <Failure failure={health.failure} retry={() => void health.reload()} />}
        {health.value && (
          <p class={health.value.ready ? "state is-good" : "state is-bad"}>
            <span class="dot" aria-hidden="true" />
            {health.value.ready ? t("server.ready") : t("server.notReady", { what: shown(failing.join(", ")) })}
          </p>
        )}
        <dl class="facts">
          <div class="is-wide">
            <dt>{t("server.model")}</dt>
            <dd><code>{shown(models.value?.usual ?? "")}</code>{(models.value?.further ?? []).map((name) => <code key={name}> engross/{shown(name)}</code>)}</dd>
          </div>
          {counters.value !== undefined && <Counters text={counters.value} />}
        </dl>
      </section>
      <section>
        <h2>{t("server.errors")}</h2>
        {errors.failure && <Failure failure={errors.failure} retry={() => void errors.reload()} />}
        {errors.value && <Errors errors={errors.value.data} />}
      </section>
      <Snippet />
    </div>
  );
}

function Counters({ text }: { readonly text: string }) {
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^engross_${name}(?:\\{[^}]*\\})? (\\d+)$`, "gm"))].reduce((all, [, value]) => all + Number(value), 0);
  return (
    <>
      {([["server.requests", "requests_total"], ["server.turns", "turns_total"], ["server.streams", "open_streams"], ["server.answerErrors", "answer_errors_total"]] as const).map(([label, name]) => (
        <div key={name}>
          <dt>{t(label)}</dt>
          <dd>{sum(name)}</dd>
        </div>
      ))}
    </>
  );
}

function Errors({ errors }: { readonly errors: readonly FailedRequest[] }) {
  const open = useSignal("");
  if (errors.length === 0) return <p class="empty">{t("server.noErrors")}</p>;
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{t("server.time")}</th>
            <th scope="col">{t("server.code")}</th>
            <th scope="col" class="only-wide">{t("server.route")}</th>
            <th scope="col" class="number-cell">{t("server.status")}</th>
          </tr>
        </thead>
        <tbody>
          {errors.slice(0, 100).map(({ at, code, route, status }, index) => (
            <tr key={index}>
              <td>{when(at)}</td>
              <td>{code === "" ? "–" : <button type="button" class="link" aria-expanded={open.value === code} onClick={() => (open.value = open.value === code ? "" : code)}><code>{shown(code)}</code></button>}</td>
              <td class="only-wide muted">{shown(route)}</td>
              <td class="number-cell">{status}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {open.value !== "" && <Explained code={open.value} />}
    </>
  );
}

function Explained({ code }: { readonly code: string }) {
  const told = useResource(() => server.value.explain(code), [code]);
  if (told.failure) return <Failure failure={told.failure} />;
  if (!told.value) return <p class="muted">{t("common.loading")}</p>;
  return (
    <div class="card">
      <h3><code>{shown(code)}</code></h3>
      <Prose text={told.value.summary} />
      <div class="muted"><Prose text={told.value.why} /></div>
      <div><strong>{t("failure.what")}:</strong> <Prose text={told.value.remedy} /></div>
    </div>
  );
}

function Snippet() {
  const isCopied = useSignal(false);
  const key = token.value === undefined ? "unused" : "TOKEN";
  const text = `from openai import OpenAI

client = OpenAI(base_url="${location.origin}/v1", api_key="${key}",
                default_headers={"x-engross-session-key": "contract.docx"})
answer = client.chat.completions.create(
    model="engross", messages=[{"role": "user", "content": "What is the notice period?"}])
print(answer.choices[0].message.content)`;
  const copy = async () => {
    isCopied.value = await navigator.clipboard.writeText(text).then(() => true, () => false);
    if (!isCopied.value) say(t("server.notCopied"));
  };
  return (
    <section>
      <h2>{t("server.client")}</h2>
      <p class="muted">{t("server.clientText")}</p>
      <pre class="snippet" tabIndex={0}><code>{text}</code></pre>
      <p class="row">
        {"clipboard" in navigator && <button type="button" class="button small" onClick={() => void copy()}>{isCopied.value ? t("server.copied") : t("server.copy")}</button>}
        <a href="/openapi.json">/openapi.json</a>
        {token.value === undefined && <a href="/metrics">/metrics</a>}
      </p>
    </section>
  );
}
