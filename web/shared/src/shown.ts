// Text of others as a page may show it.
//
// Must never let it hide, or turn, what stands beside it.

/** Text of somebody else on one line of the page: what turns the direction of writing or does not show is made visible. */
export function shown(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, (character) =>
    `\u27e8U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`,
  );
}
