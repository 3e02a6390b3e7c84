// XML as a tree that can be changed, for packages in one file (Flat OPC).
//
// Must never lose white space, an attribute or the order of anything.

/** An element. Its children are elements and texts. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: (Element | string)[];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (name.startsWith("#x")) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith("#")) return String.fromCodePoint(Number(name.slice(1)));
    const character = ENTITIES[name];
    if (character === undefined) throw new Error(`unknown entity ${whole}`);
    return character;
  });
}

function encoded(text: string): string {
  return text.replace(/[&<>"\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Reads a document; throws where it is not well formed. */
export function parse(xml: string): Element {
  const root: Element = { name: "", attributes: {}, children: [] };
  const open: Element[] = [root];
  const tokens = /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>|<\/([^\s>]+)\s*>|<([^\s/>!?]+)((?:\s+[^\s=>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/gy;
  let end = 0;
  for (let token = tokens.exec(xml); token !== null; token = tokens.exec(xml)) {
    end = tokens.lastIndex;
    const [, data, closed, name, attributes = "", empty, text] = token;
    const parent = open.at(-1) as Element;
    if (data !== undefined) parent.children.push(data);
    else if (text !== undefined) {
      if (open.length > 1) parent.children.push(decoded(text));
    } else if (closed !== undefined) {
      if (open.length < 2 || parent.name !== closed) throw new Error(`</${closed}> closes <${parent.name}>`);
      open.pop();
    } else if (name !== undefined) {
      const element: Element = { name, attributes: {}, children: [] };
      for (const [, key = "", double, single] of attributes.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
        element.attributes[key] = decoded(double ?? single ?? "");
      }
      parent.children.push(element);
      if (!empty) open.push(element);
    }
  }
  const [found] = elements(root);
  if (end !== xml.length || open.length > 1 || found === undefined) throw new Error(`not well formed at ${end} of ${xml.length}`);
  return found;
}

export function serialised(element: Element): string {
  const parts: string[] = [];
  write(element, parts);
  return parts.join("");
}

function write(node: Element | string, parts: string[]): void {
  if (typeof node === "string") {
    parts.push(encoded(node));
    return;
  }
  parts.push("<", node.name);
  for (const [key, value] of Object.entries(node.attributes)) parts.push(" ", key, '="', encoded(value), '"');
  if (node.children.length === 0) {
    parts.push("/>");
    return;
  }
  parts.push(">");
  for (const child of node.children) write(child, parts);
  parts.push("</", node.name, ">");
}

export function elements(parent: Element): Element[] {
  return parent.children.filter((child): child is Element => typeof child !== "string");
}

export function child(parent: Element | undefined, name: string): Element | undefined {
  return parent && elements(parent).find((element) => element.name === name);
}

/** An element anew. */
export function make(name: string, attributes: Record<string, string> = {}, ...children: (Element | string)[]): Element {
  return { name, attributes, children };
}

/** The elements beneath, each before what is in it. */
export function* beneath(parent: Element): Generator<Element> {
  for (const element of elements(parent)) {
    yield element;
    yield* beneath(element);
  }
}

/** Puts elements where one was. */
export function replace(parent: Element, old: Element, ...instead: Element[]): void {
  const at = parent.children.indexOf(old);
  if (at < 0) throw new Error(`<${old.name}> is not in <${parent.name}>`);
  parent.children.splice(at, 1, ...instead);
}

/** The element that holds another one, somewhere beneath `top`. */
export function parentOf(top: Element, wanted: Element): Element | undefined {
  if (top.children.includes(wanted)) return top;
  for (const element of elements(top)) {
    const found = parentOf(element, wanted);
    if (found) return found;
  }
  return undefined;
}

export function textOf(element: Element): string {
  return element.children.map((part) => (typeof part === "string" ? part : textOf(part))).join("");
}

export function copyOf(element: Element): Element {
  return structuredClone(element);
}
