import { positionsOf } from "./position.ts";
import { COMMA, QUOTE, Scanner } from "./scan.ts";
import type { ArrayNode, JsonDocument, JsonNode, ObjectNode, PropertyNode, StringNode } from "./tree.ts";

export interface ParseOptions {
  /** Named in every error. */
  readonly file?: string;
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
export function parseJsonc(text: string, options: ParseOptions = {}): JsonDocument {
  const scanner = new Scanner(text, options.file, text.startsWith("\ufeff") ? 1 : 0);
  scanner.trivia();
  if (scanner.offset === text.length) return withoutRoot(scanner, options);
  const root = value(scanner, 0);
  scanner.trivia();
  if (scanner.offset < text.length) {
    const hint = "Only one value may stand in the file. A bracket may have been closed too early.";
    throw scanner.error({ offset: scanner.offset, expected: "the end of the file", hint });
  }
  return { text, file: options.file, root, comments: scanner.comments };
}

function withoutRoot(scanner: Scanner, options: ParseOptions): JsonDocument {
  if (options.empty === "refuse") {
    const hint = "The file holds no value, as if it had been emptied. Restore it, put {} into it, or delete it.";
    throw scanner.error({ offset: scanner.offset, expected: "a value", hint });
  }
  return { text: scanner.text, file: options.file, root: undefined, comments: scanner.comments };
}

function value(scanner: Scanner, depth: number): JsonNode {
  const start = scanner.offset;
  const code = scanner.peek();
  if (code === BRACE_OPEN) return object(scanner, depth + 1);
  if (code === BRACKET_OPEN) return array(scanner, depth + 1);
  if (code === QUOTE) return string(scanner);
  if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
    const number = scanner.number();
    return { kind: "number", value: number, start, end: scanner.offset };
  }
  return word(scanner);
}

function object(scanner: Scanner, depth: number): ObjectNode {
  const properties: PropertyNode[] = [];
  const start = open(scanner, depth);
  for (;;) {
    scanner.trivia();
    if (scanner.peek() === BRACE_CLOSE) return { kind: "object", properties, start, end: ++scanner.offset };
    properties.push(property(scanner, start, depth));
    separator(scanner, start, BRACE_CLOSE, '"," or "}" after the property');
  }
}

function array(scanner: Scanner, depth: number): ArrayNode {
  const items: JsonNode[] = [];
  const start = open(scanner, depth);
  for (;;) {
    scanner.trivia();
    if (scanner.peek() === BRACKET_CLOSE) return { kind: "array", items, start, end: ++scanner.offset };
    if (scanner.offset === scanner.text.length) throw unclosed(scanner, start, 'a value or "]"');
    items.push(value(scanner, depth));
    separator(scanner, start, BRACKET_CLOSE, '"," or "]" after the item');
  }
}

function property(scanner: Scanner, objectStart: number, depth: number): PropertyNode {
  if (scanner.peek() !== QUOTE) throw unclosed(scanner, objectStart, 'a property name in double quotes or "}"');
  const key = string(scanner);
  scanner.trivia();
  if (scanner.peek() !== COLON) throw unclosed(scanner, objectStart, '":" after the property name');
  scanner.offset++;
  scanner.trivia();
  const node = value(scanner, depth);
  return { kind: "property", key, value: node, start: key.start, end: node.end };
}

function separator(scanner: Scanner, start: number, close: number, expected: string): void {
  scanner.trivia();
  const code = scanner.peek();
  if (code === COMMA) scanner.offset++;
  else if (code !== close) throw unclosed(scanner, start, expected);
}

function string(scanner: Scanner): StringNode {
  const start = scanner.offset;
  const text = scanner.string();
  return { kind: "string", value: text, start, end: scanner.offset };
}

function word(scanner: Scanner): JsonNode {
  const start = scanner.offset;
  const text = scanner.word();
  const end = start + text.length;
  if (text !== "true" && text !== "false" && text !== "null") {
    throw scanner.error({ offset: start, expected: "a value" });
  }
  scanner.offset = end;
  return text === "null"
    ? { kind: "null", value: null, start, end }
    : { kind: "boolean", value: text === "true", start, end };
}

function open(scanner: Scanner, depth: number): number {
  const start = scanner.offset;
  if (depth > MAX_DEPTH) {
    const message = `nested deeper than ${MAX_DEPTH} levels: expected a flatter document, found one more "${scanner.text[start]}"`;
    throw scanner.error({ offset: start, message, hint: "No real configuration is this deep. Restore the file." });
  }
  scanner.offset++;
  return start;
}

/** At the end of the file the place where the open bracket stands says more than the end itself. */
function unclosed(scanner: Scanner, start: number, expected: string): Error {
  const { offset, text } = scanner;
  if (offset < text.length) return scanner.error({ offset, expected });
  const { line, column } = positionsOf(text)(start);
  const opened = text[start] === "{" ? "object" : "array";
  return scanner.error({ offset, expected: `${expected} to continue the ${opened} opened at ${line}:${column}` });
}
