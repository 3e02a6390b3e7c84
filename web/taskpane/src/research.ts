// What was looked up in the web, and who looks.
//
// Must never hold an answer without saying what it rests on.

/** A page that an answer rests on. */
export interface Source {
  readonly url: string;
  readonly title: string;
}

export interface Found {
  readonly answer: string;
  readonly sources: readonly Source[];
  /** What a model must know of it. */
  readonly note?: string;
}

/** Looks a question up. Throws where nothing can be looked up. */
export type Look = (question: string, signal: AbortSignal | undefined) => Promise<Found>;

export const NO_SOURCE = "The answer names no source: do not present it as found in the web.";
