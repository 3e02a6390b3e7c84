// The discipline of Office.js: what is asked is carried out at `sync`, in its order, and what was not loaded cannot be read.
//
// Must never answer before `sync`, nor carry anything out of a batch behind what failed in it.
import { WordError } from "./error.ts";
import type { Host } from "./host.ts";

type Action = { readonly what: string; readonly run: () => unknown };

/** Edits of a person or of somebody elsewhere that fall between two exchanges. */
export interface Interference {
  /** Before which exchange, counted from now; 1 is the next. */
  left: number;
  readonly act: () => void;
}

export class Context {
  readonly host: Host;
  readonly interferences: Interference[];
  #queue: Action[] = [];

  constructor(host: Host, interferences: Interference[]) {
    this.host = host;
    this.interferences = interferences;
  }

  /** Something that the next `sync` carries out. */
  ask(what: string, run: () => unknown): void {
    this.#queue.push({ what, run });
  }

  /** Something that needs a requirement set. */
  askOf(set: string, version: number, what: string, run: () => unknown): void {
    this.ask(what, () => {
      if (!this.host.isSetSupported(set, version)) throw new WordError("ApiNotFound", `${what} needs ${set} ${version}`);
      return run();
    });
  }

  async sync(): Promise<void> {
    const queue = this.#queue;
    this.#queue = [];
    await new Promise<void>((resolve) => setTimeout(resolve, this.host.latency));
    for (const interference of this.interferences.splice(0)) {
      interference.left -= 1;
      if (interference.left > 0) this.interferences.push(interference);
      else interference.act();
    }
    this.host.exchanges.push(queue.map(({ what }) => what));
    for (const { run } of queue) await run();
  }
}

/** An object that stands for one of the document. */
export class ClientObject {
  readonly context: Context;
  #loaded = new Map<string, unknown>();

  constructor(context: Context) {
    this.context = context;
  }

  get host(): Host {
    return this.context.host;
  }

  /** What a name is loaded from at `sync`. */
  protected source(_name: string): unknown {
    throw new WordError("InvalidArgument");
  }

  load(names?: string | string[] | object): this {
    const wanted = typeof names === "string" ? names.split(",") : Array.isArray(names) ? names : Object.keys(names ?? {});
    if (wanted.length === 0) throw new WordError("InvalidArgument", "name what to load");
    this.context.ask(`load ${wanted.join(",")}`, () => {
      for (const name of wanted) this.fill(name.trim());
    });
    return this;
  }

  protected fill(name: string): void {
    this.#loaded.set(name, this.source(name));
  }

  protected loaded<T>(name: string): T {
    if (!this.#loaded.has(name)) {
      throw new WordError("PropertyNotLoaded", `The property '${name}' is not available. Before reading the property's value, call the load method on the containing object and call "context.sync()" on the associated request context.`);
    }
    return this.#loaded.get(name) as T;
  }

  protected set(name: string, value: unknown): void {
    this.#loaded.set(name, value);
  }
}

/** A collection, whose `items` are there after a load. */
export abstract class Collection<T extends ClientObject> extends ClientObject {
  #items: T[] | undefined;

  protected abstract find(): T[];

  get items(): T[] {
    if (!this.#items) throw new WordError("PropertyNotLoaded", "The property 'items' is not available.");
    return this.#items;
  }

  override load(names?: string | string[] | object): this {
    const wanted = (typeof names === "string" ? names.split(",") : Array.isArray(names) ? names : ["items"]).map((name) => String(name).trim());
    this.context.ask(`load ${wanted.join(",")}`, () => {
      this.#items = this.find();
      for (const name of wanted.map((each) => each.replace(/^items\/?/, "")).filter((each) => each !== "")) {
        for (const item of this.#items) (item as unknown as { fill(name: string): void }).fill(name);
      }
    });
    return this;
  }
}

/** A value that is there after `sync`. */
export class Result<T> {
  #value: { value: T } | undefined;

  constructor(context: Context, what: string, run: () => T | Promise<T>, set?: readonly [string, number]) {
    const ask = async () => {
      this.#value = { value: await run() };
    };
    if (set) context.askOf(set[0], set[1], what, ask);
    else context.ask(what, ask);
  }

  get value(): T {
    if (!this.#value) throw new WordError("ValueNotLoaded", "The value of the result object has not been loaded yet.");
    return this.#value.value;
  }
}
