// From the HTML of a document to nodes of the page: read apart from the page, and built anew from what is allowed.
//
// Must never put a node of the parser into the page, or an element, attribute or address that is not in the lists here.

/** Elements that show a document. What stands in others is shown without them. */
const ELEMENTS = new Set(
  ("a article aside b bdi blockquote br caption code dd del div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins li mark ol p rt ruby s " +
    "section small span strong sub sup table tbody td tfoot th thead time tr u ul").split(" "),
);

/** Elements of which nothing is shown. */
const DROPPED = new Set("base embed frame frameset head iframe link math meta noscript object script style svg template textarea title".split(" "));

/** Attributes that are text wherever they stand. */
const ATTRIBUTES = new Set(
  ("alt aria-label aria-level colspan data-address data-at data-author data-comment data-control data-field data-kind data-picture data-revision " +
    "data-story data-view datetime dir lang role rowspan title").split(" "),
);

/** Roles that make no control of an element. */
const ROLES = new Set(["heading", "img", "list", "listitem", "math", "note", "doc-noteref"]);

/** What stands before ids of documents, so that they are not those of the page. */
export const PREFIX = "doc-";

/** How deep elements may stand in each other. */
const DEEPEST = 60;

const policy: { createHTML(html: string): string } =
  (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(html: string): string } } }).trustedTypes?.createPolicy(
    "engross-document",
    // Goes to a parser alone, whose document runs nothing and loads nothing.
    { createHTML: (html: string) => html },
  ) ?? { createHTML: (html: string) => html };

/** The element of a document in HTML that the server wrote; empty if it is none. */
export function parsed(html: string): Element {
  const inert = new DOMParser().parseFromString(policy.createHTML(html), "text/html");
  return inert.querySelector("article.docx") ?? inert.createElement("article");
}

/** The same element anew, of what is allowed. */
export function rebuilt(source: Element): HTMLElement {
  const target = document.createElement(ELEMENTS.has(source.localName) ? source.localName : "div");
  attributes(source, target);
  children(source, target, 0);
  return target;
}

function children(source: Element, target: Node, depth: number): void {
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) target.appendChild(document.createTextNode(child.textContent ?? ""));
    if (!(child instanceof Element) || DROPPED.has(child.localName)) continue;
    if (!ELEMENTS.has(child.localName) || child.namespaceURI !== "http://www.w3.org/1999/xhtml" || depth >= DEEPEST) {
      children(child, target, depth);
      continue;
    }
    const copy = document.createElement(child.localName);
    attributes(child, copy);
    children(child, copy, depth + 1);
    target.appendChild(copy);
  }
}

/** Where the style of documents lets wide tables scroll by themselves. */
const NARROW = "(max-width: 30rem)";

function attributes(source: Element, target: HTMLElement): void {
  // What scrolls is reached by the keyboard, too.
  if (target instanceof HTMLTableElement && matchMedia(NARROW).matches) target.tabIndex = 0;
  for (const { name, value } of source.attributes) {
    if (name === "class") target.className = classes(value);
    else if (name === "id") target.id = `${PREFIX}${value}`;
    else if (name === "role") {
      if (ROLES.has(value)) target.setAttribute(name, value);
    } else if (name === "href" && target instanceof HTMLAnchorElement) address(target, value);
    else if (name === "src" && target instanceof HTMLImageElement) {
      if (/^data:image\/(?:png|jpeg|gif|webp|bmp);base64,[a-z0-9+/=]*$/i.test(value)) target.src = value;
    } else if (ATTRIBUTES.has(name)) target.setAttribute(name, value.slice(0, 2_000));
  }
  if (target instanceof HTMLTableCellElement) {
    target.colSpan = Math.min(target.colSpan, 100);
    target.rowSpan = Math.min(target.rowSpan, 1_000);
  }
}

/** Classes of the view: none that the page itself has a meaning for. */
function classes(value: string): string {
  return value.split(/\s+/).filter((name) => /^[a-z][a-z0-9-]{0,30}$/.test(name) && !PAGE_CLASSES.has(name)).join(" ");
}

const PAGE_CLASSES = new Set("button dialog failure notice notice-place top skip bench visually-hidden found chosen paper".split(" "));

function address(target: HTMLAnchorElement, value: string): void {
  if (value.startsWith("#")) target.href = `#${PREFIX}${value.slice(1)}`;
  else if (/^(?:https:\/\/|mailto:)/i.test(value)) {
    target.href = value;
    target.target = "_blank";
    target.rel = "noopener noreferrer nofollow";
  }
}
