// What a model says, as blocks and pieces: the little Markdown that people read easily, and addresses of paragraphs.
//
// Must never give markup: what is not known is text.

/** The most of an answer that is drawn. */
export const MOST_DRAWN = 60_000;

export type Part =
  | { readonly kind: "code" | "heading" | "paragraph"; text: string }
  | { readonly kind: "item"; readonly marker: string; text: string };

export function blocks(text: string): readonly Part[] {
  const parts: Part[] = [];
  let open: Part | undefined;
  let isCode = false;
  for (const line of text.split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode;
      open = isCode ? { kind: "code", text: "" } : undefined;
      if (open) parts.push(open);
      continue;
    }
    if (isCode && open) {
      open.text += open.text === "" ? line : `\n${line}`;
      continue;
    }
    const heading = /^#{1,6}\s+(.*)$/.exec(line);
    const item = /^\s*(?:([-*•])|(\d{1,4}[.)]))\s+(.*)$/.exec(line);
    if (line.trim() === "") open = undefined;
    else if (heading) {
      parts.push({ kind: "heading", text: heading[1] ?? "" });
      open = undefined;
    } else if (item) {
      open = { kind: "item", marker: item[2] ?? "•", text: item[3] ?? "" };
      parts.push(open);
    } else if (open) open.text += `\n${line}`;
    else {
      open = { kind: "paragraph", text: line };
      parts.push(open);
    }
  }
  return parts;
}

/** What every second of the pieces of a text is: code, bold words, or an address. */
export const PIECES = /(`[^`\n]{1,2000}`|\*\*[^*\n]{1,2000}\*\*|\[?\bP\d{1,6}\b\]?)/;
