// Makes the nodes of a browser what elements describe, and touches only those that differ. Text is set as text, never as markup.
import { type Content, type Element, visibleText } from "@atomic/workflows/internal/view/page-element";

/** What a node was made of. */
const made = new WeakMap<Node, Element>();

const drawings = new Set(["svg", "line", "path"]);

export function patch(parent: Node, content: Content): void {
  const wanted = flat(content, []);
  const keys = new Set(wanted.map(keyOf));
  const known = new Map<unknown, ChildNode>();
  for (const child of [...parent.childNodes]) {
    const key = made.get(child)?.attributes.key;
    if (key === undefined) continue;
    if (keys.has(key)) known.set(key, child);
    else child.remove();
  }
  let next = parent.firstChild;
  for (const each of wanted) {
    const key = keyOf(each);
    const isFree = next !== null && made.get(next)?.attributes.key === undefined;
    const found = key === undefined ? (isFree ? next : null) : (known.get(key) ?? null);
    if (found !== null && fits(found, each)) {
      if (found === next) next = next.nextSibling;
      else parent.insertBefore(found, next);
      update(found, each);
    } else parent.insertBefore(create(each), next);
  }
  while (next !== null) {
    const after: ChildNode | null = next.nextSibling;
    next.remove();
    next = after;
  }
}

function flat(content: Content, into: (string | Element)[]): (string | Element)[] {
  if (typeof content === "number") into.push(String(content));
  else if (typeof content === "string") {
    if (content !== "") into.push(visibleText(content));
  } else if (content !== undefined && content !== false) {
    if ("tag" in content) into.push(content);
    else for (const each of content) flat(each, into);
  }
  return into;
}

function keyOf(each: string | Element): Element["attributes"][string] {
  return typeof each === "string" ? undefined : each.attributes.key;
}

function fits(node: ChildNode, wanted: string | Element): boolean {
  return typeof wanted === "string" ? node.nodeType === Node.TEXT_NODE : made.get(node)?.tag === wanted.tag;
}

function create(wanted: string | Element): ChildNode {
  if (typeof wanted === "string") return document.createTextNode(wanted);
  const node = drawings.has(wanted.tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", wanted.tag)
    : document.createElement(wanted.tag);
  for (const [name, value] of Object.entries(wanted.attributes)) setAttribute(node, name, value);
  patch(node, wanted.children);
  made.set(node, wanted);
  return node;
}

function update(node: ChildNode, wanted: string | Element): void {
  if (typeof wanted === "string") {
    const text = node as Text;
    if (text.data !== wanted) text.data = wanted;
    return;
  }
  const before = made.get(node);
  if (before === wanted) return;
  const target = node as HTMLElement;
  for (const [name, value] of Object.entries(wanted.attributes)) {
    if (before?.attributes[name] !== value) setAttribute(target, name, value, true);
  }
  for (const name of Object.keys(before?.attributes ?? {})) {
    if (!(name in wanted.attributes)) setAttribute(target, name, undefined, true);
  }
  patch(node, wanted.children);
  made.set(node, wanted);
}

/** What the user may have changed in the meantime is only set once. */
const ownedByUser = new Set(["value", "checked"]);

function setAttribute(node: HTMLElement | SVGElement, name: string, value: unknown, isLater = false): void {
  if (name === "key" || (isLater && ownedByUser.has(name) && node.tagName !== "METER")) return;
  if (name.startsWith("on")) Reflect.set(node, name, value ?? null);
  // The page's policy forbids the attribute, not the property.
  else if (name === "style") node.style.cssText = String(value ?? "");
  // Of a text area, there is no attribute.
  else if (name === "value") Reflect.set(node, name, value ?? "");
  else if (value === undefined || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : String(value));
}
