// The engine of this page: a worker, started when it is first needed.
//
// Must never be started before somebody asks for something: the pane is there without it.
import { EngineClient } from "../../../engine/src/client.ts";
import type { Call } from "../../../engine/src/calls.ts";
import type { Engine } from "../ladder/engine.ts";
import { WORKER } from "../admitted.ts";

const MODULE = new URL("engross_wasm_bg.wasm", document.baseURI).href;

/** Why there is no engine. */
export class EngineMissing extends Error {
  readonly code = "ENGINE_MISSING";
}

export class PageEngine implements Engine {
  #client: Promise<EngineClient> | undefined;

  async call<T>(call: Call): Promise<T> {
    this.#client ??= this.#start();
    try {
      return await (await this.#client).call<T>(call);
    } catch (thrown) {
      // A worker that is gone is started anew by the next call.
      if (thrown instanceof EngineMissing || (thrown as { code?: string }).code === "INTERNAL") this.#client = undefined;
      throw thrown;
    }
  }

  async #start(): Promise<EngineClient> {
    const response = await fetch(MODULE, { method: "HEAD" }).catch(() => undefined);
    if (!response?.ok) throw new EngineMissing("the engine for pages is not there");
    return new EngineClient(new Worker(new URL(WORKER, document.baseURI), { type: "module" }) as never, MODULE);
  }
}
