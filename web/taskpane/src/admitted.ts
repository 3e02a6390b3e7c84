// What may become a script in the pane: the vendor's, which Word's interface loads by itself, and the worker of the engine.
//
// Must never admit markup, or a script from anywhere else.
export const VENDOR = "https://appsforoffice.microsoft.com/";
/** Beside the page, wherever that is. */
export const WORKER = "engine-worker.js";

/** The address if it may be run, or nothing. */
export function admitted(address: string, here: string): string | null {
  let url: URL;
  try {
    url = new URL(address, here);
  } catch {
    return null;
  }
  const isWorker = url.href === new URL(WORKER, here).href;
  return url.href.startsWith(VENDOR) || isWorker ? url.href : null;
}
