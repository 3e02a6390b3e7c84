// What went wrong, with its code and what to do about it.
import type { SessionError } from "../../../shared/src/session-client.ts";
import { isText, shown, t } from "../texts.ts";

interface Props {
  readonly failure: SessionError;
  readonly retry: () => void;
  readonly dismiss: () => void;
}

export function Failure({ failure: { code, message }, retry, dismiss }: Props) {
  const own = `failure.${code}`;
  return (
    <div class="failure" role="alert">
      <p><code class="code">{shown(code)}</code> {shown(message.slice(0, 600))}</p>
      {isText(own) && <p class="small-text">{t(own)}</p>}
      <div class="row">
        <button type="button" class="button small" onClick={retry}>{t("failure.retry")}</button>
        <button type="button" class="button quiet small" onClick={dismiss}>{t("failure.close")}</button>
      </div>
    </div>
  );
}
