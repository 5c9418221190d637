// Values that sit on one line, between `from` and `end`: plain and quoted scalars, and flow lists of them.
// `undefined` always means "not in the plain subset", never "no value". Searches are native on purpose: see `endOfLine`.

import { restIsBlank, skipSpaces } from "./line-cursor.ts";
import { resolvePlainScalar, type Scalar } from "./plain-scalar.ts";

export type InlineValue = Scalar | readonly Scalar[] | Readonly<Record<string, never>>;

interface Read<T> {
  readonly value: T;
  /** Index of the first character after the value. */
  readonly end: number;
}

/** Letters, digits and harmless signs. Other signs mean something to YAML and go to the full parser. */
const PLAIN_START = /[A-Za-z0-9_$()+./;<=\\^~\u0080-\uffff]|-(?![ ,[\]{}\n]|$)/y;
const FLOW_PLAIN = /(?:[^,[\]{}: \n]|:(?![ ,[\]{}\n]|$)| +(?![ #,\]\n]))*/y;
const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  [" ", " "],
]);
const EMPTY_MAP: Readonly<Record<string, never>> = Object.freeze(Object.create(null));

/** Reads the value that starts at `from` and must fill the rest of the line, but for a comment. */
export function scanInline(text: string, from: number, end: number): InlineValue | undefined {
  switch (text[from]) {
    case '"':
    case "'":
      return whole(text, scanQuoted(text, from, end), end);
    case "[":
      return whole(text, scanFlowList(text, from, end), end);
    case "{":
      return text[from + 1] === "}" ? whole(text, { value: EMPTY_MAP, end: from + 2 }, end) : undefined;
    default:
      return scanPlain(text, from, end);
  }
}

function whole<T>(text: string, read: Read<T> | undefined, end: number): T | undefined {
  return read !== undefined && restIsBlank(text, read.end, end) ? read.value : undefined;
}

function scanPlain(text: string, from: number, lineEnd: number): Scalar | undefined {
  if (!startsPlain(text, from)) return undefined;
  const comment = text.indexOf(" #", from);
  let end = comment === -1 || comment > lineEnd ? lineEnd : comment;
  while (text.charCodeAt(end - 1) === 0x20) end -= 1;
  // A colon here is a nested map or a mistake; both are for the full parser.
  return hasKeyColon(text, from, end) ? undefined : resolvePlainScalar(text.slice(from, end));
}

function startsPlain(text: string, at: number): boolean {
  const letter = text.charCodeAt(at) | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  PLAIN_START.lastIndex = at;
  return PLAIN_START.test(text);
}

function hasKeyColon(text: string, from: number, end: number): boolean {
  for (let at = text.indexOf(":", from); at !== -1 && at < end; at = text.indexOf(":", at + 1)) {
    if (at + 1 === end || text.charCodeAt(at + 1) === 0x20) return true;
  }
  return false;
}

function scanQuoted(text: string, from: number, lineEnd: number): Read<string> | undefined {
  const read = text[from] === '"' ? scanDoubleQuoted(text, from) : scanSingleQuoted(text, from);
  return read !== undefined && read.end <= lineEnd ? read : undefined;
}

function scanSingleQuoted(text: string, from: number): Read<string> | undefined {
  let end = text.indexOf("'", from + 1);
  while (end !== -1 && text[end + 1] === "'") end = text.indexOf("'", end + 2);
  if (end === -1) return undefined;
  const value = text.slice(from + 1, end);
  return { value: value.includes("'") ? value.replaceAll("''", "'") : value, end: end + 1 };
}

function scanDoubleQuoted(text: string, from: number): Read<string> | undefined {
  let value = "";
  let start = from + 1;
  for (;;) {
    const quote = text.indexOf('"', start);
    if (quote === -1) return undefined;
    const backslash = text.indexOf("\\", start);
    if (backslash === -1 || backslash > quote) return { value: value + text.slice(start, quote), end: quote + 1 };
    const escaped = SIMPLE_ESCAPES.get(text.charAt(backslash + 1));
    if (escaped === undefined) return undefined;
    value += text.slice(start, backslash) + escaped;
    start = backslash + 2;
  }
}

function scanFlowList(text: string, from: number, lineEnd: number): Read<readonly Scalar[]> | undefined {
  const items: Scalar[] = [];
  let at = skipSpaces(text, from + 1);
  while (text[at] !== "]") {
    const item = scanFlowItem(text, at, lineEnd);
    if (item === undefined) return undefined;
    items.push(item.value);
    at = skipSpaces(text, item.end);
    if (text[at] === ",") at = skipSpaces(text, at + 1);
    else if (text[at] !== "]") return undefined;
  }
  return { value: Object.freeze(items), end: at + 1 };
}

function scanFlowItem(text: string, from: number, lineEnd: number): Read<Scalar> | undefined {
  if (text[from] === '"' || text[from] === "'") return scanQuoted(text, from, lineEnd);
  if (!startsPlain(text, from)) return undefined;
  FLOW_PLAIN.lastIndex = from;
  FLOW_PLAIN.test(text);
  const end = FLOW_PLAIN.lastIndex;
  return { value: resolvePlainScalar(text.slice(from, end)), end };
}
