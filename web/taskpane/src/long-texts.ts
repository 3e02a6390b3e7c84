// Long texts that are whole, and operations that name one instead of holding it.
//
// Must never give an operation a text that nobody has called whole.
import { SessionError, type Tool } from "../../shared/src/session-client.ts";

/** How messages begin that the pane sends in the course of one; the person did not write them. */
export const PANE_SAYS = "[pane] ";

export const BEGIN: Tool = {
  name: "begin_text",
  description:
    "For a text of more than 4 KiB that is to go into the document (an annex, several clauses). Takes no content: the result says how to write it, as plain Markdown in your next answer. " +
    'When it is whole you are told its name; then call apply_redlines with {"op":"insert_paragraph","after":"P7","contentFrom":"NAME"}.',
  parameters: { type: "object", properties: { about: { type: "string", description: "what it is, in a few words" } } },
};

/** The field of an operation that holds its text. */
const FIELDS: Readonly<Record<string, string>> = { insert_paragraph: "content", edit_paragraph: "newContent", modify_text: "replacementText", insert_list_item: "text", insert_comment: "commentContent" };

/** The texts that are whole, by their names, as long as the pane is open. */
const texts = new Map<string, string>();

/** How many texts this conversation has had, so that no name is given twice in it. */
let count = 0;

/** The conversation was read from the server, and has had so many. */
export function counted(before: number): void {
  count = Math.max(count, before);
}

/** A text is whole; gives its name. */
export function whole(text: string): string {
  count += 1;
  const name = `text-${count}`;
  texts.set(name, text);
  return name;
}

/** What the model is told then. */
export const IS_WHOLE = `${PANE_SAYS}The text is whole`;

/** The operations with the texts that they name. */
export function filled<T extends { readonly op: string; readonly contentFrom?: unknown }>(operations: readonly T[]): readonly T[] {
  return operations.map(({ contentFrom, ...rest }) => {
    if (contentFrom === undefined || contentFrom === null) return rest as T;
    const field = FIELDS[rest.op];
    if (field === undefined) throw new SessionError("INVALID_OPERATION", `contentFrom is for operations with a text, and ${rest.op} has none`);
    if ((rest as Record<string, unknown>)[field] !== undefined) throw new SessionError("INVALID_OPERATION", `give ${field} or contentFrom, not both`);
    const text = texts.get(String(contentFrom));
    if (text === undefined) throw new SessionError("CONTENT_NOT_WRITTEN", `there is no whole text '${String(contentFrom).slice(0, 80)}'; write it with ${BEGIN.name}`);
    return { ...rest, [field]: text } as unknown as T;
  });
}
