import type { CommandReport } from "./command.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";

/**
 * One JSON document for programs that is also safe on a terminal: `JSON.stringify` leaves the characters that change
 * the direction of text, or that old terminals take for commands, as they are.
 */
export function formatJson(document: object): string {
  return `${safeJson(JSON.stringify(document, null, 2))}\n`;
}

/** The same on one line, for documents that follow each other. */
export function jsonLine(document: object): string {
  return `${safeJson(JSON.stringify(document))}\n`;
}

/** As much as is written at a time. */
const pieceLength = 64 * 1024;

/** An emoji of ten parts is shorter. */
const longestJoined = 100;

/**
 * The same as `formatJson`, or as `jsonLine` without an indent, piece by piece: a document may be longer than a string can be.
 * It must be plain data.
 */
export function* jsonPieces(document: object, indent = ""): Generator<string, void> {
  let piece = "";
  for (const token of tokensOf(document, indent, "\n")) {
    piece += token;
    if (piece.length < pieceLength) continue;
    yield safeJson(piece);
    piece = "";
  }
  yield `${safeJson(piece)}\n`;
}

function* tokensOf(value: unknown, indent: string, line: string): Generator<string, void> {
  if (typeof value === "string" && value.length > pieceLength) return yield* textTokens(value);
  if (typeof value !== "object" || value === null) return yield JSON.stringify(value) ?? "null";
  const isList = Array.isArray(value);
  const inner = indent === "" ? "" : line + indent;
  let isEmpty = true;
  yield isList ? "[" : "{";
  // One value after the other: a large one may be read from a file when it is looked at.
  for (const key of Object.keys(value)) {
    const each = (value as Record<string, unknown>)[key];
    if (!isList && each === undefined) continue;
    yield `${isEmpty ? "" : ","}${inner}`;
    isEmpty = false;
    if (!isList) yield `${JSON.stringify(key)}:${indent === "" ? "" : " "}`;
    yield* tokensOf(each, indent, line + indent);
  }
  yield `${isEmpty || indent === "" ? "" : line}${isList ? "]" : "}"}`;
}

/** A long text is cut before an ASCII character: what looks or reads as one, such as a joined emoji, has none inside. */
function* textTokens(text: string): Generator<string, void> {
  yield '"';
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + pieceLength;
    const latest = end;
    while (end > latest - longestJoined && text.charCodeAt(end) >= 0x80) end -= 1;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
  }
  yield '"';
}

/** A whole answer as one document. `ok` says the same as the exit code 0; without it there is an `error`. */
export function formatAnswer<Result>(result: Result, report: CommandReport<Result>): string {
  const no = report.exitCode(result) === 0 ? undefined : report.error?.(result);
  return formatJson({ ok: no === undefined, ...(no !== undefined && { error: no }), ...report.json(result) });
}

/** What JSON itself consists of, and most of what is in it. */
const plainJson = /^[\n -~]*$/;

function safeJson(text: string): string {
  if (plainJson.test(text)) return text;
  let safe = "";
  let done = 0;
  for (const { offset, codePoint } of findHiddenCharacters(text)) {
    const character = String.fromCodePoint(codePoint);
    safe += text.slice(done, offset);
    for (let at = 0; at < character.length; at += 1) {
      safe += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }
    done = offset + character.length;
  }
  return safe + text.slice(done);
}
