// A long text that the model writes as plain text, and not in a call: streamed into a write session of the server, gone on with when it is cut, taken from there into
// the document, and deleted there.
//
// Must never give an operation a text that has no receipt, nor leave one on the server.
import { beginWrite, SessionError, type Standing, type WriteSession } from "../../../shared/src/write-session.ts";
import { uuid } from "../../../shared/src/uuid.ts";
import { IS_WHOLE, PANE_SAYS, whole } from "../long-texts.ts";
import { baseUrl, server, token } from "./pane.ts";

/** The folder of the server in which such texts are while they are written. */
const WORKSPACE = "word-texts";

/** How often the model is asked to go on with one. */
const MOST_PROMPTS = 16;

const isOver = ({ state }: Standing) => ["committed", "cancelled", "expired", "failed"].includes(state);

/** A text that is being written. */
export class LongText {
  readonly #session: WriteSession;
  readonly #path: string;
  #sending: Promise<unknown> = Promise.resolve();
  #prompts = 0;
  #isOver = false;

  private constructor(session: WriteSession, path: string) {
    this.#session = session;
    this.#path = path;
  }

  static async begin(): Promise<LongText> {
    const path = `${uuid()}.md`;
    const access = token.value === undefined ? { baseUrl } : { baseUrl, token: token.value };
    return new LongText(await beginWrite(access, { target_file: path, operation: "create", root: WORKSPACE, validate: "off" }), path);
  }

  /** What the model is told when it has begun. */
  get instruction(): string {
    return this.#session.instruction;
  }

  /** Characters or bytes that came so far. */
  get size(): number {
    return this.#session.offset;
  }

  /** The next piece; what goes wrong with it is told at the end of the answer. */
  take(piece: string): void {
    const before = this.#sending;
    this.#sending = before.then(() => this.#session.send(piece));
    this.#sending.catch(() => undefined);
  }

  /** The model's answer is over. Gives what it is told next, and whether the text is whole. */
  async ended(reason: string): Promise<{ readonly say: string; readonly isWhole: boolean }> {
    await this.#sending;
    const standing = await this.#session.turnEnd(reason);
    if (standing.receipt) {
      const text = await (await server.value.bytes(WORKSPACE, this.#path)).text();
      const name = whole(text);
      this.#isOver = true;
      await server.value.remove(WORKSPACE, this.#path).catch(() => undefined);
      return { say: `${IS_WHOLE}: ${standing.receipt.lines} lines. Its name is ${name}; put it in with contentFrom.`, isWhole: true };
    }
    this.#prompts += 1;
    if (isOver(standing) || !standing.prompt || this.#prompts > MOST_PROMPTS) {
      await this.giveUp();
      throw new SessionError(standing.error?.code ?? "TEXT_NOT_WRITTEN", standing.error?.message ?? "the model has not come to the end of the text; nothing of it is in the document");
    }
    return { say: `${PANE_SAYS}${standing.prompt.text}`, isWhole: false };
  }

  /** Nothing of it is left. */
  async giveUp(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#session.cancel().catch(() => undefined);
  }
}
