// How a place of the document is shown: what every view hands down.

/** Shows a place of the document; tells where that fails. */
export type Show = (address: string, words?: string) => void;
