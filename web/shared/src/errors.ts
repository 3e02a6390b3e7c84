// Why an answer did not come, with a stable code.

/** Codes of the client's own; all others come from the server and are explained in docs/errors/. */
export type ClientCode =
  /** The caller gave up. */
  | "ABORTED"
  /** The connection broke, and could not be had again in the tries allowed. */
  | "CONNECTION_LOST"
  /** Something answered that does not speak the protocol. */
  | "BAD_RESPONSE"
  /** The answer began anew with another text than before. */
  | "ANSWER_CHANGED";

/** What is known of an error besides its code and message. */
export interface Particulars {
  /** HTTP status; absent when the answer failed on its way, or never came. */
  readonly status?: number;
  /** Seconds to wait before asking again. */
  readonly retryAfter?: number;
  /** Names the request in the server's log. */
  readonly requestId?: string;
  /** Machine-readable particulars of the server. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A request that failed, or an answer that broke off. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  /** Stable: `MODEL_RATE_LIMITED`, `CONNECTION_LOST`, … */
  readonly code: string;
  readonly particulars: Particulars;

  constructor(code: ClientCode | (string & {}), message: string, particulars: Particulars = {}) {
    super(message);
    this.code = code;
    this.particulars = particulars;
  }
}

/** The error in an object `{code, message, details}` of the server; undefined if it is none. */
export function errorOf(value: unknown, particulars: Particulars = {}): SessionError | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { code, message, details } = value as Record<string, unknown>;
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  const more = typeof details === "object" && details !== null ? { details: details as Record<string, unknown> } : {};
  return new SessionError(code, message, { ...particulars, ...more });
}

/** The error that a response with a status other than 2xx tells of. */
export async function refusal(response: Response): Promise<SessionError> {
  const retryAfter = Number.parseFloat(response.headers.get("retry-after") ?? "");
  const requestId = response.headers.get("x-request-id");
  const particulars = {
    status: response.status,
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
    ...(requestId === null ? {} : { requestId }),
  };
  const text = await response.text().catch(() => "");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const ours = errorOf((body as { error?: unknown } | null | undefined)?.error, particulars);
  const message = `the server answered ${response.status} without saying why; is the address that of engross?`;
  return ours ?? new SessionError("BAD_RESPONSE", message, particulars);
}
