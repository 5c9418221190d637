// A page as data: elements with attributes and text. It is printed as HTML here, and a browser turns the same elements into nodes.
// Text is only ever text, in both.
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";

export interface Element {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly Content[];
}

/** `undefined` and `false` are nothing, in an element and as an attribute. */
export type Content = string | number | Element | undefined | false | readonly Content[];

/** Called with the browser's event. A page without scripts has none of them. */
export type OnEvent = (event: never) => void;

/** `key` tells a browser which element is which when their order changes; it is not printed. */
export type Attributes = Readonly<Record<string, string | number | boolean | OnEvent | undefined>>;

/**
 * @example
 * element("p", { class: "soft" }, text); // whatever the text contains, it is text
 */
export function element(tag: string, attributes: Attributes = {}, ...children: readonly Content[]): Element {
  return { tag, attributes, children };
}

/** Text of any origin as it is shown: characters that hide text or turn its direction become visible, as on a terminal. */
export function visibleText(text: string): string {
  return escapeForTerminal(text);
}

/** HTML cannot be closed by what is inside of it: all that is not an element is escaped. */
export function htmlOf(content: Content): string {
  if (content === undefined || content === false) return "";
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return escaped(content);
  if (!("tag" in content)) return content.map(htmlOf).join("");
  const { tag, attributes, children } = content;
  const pairs = Object.entries(attributes).map(([name, value]) => {
    if (value === undefined || value === false || typeof value === "function" || name === "key") return "";
    return value === true ? ` ${name}` : ` ${name}="${escaped(String(value))}"`;
  });
  const open = `<${tag}${pairs.join("")}>`;
  return empty.has(tag) ? open : `${open}${children.map(htmlOf).join("")}</${tag}>`;
}

/** Elements that HTML does not close. */
const empty = new Set(["br", "col", "hr", "input", "link", "meta", "wbr"]);

function escaped(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => entities[character]!);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A complete page that runs no scripts and loads nothing: its style is our own, and all else is escaped. */
export function stillPage(title: string, style: string, ...body: readonly Content[]): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${policy}">
${htmlOf(element("title", {}, title))}
<style>${style}</style>
</head>
<body>
${htmlOf(body)}
</body>
</html>
`;
}
