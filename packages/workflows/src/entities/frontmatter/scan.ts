// A fast reader for the YAML that people really write in frontmatter. It claims a document only if it understands all
// of it; then its answer is the answer of `yaml`. Everything else, and every mistake, is left to the full parser.

import { cursorAtStart, type LineCursor, moveTo, restIsBlank, skipSpaces } from "./line-cursor.ts";
import { scanBlockScalar } from "./scan-block-scalar.ts";
import { scanInline } from "./scan-inline.ts";

export type PlainMap = Readonly<Record<string, unknown>>;

/** Tabs, lone carriage returns and the like have rules of their own in YAML. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const CONTROL_CHARACTERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff]/;
const PLAIN_KEY = /^[A-Za-z0-9_$/][A-Za-z0-9_$/.*@()+-]*(?: +[A-Za-z0-9_$/.*@()+-]+)*$/;
const QUOTED_KEY = /(?:"[^"\\\n]*"|'[^'\n]*'):/y;
const LONGEST_KEY = 256;
const DEEPEST_MAP = 4;

/** The values of a document in the plain subset, or `undefined` if it needs the full parser. */
export function scanPlainYaml(text: string): PlainMap | undefined {
  const unix = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
  return CONTROL_CHARACTERS.test(unix) ? undefined : scanMap(cursorAtStart(unix), 0, 1);
}

function scanMap(cursor: LineCursor, indent: number, depth: number): PlainMap | undefined {
  const map: Record<string, unknown> = Object.create(null);
  const { text } = cursor;
  while (cursor.indent === indent) {
    const start = cursor.at + indent;
    const colon = findKeyEnd(text, start);
    const key = colon === -1 ? undefined : keyBetween(text, start, colon);
    if (key === undefined || map[key] !== undefined) return undefined;
    const value = scanMapValue(cursor, colon + 1, indent, depth);
    if (value === undefined) return undefined;
    map[key] = value;
  }
  return cursor.indent < indent ? Object.freeze(map) : undefined;
}

/** The colon after the key that starts at `from`; -1 if there is none with a space or the end of a line behind it. */
function findKeyEnd(text: string, from: number): number {
  let colon = text.indexOf(":", from);
  if (isQuote(text.charCodeAt(from))) {
    QUOTED_KEY.lastIndex = from;
    colon = QUOTED_KEY.test(text) ? QUOTED_KEY.lastIndex - 1 : -1;
  }
  const next = text.charCodeAt(colon + 1);
  return next === 0x20 || next === 0x0a || colon + 1 === text.length ? colon : -1;
}

/** Files repeat a few keys: each is checked once. */
const plainKeys = new Map<string, string>();
const MOST_KEYS = 256;

function keyBetween(text: string, from: number, colon: number): string | undefined {
  if (colon - from > LONGEST_KEY) return undefined;
  if (isQuote(text.charCodeAt(from))) return text.slice(from + 1, colon - 1);
  const key = text.slice(from, colon);
  // Neither a newline nor a space at the start is ever part of one.
  const known = plainKeys.get(key);
  if (known !== undefined) return known;
  if (!PLAIN_KEY.test(key)) return undefined;
  if (plainKeys.size < MOST_KEYS) plainKeys.set(key, key);
  return key;
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27;
}

function scanMapValue(cursor: LineCursor, from: number, indent: number, depth: number): unknown {
  const { text, end } = cursor;
  const start = skipSpaces(text, from);
  const first = text.charCodeAt(start);
  if (first === 0x7c || first === 0x3e) return scanBlockScalar(cursor, start, indent);
  moveTo(cursor, end + 1);
  // A comment needs a space before it, and there is always one here.
  return start === end || first === 0x23 ? scanNested(cursor, indent, depth) : scanInline(text, start, end);
}

/** The value of a key that has nothing after its colon: a list, a map, or null. */
function scanNested(cursor: LineCursor, parentIndent: number, depth: number): unknown {
  const { indent } = cursor;
  if (indent < parentIndent) return null;
  if (isListItem(cursor)) return scanList(cursor, indent);
  // YAML lets the dashes stand right under the key they belong to, but not the keys of a map.
  if (indent === parentIndent) return null;
  return depth < DEEPEST_MAP ? scanMap(cursor, indent, depth + 1) : undefined;
}

function scanList(cursor: LineCursor, indent: number): unknown {
  const items: unknown[] = [];
  while (cursor.indent === indent && isListItem(cursor)) {
    const { text, at, end } = cursor;
    const start = at + indent + 1;
    const item = restIsBlank(text, start, end) ? null : scanInline(text, skipSpaces(text, start), end);
    if (item === undefined) return undefined;
    items.push(item);
    moveTo(cursor, end + 1);
  }
  return Object.freeze(items);
}

function isListItem({ text, at, end, indent }: LineCursor): boolean {
  const dash = at + indent;
  return text.charCodeAt(dash) === 0x2d && (dash + 1 === end || text.charCodeAt(dash + 1) === 0x20);
}
