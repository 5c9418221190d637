// A fast reader for the YAML that people really write in frontmatter. It accepts a document only if it understands all
// of it, and then gives the same result as `yaml`. It leaves everything else, and every mistake, to the full parser.
import { endOfLine, type LineCursor, moveTo, restIsBlank, skipSpaces } from "./line-cursor.ts";
import { scanInline } from "./scan-inline.ts";

export type PlainMap = Readonly<Record<string, unknown>>;

/** YAML has special rules for tabs, lone carriage returns and the like. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const CONTROL_CHARACTERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff]/;
const PLAIN_KEY = /^[A-Za-z0-9_$/][A-Za-z0-9_$/.*@()+-]*(?: +[A-Za-z0-9_$/.*@()+-]+)*$/;
const QUOTED_KEY = /(?:"[^"\\\n]*"|'[^'\n]*'):/y;
const LONGEST_KEY = 256;
const DEEPEST_MAP = 4;

/** Files repeat a few keys: each is checked once. */
const plainKeys = new Set<string>();
const MOST_KEYS = 256;

/** The values of a document in the plain subset, or `undefined` if it needs the full parser. */
export function scanPlainYaml(text: string): PlainMap | undefined {
  const unix = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
  if (CONTROL_CHARACTERS.test(unix)) return undefined;
  const cursor: LineCursor = { text: unix, at: 0, end: 0, indent: -1 };
  moveTo(cursor, 0);
  return scanMap(cursor, 0, 1);
}

function scanMap(cursor: LineCursor, indent: number, depth: number): PlainMap | undefined {
  const map: Record<string, unknown> = Object.create(null);
  const { text } = cursor;
  while (cursor.indent === indent) {
    const start = cursor.at + indent;
    const code = text.charCodeAt(start);
    const isQuoted = code === 0x22 || code === 0x27;
    let colon = text.indexOf(":", start);
    if (isQuoted) {
      QUOTED_KEY.lastIndex = start;
      colon = QUOTED_KEY.test(text) ? QUOTED_KEY.lastIndex - 1 : -1;
    }
    if (colon === -1 || colon - start > LONGEST_KEY) return undefined;
    // A space or the end of a line follows the colon.
    const next = text.charCodeAt(colon + 1);
    if (next !== 0x20 && next !== 0x0a && colon + 1 !== text.length) return undefined;
    const key = isQuoted ? text.slice(start + 1, colon - 1) : text.slice(start, colon);
    // A plain key never contains a newline and never starts with a space.
    if (!isQuoted && !plainKeys.has(key)) {
      if (!PLAIN_KEY.test(key)) return undefined;
      if (plainKeys.size < MOST_KEYS) plainKeys.add(key);
    }
    if (map[key] !== undefined) return undefined;
    const { end } = cursor;
    const from = skipSpaces(text, colon + 1);
    const first = text.charCodeAt(from);
    let value: unknown;
    if (first === 0x7c || first === 0x3e) value = scanBlockScalar(cursor, from, indent);
    else {
      moveTo(cursor, end + 1);
      // A comment needs a space before it, which is always there.
      const isInline = from !== end && first !== 0x23;
      value = isInline ? scanInline(text, from, end) : scanNested(cursor, indent, depth);
    }
    if (value === undefined) return undefined;
    map[key] = value;
  }
  return cursor.indent < indent ? Object.freeze(map) : undefined;
}

/** The value of a key with nothing after its colon: a list, a map or null. */
function scanNested(cursor: LineCursor, parentIndent: number, depth: number): unknown {
  const { indent } = cursor;
  if (indent < parentIndent) return null;
  if (isListItem(cursor)) {
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
  // A list's dashes may be indented like the key above them; the keys of a map may not.
  if (indent === parentIndent) return null;
  return depth < DEEPEST_MAP ? scanMap(cursor, indent, depth + 1) : undefined;
}

function isListItem({ text, at, end, indent }: LineCursor): boolean {
  const dash = at + indent;
  return text.charCodeAt(dash) === 0x2d && (dash + 1 === end || text.charCodeAt(dash + 1) === 0x20);
}

const HEADER = /[|>]([-+]?)/y;

/**
 * Reads `|`, `>` and their chomping forms; `from` is the header's offset. It leaves out what real files do not use:
 * explicit indentation, and folded text with more-indented lines.
 */
function scanBlockScalar(cursor: LineCursor, from: number, parentIndent: number): string | undefined {
  HEADER.lastIndex = from;
  const match = HEADER.exec(cursor.text);
  if (match === null || !restIsBlank(cursor.text, HEADER.lastIndex, cursor.end)) return undefined;

  const { text } = cursor;
  const start = cursor.end + 1;
  // The first line with text says how deep the block is indented.
  let indent = -1;
  for (let at = start; at <= text.length && indent === -1; at = endOfLine(text, at) + 1) {
    const first = skipSpaces(text, at);
    if (first < endOfLine(text, at)) indent = first - at;
  }
  // Without any text, the full parser decides which empty lines count.
  if (indent <= parentIndent) return undefined;

  const lines: string[] = [];
  let said = 0;
  let at = start;
  while (at <= text.length) {
    const end = endOfLine(text, at);
    const first = skipSpaces(text, at);
    const isBlank = first === end;
    // White space beyond the indentation is part of the text; that is left to the full parser.
    if (isBlank && end - at > indent) return undefined;
    if (!isBlank && first - at < indent) break;
    lines.push(text.slice(Math.min(at + indent, end), end));
    if (!isBlank) said = lines.length;
    at = end + 1;
  }
  // No further line follows the final newline.
  const newlinesAfter = Math.max(1, lines.length - said + (at <= text.length ? 1 : 0));
  lines.length = said;
  const value = text[from] === "|" ? lines.join("\n") : fold(lines);
  if (value === undefined) return undefined;
  moveTo(cursor, at);
  if (match[1] === "-") return value;
  return match[1] === "+" ? value + "\n".repeat(newlinesAfter) : `${value}\n`;
}

function fold(lines: readonly string[]): string | undefined {
  let text = "";
  let separator = "";
  for (const line of lines) {
    if (line[0] === " ") return undefined;
    if (line === "") {
      if (separator === "\n") text += "\n";
      else separator = "\n";
    } else {
      text += separator + line;
      separator = " ";
    }
  }
  return text;
}
