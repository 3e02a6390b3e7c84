//! The worker: starts the engine from the address in its first message and answers calls in their order.

import { Documents } from "./calls.ts";
import type { Request } from "./calls.ts";
import { start } from "./index.ts";
import { EngineError } from "./types.ts";

const documents = new Documents();
let ready: Promise<void> | undefined;

self.addEventListener("message", (event: MessageEvent<{ module: string | ArrayBuffer } | Request>) => {
  const message = event.data;
  if ("module" in message) {
    ready = start(message.module);
    return;
  }
  void (ready ?? Promise.reject(new Error("the worker was not given its module: start the client first"))).then(
    () => self.postMessage(documents.answer(message)),
    (problem: unknown) => {
      const { code, message: words } = EngineError.of(problem);
      self.postMessage({ id: message.id, error: { code, message: words } });
    },
  );
});
