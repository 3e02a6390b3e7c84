// The blocks of a document as nodes of the page, made anew only where they changed.
//
// Must never leave a block of an older state between those of a newer one.
import { parsed, rebuilt } from "./safe.ts";

/** A block: what tells it from others, and how its node is made. */
export interface Block {
  readonly key: string;
  readonly make: () => HTMLElement;
}

/** The blocks of a document in HTML. Its comments are not among them: they stand beside the document. */
export function blocksOf(html: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const part of parsed(html).children) {
    if (part.classList.contains("comments")) continue;
    const own = part.classList.contains("body") ? [...part.children] : [part];
    for (const element of own) blocks.push({ key: element.outerHTML, make: () => rebuilt(element) });
  }
  return blocks;
}

/** Puts blocks into `parent`, keeping the nodes of those that are as they were. */
export function update(parent: HTMLElement, known: Map<string, HTMLElement[]>, blocks: readonly Block[]): Map<string, HTMLElement[]> {
  const next = new Map<string, HTMLElement[]>();
  const nodes = blocks.map(({ key, make }) => {
    const node = known.get(key)?.shift() ?? make();
    const same = next.get(key);
    if (same) same.push(node);
    else next.set(key, [node]);
    return node;
  });
  let at: ChildNode | null = parent.firstChild;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
  while (at) {
    const gone: ChildNode = at;
    at = at.nextSibling;
    gone.remove();
  }
  return next;
}
