/** One word of a shell line, as Claude Code's argument splitter sees it. */
export interface ShellWord {
  readonly end: number;
  /** Without quotes and backslashes. */
  readonly value: string;
  /** `expansion`: nothing but one `$x`, `${x}` or the like. `substitution`: has a `$(…)` or backticks in it. */
  readonly shape: "plain" | "expansion" | "substitution";
}

interface Piece {
  readonly end: number;
  readonly value: string;
  readonly kind: "text" | "expansion" | "substitution";
}

const wordEnds = new Set(" \t\r\n;&|()<>");

export function readShellWord(line: string, start: number): ShellWord {
  let at = start;
  let value = "";
  let pieces = 0;
  const kinds = new Set<Piece["kind"]>();
  while (at < line.length && !isWordEnd(line, at)) {
    const piece = readPiece(line, at);
    value += piece.value;
    pieces += 1;
    kinds.add(piece.kind);
    at = piece.end;
  }
  if (kinds.has("substitution")) return { end: at, value, shape: "substitution" };
  return { end: at, value, shape: pieces === 1 && kinds.has("expansion") ? "expansion" : "plain" };
}

/** A backslash at the end of a line joins two lines; it is no part of a word. */
function isWordEnd(line: string, at: number): boolean {
  return wordEnds.has(line.charAt(at)) || isLineJoin(line, at);
}

export function isLineJoin(line: string, at: number): boolean {
  return line[at] === "\\" && (line[at + 1] ?? "\n") === "\n";
}

function readPiece(line: string, at: number): Piece {
  const char = line.charAt(at);
  if (char === "\\") return { end: at + 2, value: line.charAt(at + 1), kind: "text" };
  if (char === "'") return readQuoted(line, at, line.indexOf("'", at + 1));
  if (char === '"') return readQuoted(line, at, closingDoubleQuote(line, at));
  if (char === "`") return rawPiece(line, at, line.indexOf("`", at + 1), "substitution");
  if (char === "$") return readDollar(line, at);
  if (char === "{") return readBraces(line, at);
  return { end: at + 1, value: char, kind: "text" };
}

/** What stands between quotes is taken as it is; a quote without a partner takes the rest of the line, itself included. */
function readQuoted(line: string, at: number, close: number): Piece {
  if (close === -1) return { end: line.length, value: line.slice(at), kind: "text" };
  return { end: close + 1, value: line.slice(at + 1, close), kind: "text" };
}

/** Inside of `{"a":1}` quotes are letters, but spaces still end the word. */
function readBraces(line: string, open: number): Piece {
  let value = "{";
  let at = open + 1;
  while (at < line.length && line[open + 1] !== "$" && !isWordEnd(line, at)) {
    if (line[at] === "\\") at += 1;
    value += line.charAt(at);
    at += 1;
    if (line[at - 1] === "}") break;
  }
  return { end: at, value, kind: "text" };
}

// A text, because V8 takes its time over classes of Unicode where it only reads them in a pattern.
const VARIABLE = String.raw`\$(?:[\p{L}_][\p{L}\p{N}_]*|[\d@*#?$!-])?`;

function readDollar(line: string, at: number): Piece {
  if (line.startsWith("$((", at)) return rawPiece(line, at, closingArithmetic(line, at), "expansion");
  if (line.startsWith("$(", at)) return rawPiece(line, at, closingParenthesis(line, at + 1), "substitution");
  if (line.startsWith("${", at)) return rawPiece(line, at, line.indexOf("}", at), "expansion");
  if (line.startsWith("$[", at)) return rawPiece(line, at, line.indexOf("]", at), "expansion");
  if (line.startsWith("$'", at)) return rawPiece(line, at, line.indexOf("'", at + 2), "expansion");
  const variable = new RegExp(VARIABLE, "uy");
  variable.lastIndex = at;
  const name = variable.exec(line)?.[0] ?? "$";
  return { end: at + name.length, value: name, kind: "expansion" };
}

function rawPiece(line: string, at: number, close: number, kind: Piece["kind"]): Piece {
  const end = close === -1 ? line.length : close + 1;
  return { end, value: line.slice(at, end), kind };
}

function closingDoubleQuote(line: string, open: number): number {
  let at = open + 1;
  while (at !== 0 && at < line.length) {
    if (line[at] === '"') return at;
    if (line[at] === "\\") at += 2;
    else if (line[at] === "`") at = line.indexOf("`", at + 1) + 1;
    else if (line.startsWith("$(", at)) at = closingParenthesis(line, at + 1) + 1;
    else if (line.startsWith("${", at)) at = line.indexOf("}", at) + 1;
    else at += 1;
  }
  return -1;
}

/** -1 if the parenthesis at `open` is never closed. */
export function closingParenthesis(line: string, open: number): number {
  let depth = 0;
  for (let at = open; at < line.length; at++) {
    if (line[at] === "(") depth += 1;
    else if (line[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function closingArithmetic(line: string, at: number): number {
  const close = line.indexOf("))", at);
  return close === -1 ? -1 : close + 1;
}
