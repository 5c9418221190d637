// Values that sit on one line: plain and quoted scalars, and flow lists of them.
// `undefined` always means "not in the plain subset", never "no value". Searches are native on purpose: see `indentOf`.

import { restIsBlank, skipSpaces } from "./line-cursor.ts";
import { resolvePlainScalar, type Scalar } from "./plain-scalar.ts";

export type InlineValue = Scalar | readonly Scalar[] | Readonly<Record<string, never>>;

interface Read<T> {
  readonly value: T;
  /** Index of the first character after the value. */
  readonly end: number;
}

/** Letters, digits and harmless signs. Other signs mean something to YAML and go to the full parser. */
const PLAIN_START = /[A-Za-z0-9_$()+./;<=\\^~\u0080-\uffff]|-(?![ ,[\]{}]|$)/y;
const FLOW_PLAIN = /(?:[^,[\]{}: ]|:(?![ ,[\]{}]|$)| +(?![ #,\]]))*/y;
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
export function scanInline(line: string, from: number): InlineValue | undefined {
  switch (line[from]) {
    case '"':
    case "'":
      return whole(line, scanQuoted(line, from));
    case "[":
      return whole(line, scanFlowList(line, from));
    case "{":
      return line[from + 1] === "}" ? whole(line, { value: EMPTY_MAP, end: from + 2 }) : undefined;
    default:
      return scanPlain(line, from);
  }
}

function whole<T>(line: string, read: Read<T> | undefined): T | undefined {
  return read !== undefined && restIsBlank(line, read.end) ? read.value : undefined;
}

function scanPlain(line: string, from: number): Scalar | undefined {
  if (!startsPlain(line, from)) return undefined;
  const comment = line.indexOf(" #", from);
  const text = withoutSpacesAtEnd(comment === -1 ? line.slice(from) : line.slice(from, comment));
  // A colon here is a nested map or a mistake; both are for the full parser.
  if (text.includes(":") && (text.endsWith(":") || text.includes(": "))) return undefined;
  return resolvePlainScalar(text);
}

function startsPlain(line: string, at: number): boolean {
  PLAIN_START.lastIndex = at;
  return PLAIN_START.test(line);
}

function withoutSpacesAtEnd(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0x20) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

function scanQuoted(line: string, from: number): Read<string> | undefined {
  return line[from] === '"' ? scanDoubleQuoted(line, from) : scanSingleQuoted(line, from);
}

function scanSingleQuoted(line: string, from: number): Read<string> | undefined {
  let end = line.indexOf("'", from + 1);
  while (end !== -1 && line[end + 1] === "'") end = line.indexOf("'", end + 2);
  if (end === -1) return undefined;
  const text = line.slice(from + 1, end);
  return { value: text.includes("'") ? text.replaceAll("''", "'") : text, end: end + 1 };
}

function scanDoubleQuoted(line: string, from: number): Read<string> | undefined {
  let value = "";
  let start = from + 1;
  for (;;) {
    const quote = line.indexOf('"', start);
    if (quote === -1) return undefined;
    const backslash = line.indexOf("\\", start);
    if (backslash === -1 || backslash > quote) return { value: value + line.slice(start, quote), end: quote + 1 };
    const escaped = SIMPLE_ESCAPES.get(line.charAt(backslash + 1));
    if (escaped === undefined) return undefined;
    value += line.slice(start, backslash) + escaped;
    start = backslash + 2;
  }
}

function scanFlowList(line: string, from: number): Read<readonly Scalar[]> | undefined {
  const items: Scalar[] = [];
  let at = skipSpaces(line, from + 1);
  while (line[at] !== "]") {
    const item = scanFlowItem(line, at);
    if (item === undefined) return undefined;
    items.push(item.value);
    at = skipSpaces(line, item.end);
    if (line[at] === ",") at = skipSpaces(line, at + 1);
    else if (line[at] !== "]") return undefined;
  }
  return { value: Object.freeze(items), end: at + 1 };
}

function scanFlowItem(line: string, from: number): Read<Scalar> | undefined {
  if (line[from] === '"' || line[from] === "'") return scanQuoted(line, from);
  if (!startsPlain(line, from)) return undefined;
  FLOW_PLAIN.lastIndex = from;
  FLOW_PLAIN.test(line);
  const end = FLOW_PLAIN.lastIndex;
  return { value: resolvePlainScalar(line.slice(from, end)), end };
}
