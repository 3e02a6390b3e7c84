// A failure: its code, what happened, and what to do next.
//
// Must never hide the code, or say that something went well.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SessionError } from "../../../shared/src/server-client.ts";
import { server } from "../state/session.ts";
import { isText, shown, t } from "../texts.ts";
import { Clipped } from "./Clipped.tsx";
import { Prose } from "./Prose.tsx";

interface Props {
  readonly failure: Pick<SessionError, "code" | "message"> & Partial<Pick<SessionError, "particulars">>;
  readonly retry?: (() => void) | undefined;
  readonly dismiss?: () => void;
}

/** What to do about codes that were asked for. */
const remedies = new Map<string, string>();

export function Failure({ failure, retry, dismiss }: Props) {
  const { code, message, particulars } = failure;
  const own = `failure.${code}`;
  return (
    <div class="failure" role="alert">
      <p class="failure-head">
        <code class="code">{shown(code)}</code>
        <span><Clipped text={message} most={600} /></span>
      </p>
      <div class="failure-remedy">
        <strong>{t("failure.what")}:</strong> {isText(own) ? t(own) : <Remedy code={code} />}
      </div>
      {particulars?.retryAfter !== undefined && <p class="muted">{particulars.retryAfter} s</p>}
      {(retry || dismiss) && (
        <p class="row">
          {retry && <button type="button" class="button" onClick={retry}>{t("common.retry")}</button>}
          {dismiss && <button type="button" class="button quiet" onClick={dismiss}>{t("common.close")}</button>}
        </p>
      )}
    </div>
  );
}

function Remedy({ code }: { readonly code: string }) {
  const text = useSignal(remedies.get(code) ?? "");
  useEffect(() => {
    let isGone = false;
    const known = remedies.get(code);
    text.value = known ?? "";
    if (known === undefined) {
      server.value.explain(code).then(
        ({ remedy }) => {
          remedies.set(code, remedy);
          if (!isGone) text.value = remedy;
        },
        () => {
          if (!isGone) text.value = `docs/errors/${shown(code)}.md`;
        },
      );
    }
    return () => {
      isGone = true;
    };
  }, [code]);
  return <Prose text={text.value} />;
}
