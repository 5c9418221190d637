import { positionsOf } from "./position.ts";
import { COMMA, QUOTE, Scanner } from "./scan.ts";
import type { JsonDocument, JsonNode, PropertyNode } from "./tree.ts";

export interface JsoncOptions {
  /** Named in every error. */
  readonly file?: string | undefined;
  /** What a text without any value is: a document without root (OpenCode reads it as `{}`), or an error. */
  readonly empty?: "absent" | "refuse";
}

/** Deep enough for any config, shallow enough that no walk over a tree can exhaust the stack. */
export const MAX_DEPTH = 200;

const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const COLON = 0x3a;

/**
 * Reads JSON with comments, trailing commas and an optional byte order mark into a tree with offsets.
 * Anything else is a `DurableError("syntax")` that names `file:line:col`; there is never a partial result.
 *
 * @example
 * const document = parseJsonc('{ "plugin": ["x"], } // mine', { file: "opencode.jsonc" });
 */
export function parseJsonc(text: string, { file, empty }: JsoncOptions = {}): JsonDocument {
  const scanner = new Scanner(text, file, text.startsWith("\ufeff") ? 1 : 0);
  scanner.trivia();
  const isEmpty = scanner.offset === text.length;
  if (isEmpty && empty === "refuse") {
    const hint = "The file contains no value; it may have been emptied. Restore it, put {} in it, or delete it.";
    throw scanner.error({ offset: scanner.offset, expected: "a value", hint });
  }
  const root = isEmpty ? undefined : value(scanner, 0);
  scanner.trivia();
  if (scanner.offset < text.length) {
    const hint = "The file may contain only one value. A bracket may have been closed too early.";
    throw scanner.error({ offset: scanner.offset, expected: "the end of the file", hint });
  }
  return { text, file, root, comments: scanner.comments };
}

/** Reads the value at the scanner's offset, inside `depth` containers. */
function value(scanner: Scanner, depth: number): JsonNode {
  const start = scanner.offset;
  const code = scanner.peek();
  if (code === QUOTE) return { kind: "string", value: scanner.string(), start, end: scanner.offset };
  if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
    return { kind: "number", value: scanner.number(), start, end: scanner.offset };
  }
  const isObject = code === BRACE_OPEN;
  if (!isObject && code !== BRACKET_OPEN) {
    const word = scanner.word();
    const end = scanner.offset;
    return word === null ? { kind: "null", value: word, start, end } : { kind: "boolean", value: word, start, end };
  }
  if (depth === MAX_DEPTH) {
    const message = `nested deeper than ${MAX_DEPTH} levels: expected less nesting, found another "${scanner.text[start]}"`;
    throw scanner.error({
      offset: start,
      message,
      hint: "No real configuration file is nested this deeply. Restore it from a backup.",
    });
  }
  scanner.offset++;
  const close = isObject ? BRACE_CLOSE : BRACKET_CLOSE;
  const properties: PropertyNode[] = [];
  const items: JsonNode[] = [];
  for (;;) {
    scanner.trivia();
    if (scanner.peek() === close) {
      const end = ++scanner.offset;
      return isObject ? { kind: "object", properties, start, end } : { kind: "array", items, start, end };
    }
    if (isObject) {
      const keyStart = scanner.offset;
      if (scanner.peek() !== QUOTE) throw unclosed(scanner, start, 'a property name in double quotes or "}"');
      const key = { kind: "string", value: scanner.string(), start: keyStart, end: scanner.offset } as const;
      scanner.trivia();
      if (scanner.peek() !== COLON) throw unclosed(scanner, start, '":" after the property name');
      scanner.offset++;
      scanner.trivia();
      const node = value(scanner, depth + 1);
      properties.push({ kind: "property", key, value: node, start: keyStart, end: node.end });
    } else {
      if (scanner.offset === scanner.text.length) throw unclosed(scanner, start, 'a value or "]"');
      items.push(value(scanner, depth + 1));
    }
    scanner.trivia();
    if (scanner.peek() === COMMA) scanner.offset++;
    else if (scanner.peek() !== close) {
      throw unclosed(scanner, start, isObject ? '"," or "}" after the property' : '"," or "]" after the item');
    }
  }
}

/** At the end of the file the position of the open bracket says more than the end itself. */
function unclosed(scanner: Scanner, start: number, expected: string): Error {
  const { offset, text } = scanner;
  if (offset < text.length) return scanner.error({ offset, expected });
  const { line, column } = positionsOf(text)(start);
  const opened = text[start] === "{" ? "object" : "array";
  return scanner.error({ offset, expected: `${expected} to continue the ${opened} opened at ${line}:${column}` });
}
