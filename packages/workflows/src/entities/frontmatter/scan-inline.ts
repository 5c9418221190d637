// Values that sit on one line, between `from` and `end`: plain and quoted scalars, and flow lists of them.
// `undefined` always means "not in the plain subset", never "no value". Searches are native on purpose: see `endOfLine`.
import { restIsBlank, skipSpaces } from "./line-cursor.ts";

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

/** Reads the value that starts at `from`. Only a comment may follow it on the line. */
export function scanInline(text: string, from: number, end: number): InlineValue | undefined {
  const first = text[from];
  if (first === '"' || first === "'" || first === "[" || first === "{") {
    let read: Read<InlineValue> | undefined;
    if (first === "[") read = scanFlowList(text, from, end);
    else if (first !== "{") read = scanQuoted(text, from, end);
    else if (text[from + 1] === "}") read = { value: EMPTY_MAP, end: from + 2 };
    return read !== undefined && restIsBlank(text, read.end, end) ? read.value : undefined;
  }
  if (!startsPlain(text, from)) return undefined;
  const comment = text.indexOf(" #", from);
  let last = comment === -1 || comment > end ? end : comment;
  while (text.charCodeAt(last - 1) === 0x20) last -= 1;
  for (let at = text.indexOf(":", from); at !== -1 && at < last; at = text.indexOf(":", at + 1)) {
    // A key's colon here is a nested map or a mistake; both are for the full parser.
    if (at + 1 === last || text.charCodeAt(at + 1) === 0x20) return undefined;
  }
  return resolvePlainScalar(text.slice(from, last));
}

function startsPlain(text: string, at: number): boolean {
  const letter = text.charCodeAt(at) | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  PLAIN_START.lastIndex = at;
  return PLAIN_START.test(text);
}

function scanQuoted(text: string, from: number, lineEnd: number): Read<string> | undefined {
  if (text[from] === "'") {
    let end = text.indexOf("'", from + 1);
    while (end !== -1 && text[end + 1] === "'") end = text.indexOf("'", end + 2);
    if (end === -1 || end >= lineEnd) return undefined;
    const value = text.slice(from + 1, end);
    return { value: value.includes("'") ? value.replaceAll("''", "'") : value, end: end + 1 };
  }
  let value = "";
  let start = from + 1;
  for (;;) {
    const quote = text.indexOf('"', start);
    if (quote === -1 || quote >= lineEnd) return undefined;
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
    if (text[at] === '"' || text[at] === "'") {
      const item = scanQuoted(text, at, lineEnd);
      if (item === undefined) return undefined;
      items.push(item.value);
      at = item.end;
    } else {
      if (!startsPlain(text, at)) return undefined;
      FLOW_PLAIN.lastIndex = at;
      FLOW_PLAIN.test(text);
      items.push(resolvePlainScalar(text.slice(at, FLOW_PLAIN.lastIndex)));
      at = FLOW_PLAIN.lastIndex;
    }
    at = skipSpaces(text, at);
    if (text[at] === ",") at = skipSpaces(text, at + 1);
    else if (text[at] !== "]") return undefined;
  }
  return { value: Object.freeze(items), end: at + 1 };
}

// The YAML 1.2 core schema for unquoted scalars: `no` and `2024-01-01` stay strings, `012` is 12, `0o12` is 10.

type Scalar = string | number | boolean | null;

const NULL = /^(?:~|[Nn]ull|NULL)?$/;
const BOOLEAN = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
const DECIMAL = /^[-+]?[0-9]+$/;
const PREFIXED = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

/** Nearly every scalar in a real file is a word or a sentence, which its first character shows. */
function resolvePlainScalar(text: string): Scalar {
  switch (text[0]) {
    case "t":
    case "T":
    case "f":
    case "F":
    case "n":
    case "N":
    case "~":
    case undefined:
      if (text.length > 5) return text;
      if (NULL.test(text)) return null;
      return BOOLEAN.test(text) ? text[0] === "t" || text[0] === "T" : text;
  }
  if (text.charCodeAt(0) > 0x39) return text;
  if (DECIMAL.test(text)) return Number.parseInt(text, 10);
  if (FLOAT.test(text)) return Number.parseFloat(text);
  if (PREFIXED.test(text)) return Number.parseInt(text.slice(2), text[1] === "o" ? 8 : 16);
  if (!NOT_FINITE.test(text)) return text;
  if (text.endsWith("n") || text.endsWith("N")) return Number.NaN;
  return text[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
