// A fast reader for the YAML that people really write in frontmatter. It claims a document only if it understands all
// of it; then its answer is the answer of `yaml`. Everything else, and every mistake, is left to the full parser.

import { type LineCursor, restIsBlank, skipSpaces, toContent } from "./line-cursor.ts";
import { scanBlockScalar } from "./scan-block-scalar.ts";
import { scanInline } from "./scan-inline.ts";

export type PlainMap = Readonly<Record<string, unknown>>;

/** Tabs, lone carriage returns and the like have rules of their own in YAML. */
const CONTROL_CHARACTERS = /[^\P{Cc}\n]|\ufeff/u;
const KEY = /(?:([A-Za-z0-9_$/][A-Za-z0-9_$/.*@()+-]*(?: +[A-Za-z0-9_$/.*@()+-]+)*)|"([^"\\]*)"|'([^']*)'):(?= |$)/y;
const LONGEST_KEY = 256;
const DEEPEST_MAP = 4;

/** The values of a document in the plain subset, or `undefined` if it needs the full parser. */
export function scanPlainYaml(text: string): PlainMap | undefined {
  const unix = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
  if (CONTROL_CHARACTERS.test(unix)) return undefined;
  const cursor: LineCursor = { lines: unix.split("\n"), at: 0, indent: 0 };
  const map = scanMap(cursor, 0, 1);
  return cursor.at === cursor.lines.length ? map : undefined;
}

function scanMap(cursor: LineCursor, indent: number, depth: number): PlainMap | undefined {
  const map: Record<string, unknown> = Object.create(null);
  for (;;) {
    const line = toContent(cursor);
    if (cursor.indent < indent) return Object.freeze(map);
    // No key starts with a space, so this also declines a line that is indented deeper.
    KEY.lastIndex = indent;
    const match = KEY.exec(line);
    const key = match?.[1] ?? match?.[2] ?? match?.[3];
    if (key === undefined || key.length > LONGEST_KEY || map[key] !== undefined) return undefined;
    const value = scanMapValue(cursor, line, KEY.lastIndex, indent, depth);
    if (value === undefined) return undefined;
    map[key] = value;
  }
}

function scanMapValue(cursor: LineCursor, line: string, from: number, indent: number, depth: number): unknown {
  if (restIsBlank(line, from)) {
    cursor.at += 1;
    return scanNested(cursor, indent, depth);
  }
  const start = skipSpaces(line, from);
  if (line[start] === "|" || line[start] === ">") return scanBlockScalar(cursor, start, indent);
  cursor.at += 1;
  return scanInline(line, start);
}

/** The value of a key that has nothing after its colon: a list, a map, or null. */
function scanNested(cursor: LineCursor, parentIndent: number, depth: number): unknown {
  const line = toContent(cursor);
  const { indent } = cursor;
  if (indent < parentIndent) return null;
  const list = isListItem(line, indent);
  // YAML lets the dashes stand right under the key they belong to.
  if (indent === parentIndent) return list ? scanList(cursor, indent) : null;
  if (list) return scanList(cursor, indent);
  return depth < DEEPEST_MAP ? scanMap(cursor, indent, depth + 1) : undefined;
}

function scanList(cursor: LineCursor, indent: number): unknown {
  const items: unknown[] = [];
  for (;;) {
    const line = toContent(cursor);
    if (cursor.indent < indent || !isListItem(line, indent)) return Object.freeze(items);
    const start = indent + 1;
    const item = restIsBlank(line, start) ? null : scanInline(line, skipSpaces(line, start));
    if (item === undefined) return undefined;
    items.push(item);
    cursor.at += 1;
  }
}

function isListItem(line: string, indent: number): boolean {
  return line[indent] === "-" && (line.length === indent + 1 || line[indent + 1] === " ");
}
