// A document as the page knows it: what it says, its changes and comments, all of one state.
//
// Must never apply anything to another state than the one that is shown, or do the same thing twice at once.
import { batch, computed, signal } from "@preact/signals";
import type { DocumentComment, Operation, Receipt, Revision } from "../../../shared/src/server-client.ts";
import { SessionError } from "../../../shared/src/server-client.ts";
import { say } from "../state/notice.ts";
import { failureOf, person, server } from "../state/session.ts";
import { t } from "../texts.ts";
import { rowsOf } from "./rows.ts";
import { fetchView } from "../state/view.ts";
import type { DocumentView } from "../state/view.ts";

/** How often a document is looked after that others may change, in milliseconds. */
const LOOK_EVERY = 4_000;

/** How often a document is read again that is changed while it is read. */
const TRIES = 4;

export interface LoadedDocument {
  readonly view: DocumentView;
  readonly revisions: readonly Revision[];
  readonly comments: readonly DocumentComment[];
  /** The state of the file. */
  readonly tag: string | null;
}

export class DocumentModel {
  readonly loaded = signal<LoadedDocument | undefined>(undefined);
  /** What is drawn: the view of what is loaded, and at first the view alone, so that nobody waits for the rest to read. */
  readonly drawn = signal<DocumentView | undefined>(undefined);
  readonly failure = signal<SessionError | undefined>(undefined);
  /** What is being done to it, if anything. */
  readonly isBusy = signal(false);
  /** The paragraph that the person has chosen. */
  readonly chosen = signal<string | undefined>(undefined);
  /** Where the person wants to look; counts up so that the same place can be wanted again. */
  readonly wanted = signal<{ readonly address?: string; readonly revision?: string; readonly count: number }>({ count: 0 });
  readonly rows = computed(() => rowsOf(this.loaded.value?.revisions ?? []));

  readonly workspace: string;
  readonly path: string;
  #turn = 0;

  constructor(workspace: string, path: string) {
    this.workspace = workspace;
    this.path = path;
  }

  /** The name of the file. */
  get name(): string {
    return this.path.split("/").at(-1) ?? this.path;
  }

  show(place: { readonly address?: string; readonly revision?: string }): void {
    this.wanted.value = { ...place, count: this.wanted.peek().count + 1 };
  }

  /** Reads everything; what was asked before this is not shown any more. */
  async load(): Promise<void> {
    const turn = (this.#turn += 1);
    try {
      const loaded = await this.#read((view) => {
        if (turn === this.#turn && !this.loaded.value) this.drawn.value = view;
      });
      if (turn !== this.#turn) return;
      batch(() => {
        this.loaded.value = loaded;
        this.drawn.value = loaded.view;
        this.failure.value = undefined;
      });
    } catch (error) {
      const failure = failureOf(error);
      if (turn === this.#turn) this.failure.value = failure;
    }
  }

  /** Looks after changes that come from elsewhere until it is told to stop. */
  watch(): () => void {
    let isLooking = false;
    const timer = setInterval(() => {
      if (isLooking || this.isBusy.value || document.visibilityState !== "visible" || !this.loaded.value) return;
      isLooking = true;
      server.value
        .tag(this.workspace, this.path)
        .then(async (tag) => {
          if (this.isBusy.value || tag === this.loaded.value?.tag) return;
          await this.load();
          say(t("document.changedElsewhere"));
        })
        .catch(failureOf)
        .finally(() => (isLooking = false));
    }, LOOK_EVERY);
    return () => clearInterval(timer);
  }

  /** Applies operations to the document as it is shown. Does nothing while another request is under way. */
  async apply(operations: readonly Operation[]): Promise<Receipt | undefined> {
    const loaded = this.loaded.value;
    if (!loaded || this.isBusy.value) return undefined;
    this.isBusy.value = true;
    const author = person.value.trim();
    try {
      const receipt = await server.value.apply(this.workspace, this.path, {
        operations,
        expectedRevision: loaded.view.revision,
        ...(author === "" ? {} : { author }),
      });
      await this.load();
      return receipt;
    } catch (error) {
      // What is shown is not what is there.
      if (error instanceof SessionError && ["STALE_REVISION", "UNKNOWN_REVISION", "DOCUMENT_CHANGED"].includes(error.code)) {
        await this.load();
      }
      throw failureOf(error);
    } finally {
      this.isBusy.value = false;
    }
  }

  /**
   * Makes it what it was at a checkpoint. Where the person has seen a state, `tag` names it: whatever came after that is not taken away.
   * Fails while another request is under way.
   */
  async restore(id: string, tag = this.loaded.value?.tag ?? null): Promise<void> {
    if (this.isBusy.value) throw this.#busy();
    this.isBusy.value = true;
    try {
      await server.value.restore(this.workspace, this.path, id, tag);
      await this.load();
    } catch (error) {
      throw failureOf(error);
    } finally {
      this.isBusy.value = false;
    }
  }

  /** Resolves what the person has agreed to in a question; fails while another request is under way. */
  async agreed(operations: readonly Operation[]): Promise<Receipt | undefined> {
    if (this.isBusy.value) throw this.#busy();
    return this.apply(operations);
  }

  #busy(): SessionError {
    return new SessionError("DOCUMENT_BUSY", t("document.busy"));
  }

  async #read(first: (view: DocumentView) => void): Promise<LoadedDocument> {
    const { workspace, path } = this;
    for (let tries = 1; ; tries += 1) {
      const [view, revisions, comments] = await Promise.all([
        fetchView(workspace, path).then((view) => {
          if (tries === 1) first(view);
          return view;
        }),
        server.value.revisions(workspace, path),
        server.value.comments(workspace, path),
      ]);
      const isOne = view.tag === revisions.tag && view.tag === comments.tag;
      if (isOne || tries === TRIES) return { view, revisions: revisions.value, comments: comments.value, tag: view.tag };
    }
  }
}
