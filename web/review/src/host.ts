// The host around the page: messages of JSON-RPC to and from the window of the chat, as the protocol of MCP apps has them.
//
// Must never act on a message of anybody but the host, nor ask for what the host has not said that it does.

/** The revision of the protocol that the page speaks. */
const REVISION = "2026-01-26";

/** How long the host may take to greet, and to carry out a call; a person may have to agree to that first. */
const GREETING_MILLIS = 5_000;
const CALL_MILLIS = 300_000;

export type Json = Readonly<Record<string, unknown>>;

/** What the page may ask of the host. */
export interface HostAbilities {
  /** Whether tools of the server can be called. */
  readonly callsTools: boolean;
  /** Whether the model can be told what was done. */
  readonly tellsModel: boolean;
}

/** How the host looks. */
export interface HostLook {
  readonly theme?: "light" | "dark";
  readonly locale?: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** What the host says by itself. */
export interface HostEvents {
  /** A call of a tool begins, with its arguments. */
  input(given: Json): void;
  /** It is over. */
  result(result: Json): void;
  cancelled(): void;
  look(look: HostLook): void;
}

export class HostError extends Error {}

interface Waiting {
  readonly resolve: (result: Json) => void;
  readonly reject: (error: HostError) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const object = (value: unknown): Json => (isObject(value) ? value : {});

export class Host {
  readonly #window: Window;
  readonly #events: HostEvents;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor(window: Window, events: HostEvents) {
    this.#window = window;
    this.#events = events;
  }

  /** Greets the host; says what it does. Fails when there is none. */
  async connect(): Promise<HostAbilities> {
    if (this.#window.parent === this.#window) throw new HostError("no host");
    this.#window.addEventListener("message", (event) => {
      if (event.source === this.#window.parent) this.#heard(event.data);
    });
    const greeting = await this.#ask(
      "ui/initialize",
      { protocolVersion: REVISION, appInfo: { name: "engross-review", version: "1.0.0" }, appCapabilities: { availableDisplayModes: ["inline"] } },
      GREETING_MILLIS,
    );
    const can = object(greeting["hostCapabilities"]);
    this.#events.look(lookOf(object(greeting["hostContext"])));
    this.#tell("ui/notifications/initialized", {});
    return { callsTools: isObject(can["serverTools"]), tellsModel: isObject(can["updateModelContext"]) };
  }

  /** The result of a tool of the server. */
  call(name: string, given: Json): Promise<Json> {
    return this.#ask("tools/call", { name, arguments: given }, CALL_MILLIS);
  }

  /** Tells the model what was done, for when it speaks next. A host that does not take it loses nothing. */
  tellModel(text: string): void {
    this.#ask("ui/update-model-context", { content: [{ type: "text", text }] }, CALL_MILLIS).catch(() => undefined);
  }

  size(width: number, height: number): void {
    this.#tell("ui/notifications/size-changed", { width, height });
  }

  #post(message: Json): void {
    // The origin of a host cannot be known; what is sent is in the chat already.
    this.#window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #tell(method: string, params: Json): void {
    this.#post({ method, params });
  }

  #ask(method: string, params: Json, millis: number): Promise<Json> {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new HostError("no answer"));
      }, millis);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#post({ id, method, params });
    });
  }

  #heard(data: unknown): void {
    if (!isObject(data) || data["jsonrpc"] !== "2.0") return;
    const { id, method } = data;
    if (typeof method !== "string") return this.#answered(id, data);
    const params = object(data["params"]);
    if (id === undefined) return this.#noticed(method, params);
    const known = method === "ping" || method === "ui/resource-teardown";
    this.#post(known ? { id, result: {} } : { id, error: { code: -32601, message: `this page does not know ${method}` } });
  }

  #answered(id: unknown, data: Json): void {
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (!waiting) return;
    this.#waiting.delete(id as number);
    clearTimeout(waiting.timer);
    const error = data["error"];
    if (error === undefined) return waiting.resolve(object(data["result"]));
    const message = object(error)["message"];
    waiting.reject(new HostError(typeof message === "string" ? message : "refused"));
  }

  #noticed(method: string, params: Json): void {
    switch (method) {
      case "ui/notifications/tool-input":
        return this.#events.input(object(params["arguments"]));
      case "ui/notifications/tool-result":
        return this.#events.result(params);
      case "ui/notifications/tool-cancelled":
        return this.#events.cancelled();
      case "ui/notifications/host-context-changed":
        return this.#events.look(lookOf(params));
    }
  }
}

function lookOf(context: Json): HostLook {
  const { theme, locale } = context;
  const given = object(object(context["styles"])["variables"]);
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (/^--[a-z0-9-]{1,60}$/.test(name) && typeof value === "string" && !/url\(|image\(/i.test(value)) variables[name] = value;
  }
  return {
    ...(theme === "light" || theme === "dark" ? { theme } : {}),
    ...(typeof locale === "string" ? { locale } : {}),
    variables,
  };
}
