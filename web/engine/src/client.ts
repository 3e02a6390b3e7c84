//! The engine in a worker, as promises: a page stays responsive while a long document is edited.

import type { Call, Response } from "./calls.ts";
import { EngineError } from "./types.ts";

/** What a worker is to its client: the browser's `Worker`, or a port of Node. */
export interface WorkerPort {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "error", listener: (event: { message?: string }) => void): void;
}

/** Speaks with a worker that runs `worker.ts`. */
export class EngineClient {
  readonly #port: WorkerPort;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: EngineError) => void }>();
  #next = 1;
  #stopped: EngineError | undefined;

  /** `module` is the address of `engross_wasm_bg.wasm`, or its bytes. */
  constructor(port: WorkerPort, module: string | ArrayBuffer) {
    this.#port = port;
    port.addEventListener("message", (event) => this.#take(event.data as Response));
    port.addEventListener("error", (event) => this.#stop(event.message ?? "the worker stopped"));
    port.postMessage({ module });
  }

  /** Carries a call out in the worker. */
  call<T>(call: Call): Promise<T> {
    if (this.#stopped) return Promise.reject(this.#stopped);
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#port.postMessage({ id, call });
    });
  }

  #take(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if (waiting === undefined) return;
    if ("error" in response) waiting.reject(new EngineError(response.error.code, response.error.message));
    else waiting.resolve(response.value);
  }

  /** Whoever waits is told; nobody waits for a worker that is gone. */
  #stop(message: string): void {
    this.#stopped = new EngineError("INTERNAL", message);
    for (const { reject } of this.#waiting.values()) reject(this.#stopped);
    this.#waiting.clear();
  }
}
