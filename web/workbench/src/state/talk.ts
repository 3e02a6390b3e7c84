// A conversation as it stands: what was said, and the turn that is under way.
//
// Must never send a message twice by itself, or lose one that was not accepted.
import { batch, signal } from "@preact/signals";
import type { ChatMessage, SessionState } from "../../../shared/src/server-client.ts";
import { SessionError } from "../../../shared/src/server-client.ts";
import type { Segment, SessionClient } from "../../../shared/src/session-client.ts";
import { t } from "../texts.ts";
import { putBack } from "./drafts.ts";
import { say } from "./notice.ts";
import { conversation, failureOf, person, server } from "./session.ts";

/** What the server does in a turn. */
export interface Step {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly state: "started" | "running" | "done" | "failed";
}

/** What a new session begins with: that of another one. */
export interface SessionSeed {
  readonly from: string;
  readonly messages: readonly ChatMessage[];
  readonly workspace: string | undefined;
}

const seeds = new Map<string, SessionSeed>();

/** Has a session that is not there yet begin with what was said in another one, up to its last whole answer. */
export function fork(key: string, { from, messages, workspace }: SessionSeed): void {
  const last = messages.findLastIndex(({ role, tool_calls: calls }) => role === "assistant" && !calls?.length);
  seeds.set(key, { from, messages: messages.slice(0, last + 1), workspace });
}

export interface LiveTurn {
  /** What the person said; unknown of a turn that was found under way. */
  readonly asked: string | undefined;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly warnings: readonly string[];
}

/** How often a turn is asked to stop that the server has not begun, in milliseconds. */
const STOP_EVERY = 250;

/** The least time between two drawings of a text that is being streamed. */
const FRAME = 60;

export class Talk {
  readonly messages = signal<readonly ChatMessage[]>([]);
  readonly session = signal<SessionState | undefined>(undefined);
  readonly live = signal<LiveTurn | undefined>(undefined);
  readonly failure = signal<SessionError | undefined>(undefined);
  /** How many messages come before those that are shown. */
  readonly earlier = signal(0);
  /** The further model that answers; the usual one where it is empty. */
  readonly model = signal("");

  readonly key: string;
  readonly place: string;
  readonly #workspace: string | undefined;
  readonly #changed: () => void;
  readonly #seed: SessionSeed | undefined;
  /** Whether the turn was asked to stop, and has not yet. */
  readonly isStopping = signal(false);
  readonly isFetching = signal(false);
  /** Whether the message of the turn under way was given to the server. */
  #isSent = false;
  /** Whether the person has stopped a message that was not on its way yet. */
  #isGivenUp = false;
  /** Ends its wait. */
  #giveUp = () => {};
  /** Done when it is known what was said before; a message that comes earlier waits for it. */
  #opened: Promise<void> | undefined;

  /** `changed` is called whenever the model may have changed a document. */
  constructor(key: string, workspace: string | undefined, changed: () => void) {
    this.key = key;
    this.place = `talk ${key}`;
    this.#seed = seeds.get(key);
    this.#workspace = workspace ?? this.#seed?.workspace;
    this.#changed = changed;
  }

  /** Reads what was said, and listens to a turn that is under way. */
  async open(): Promise<void> {
    if (this.live.value) return;
    this.#opened = this.#look();
    await this.#opened;
    if (this.#isRunning && !this.live.value) this.#listen();
  }

  async older(): Promise<void> {
    if (this.isFetching.value) return;
    this.isFetching.value = true;
    try {
      const page = await server.value.session(this.key, this.earlier.value);
      batch(() => {
        this.messages.value = [...page.messages, ...this.messages.value];
        this.earlier.value = page.first_message ?? 0;
      });
    } catch (error) {
      this.failure.value = failureOf(error);
    } finally {
      this.isFetching.value = false;
    }
  }

  async send(text: string): Promise<void> {
    if (this.live.value) return;
    this.live.value = { asked: text, text: "", steps: [], warnings: [] };
    this.failure.value = undefined;
    this.#isSent = false;
    this.#isGivenUp = false;
    await Promise.race([this.#opened, new Promise<void>((resolve) => (this.#giveUp = resolve))]);
    if (this.#isGivenUp) return this.#unsent(text);
    if (this.#isRunning) {
      // Another window of this person was earlier: its turn is shown, and this message stays to be sent after it.
      putBack(this.place, text);
      say(t("ask.waits"));
      this.#listen();
      return;
    }
    try {
      const author = person.value.trim();
      const known = this.session.value?.settings ?? {};
      if (author !== "" && known["author"] !== author) {
        await server.value.configure(this.key, { ...known, author });
      }
    } catch (error) {
      return this.#unsent(text, failureOf(error));
    }
    if (this.#isGivenUp) return this.#unsent(text);
    this.#isSent = true;
    const history = this.session.value === undefined ? this.#seed?.messages : undefined;
    await this.#follow(this.#client().send(text, history ? { history } : {}), text);
  }

  /** Of which session this one goes on, as long as nothing was said in it. */
  get goesOnFrom(): string | undefined {
    return this.session.value === undefined ? this.#seed?.from : undefined;
  }

  /** Has the server stop the turn; the stream tells when it has. A message that is not on its way yet is put back. */
  async stop(): Promise<void> {
    if (this.isStopping.value) return;
    if (this.live.value && !this.#isSent) {
      this.#isGivenUp = true;
      this.#giveUp();
      return;
    }
    this.isStopping.value = true;
    try {
      // A turn of which the server does not know yet is asked to stop until it does.
      for (;;) {
        if (await this.#cancelled()) return;
        if (!this.live.value) return await this.#look();
        await new Promise((done) => setTimeout(done, STOP_EVERY));
      }
    } catch (error) {
      this.failure.value = failureOf(error);
    } finally {
      this.isStopping.value = false;
    }
  }

  async #cancelled(): Promise<boolean> {
    try {
      return (await server.value.cancelTurn(this.key)).cancelled;
    } catch (error) {
      if (failureOf(error).code === "SESSION_UNKNOWN") return false;
      throw error;
    }
  }

  /** Gives a message back that the server has not heard of. */
  #unsent(text: string, failure?: SessionError): void {
    batch(() => {
      this.live.value = undefined;
      if (failure) this.failure.value = failure;
      putBack(this.place, text);
    });
  }

  get #isRunning(): boolean {
    return this.session.value?.state === "running";
  }

  #listen(): void {
    this.#isSent = true;
    void this.#follow(this.#client().listen(), undefined);
  }

  #client(): SessionClient {
    return conversation(this.key, this.#workspace, this.model.value === "" ? undefined : this.model.value);
  }

  async #look(): Promise<void> {
    try {
      const session = await server.value.session(this.key);
      const first = session.first_message ?? 0;
      batch(() => {
        // Earlier messages that the person has asked for stay.
        const earlier = this.messages.value.slice(0, Math.max(0, first - this.earlier.value));
        const isWhole = this.session.value !== undefined && earlier.length > 0 && earlier.length === first - this.earlier.value;
        this.session.value = session;
        this.messages.value = isWhole ? [...earlier, ...session.messages] : session.messages;
        if (!isWhole) this.earlier.value = first;
      });
    } catch (error) {
      const failure = failureOf(error);
      // Nothing was said yet.
      if (failure.code !== "SESSION_UNKNOWN") this.failure.value = failure;
      else if (this.#seed) this.messages.value = this.#seed.messages;
    }
  }

  async #follow(segments: AsyncGenerator<Segment>, asked: string | undefined): Promise<void> {
    const steps = new Map<string, Step>();
    const warnings: string[] = [];
    let text = "";
    let drawn = 0;
    const draw = () => {
      drawn = performance.now();
      this.live.value = { asked, text, steps: [...steps.values()], warnings };
    };
    draw();
    let end: SessionError | undefined;
    for await (const segment of segments) {
      switch (segment.kind) {
        case "text":
          text += segment.text;
          if (performance.now() - drawn > FRAME) draw();
          break;
        case "status":
          if (segment.tool) {
            const { id, name, state } = segment.tool;
            steps.set(id, { id, name, state, message: segment.message });
            if (state === "done") this.#changed();
          }
          draw();
          break;
        case "warning":
          warnings.push(`${segment.code}: ${segment.message}`);
          draw();
          break;
        case "error":
          end = segment.error;
          break;
        default:
      }
    }
    await this.#look();
    batch(() => {
      this.live.value = undefined;
      if (!end) return;
      failureOf(end);
      this.failure.value = end;
      if (asked !== undefined && end.code !== "TURN_CANCELLED") putBack(this.place, asked);
    });
    this.#changed();
  }
}
