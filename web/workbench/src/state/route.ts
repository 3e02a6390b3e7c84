// Which page is shown: the part of the address behind `#`.
//
// Must never put anything into it but names of what is on the server.
import { signal } from "@preact/signals";

export type Route =
  | { readonly page: "documents" | "compare" | "sessions" | "tasks" | "writes" | "skills" | "server" }
  | { readonly page: "document"; readonly workspace: string; readonly path: string }
  | { readonly page: "session"; readonly key: string }
  | { readonly page: "task"; readonly id: string };

const LISTS = ["documents", "compare", "sessions", "tasks", "writes", "skills", "server"] as const;

export const route = signal<Route>(parsed(location.hash));

addEventListener("hashchange", () => (route.value = parsed(location.hash)));

/** The address of a page. */
export function link(to: Route): string {
  switch (to.page) {
    case "document":
      return `#/document/${encodeURIComponent(to.workspace)}/${to.path.split("/").map(encodeURIComponent).join("/")}`;
    case "session":
      return `#/session/${encodeURIComponent(to.key)}`;
    case "task":
      return `#/task/${encodeURIComponent(to.id)}`;
    default:
      return `#/${to.page}`;
  }
}

/** Goes to a page. */
export function go(to: Route): void {
  location.hash = link(to);
}

function parsed(hash: string): Route {
  let parts: string[];
  try {
    parts = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  } catch {
    return { page: "documents" };
  }
  const [page = "", first = "", ...rest] = parts;
  if (page === "document" && first && rest.length > 0) return { page, workspace: first, path: rest.join("/") };
  if (page === "session" && first) return { page, key: [first, ...rest].join("/") };
  if (page === "task" && first) return { page, id: first };
  return { page: LISTS.find((list) => list === page) ?? "documents" };
}
