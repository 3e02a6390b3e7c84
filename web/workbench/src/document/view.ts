// What a document says, as the server shows it.
//
// Must never join the state of one reading with the text of another.
import { server } from "../state/session.ts";

export interface DocumentView {
  /** The state of the document; operations insist on it. */
  readonly revision: string;
  /** The state of the file. */
  readonly tag: string | null;
  /** Every tracked change shown, as HTML that is not to be trusted. */
  readonly html: string;
}

export async function fetchView(workspace: string, path: string): Promise<DocumentView> {
  for (;;) {
    const [shown, read] = await Promise.all([
      server.value.html(workspace, path),
      server.value.reading<{ revision: string }>(workspace, path, { view: "accepted", limit: "1" }),
    ]);
    if (shown.tag === read.tag) return { revision: read.value.revision, tag: shown.tag, html: shown.value };
  }
}
