// Documents that come to the server: each into a workspace of its own.
//
// Must never leave a file on the server that is no document.
import { SessionError } from "../../../shared/src/server-client.ts";
import { go } from "./route.ts";
import { say } from "./notice.ts";
import { failureOf, person, server } from "./session.ts";
import { readAhead } from "./view.ts";
import { shown } from "../texts.ts";

/** A name for a workspace that no other file has. */
function workspaceFor(name: string): string {
  const stem = name.replace(/\.[^.]*$/, "").normalize("NFKD").toLowerCase();
  const plain = stem.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40) || "document";
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return `${plain}-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Puts a file into a workspace of its own, if it is a document, and opens it. */
export async function openFile(file: Blob, name: string): Promise<void> {
  const workspace = workspaceFor(name);
  try {
    await server.value.put(workspace, name, file);
  } catch (error) {
    throw failureOf(error);
  }
  try {
    await readAhead(workspace, name);
  } catch (error) {
    const failure = failureOf(error);
    // What cannot be read stays the person's alone; where the server is gone nothing is known of it.
    if (failure.particulars.status !== undefined) await server.value.remove(workspace, name).catch(() => undefined);
    throw failure;
  }
  go({ page: "document", workspace, path: name });
}

/** Makes a redline of two documents and opens it as a document of its own. */
export async function compareAndOpen(before: Blob, after: Blob, name: string): Promise<void> {
  const author = person.value.trim();
  const { redline, warnings } = await server.value.compare(before, after, author === "" ? {} : { author });
  if (redline.size === 0) throw new SessionError("BAD_RESPONSE", "the redline is empty");
  const stem = name.replace(/\.docx$/i, "");
  await openFile(redline, `${stem}.redline.docx`);
  if (warnings !== "") say(shown(warnings).slice(0, 600));
}
