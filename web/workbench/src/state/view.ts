// What a document says, as the server shows it.
//
// Must never join the state of one reading with the text of another.
import { SessionError } from "../../../shared/src/server-client.ts";
import { server } from "./session.ts";

export interface DocumentView {
  /** The state of the document; operations insist on it. */
  readonly revision: string;
  /** The state of the file. */
  readonly tag: string | null;
  /** Every tracked change shown, as HTML that is not to be trusted. */
  readonly html: string;
}

/** A document that was read for a page that is about to show it. */
let ahead: { readonly workspace: string; readonly path: string; readonly view: DocumentView } | undefined;

/** Reads a document that is shown next, so that it is read once. */
export async function readAhead(workspace: string, path: string): Promise<void> {
  ahead = undefined;
  ahead = { workspace, path, view: await read(workspace, path) };
}

export async function fetchView(workspace: string, path: string): Promise<DocumentView> {
  const known = ahead;
  ahead = undefined;
  return known?.workspace === workspace && known.path === path ? known.view : read(workspace, path);
}

async function read(workspace: string, path: string): Promise<DocumentView> {
  const { value, tag, revision } = await server.value.html(workspace, path);
  if (revision === null) throw new SessionError("BAD_RESPONSE", "the server does not say which state of the document it shows");
  return { revision, tag, html: value };
}
