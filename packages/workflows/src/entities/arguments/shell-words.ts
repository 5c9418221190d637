/**
 * Claude Code reads a command's arguments as a line of shell and takes the words of its first simple command:
 * `fix; then test` and `fix #12` are the one word `fix`, and `mode=fast src` is `src`. A line without a command is split
 * at white space. Measured on 2.1.325. Compound commands (`for`, `case`, `[[`) are supported only as far as a sentence
 * may start with their first word.
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let at: number | undefined = 0;
  while (at !== undefined) {
    at = skipBlanks(line, at);
    if (at >= line.length) break;
    at = words.length === 0 ? beforeCommand(line, at, words) : insideCommand(line, at, words);
  }
  return words.length > 0 ? words : line.split(/\s+/).filter((word) => word !== "");
}

const keywords = new Set("if while until do done then else elif fi esac ! {".split(" "));
const declarations = new Set("export declare local readonly typeset".split(" "));
/** How many of the following words belong to each. */
const headers = new Map([
  ["for", 1],
  ["select", 1],
  ["function", 1],
  ["case", 2],
  ["[", 1],
  ["[[", 1],
]);
const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=(?!=)/;
const redirect = /\d*[<>][<>&|]*/y;

/** Skips what may precede a command's name, or takes that name. `undefined` ends the search. */
function beforeCommand(line: string, at: number, words: string[]): number | undefined {
  const char = line.charAt(at);
  if (line.startsWith("((", at) || /^<<(?!<)/.test(line.slice(at, at + 3))) return undefined;
  if ("\n;&|()}`".includes(char)) return at + 1;
  if (char === "#") {
    const end = line.indexOf("\n", at);
    return end === -1 ? line.length : end;
  }
  const target = afterRedirect(line, at);
  if (target !== undefined) return skipWord(line, target);

  const word = readShellWord(line, at);
  const text = line.slice(at, word.end);
  if (keywords.has(text)) return word.end;
  if (assignment.test(text)) return line[word.end] === "(" ? skipGroup(line, word.end) : word.end;
  if (!text.startsWith("[") && !headers.has(text)) {
    words.push(word.value);
    return declarations.has(text) ? undefined : word.end;
  }
  // A header includes its words, the closing `]` of `[ a ]`, and all of `for x in a b` up to the end of the statement.
  const count = headers.get(text) ?? 0;
  let header = word.end;
  for (let i = 0; i < count; i++) header = skipWord(line, header);
  const from = skipBlanks(line, header);
  const { end } = readShellWord(line, from);
  const next = line.slice(from, end);
  if (next === "]" || next === "]]") return end;
  if (count !== 1 || next !== "in") return header;
  const length = line.slice(end).search(/[;\n]/);
  return length === -1 ? line.length : end + length;
}

/** Takes the next argument. `undefined` means that the command ends here. */
function insideCommand(line: string, at: number, words: string[]): number | undefined {
  const char = line.charAt(at);
  if (line.startsWith("<<<", at)) return skipWord(line, at + 3);
  if ("\n;&|)#".includes(char) || afterRedirect(line, at) !== undefined) return undefined;
  if (char === "(") return skipGroup(line, at);
  const word = readShellWord(line, at);
  if (word.shape === "substitution") return undefined;
  const isCall = line[word.end] === "(";
  const isSign = line.slice(at, word.end) === "=";
  if (word.shape === "plain" && !isCall && !isSign) words.push(word.value);
  return word.end;
}

/** A backslash at the end of a line joins it with the next line. */
const blank = /[ \t\r]|\\(?:\n|$)/y;
/** A backslash that joins two lines is not part of a word. */
const wordEnd = /[ \t\r\n;&|()<>]|\\(?:\n|$)/y;

function skipBlanks(line: string, start: number): number {
  let at = start;
  for (blank.lastIndex = at; blank.test(line); ) at = blank.lastIndex;
  return at;
}

function skipWord(line: string, at: number): number {
  return readShellWord(line, skipBlanks(line, at)).end;
}

/** A parenthesis that is never closed reaches to the end of the line. */
function skipGroup(line: string, open: number): number {
  const close = closingParenthesis(line, open);
  return close === -1 ? line.length : close + 1;
}

function afterRedirect(line: string, at: number): number | undefined {
  redirect.lastIndex = at;
  return redirect.test(line) ? redirect.lastIndex : undefined;
}

/** One word of a shell line, as Claude Code's argument splitter sees it. */
interface ShellWord {
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

function readShellWord(line: string, start: number): ShellWord {
  let at = start;
  let value = "";
  let pieces = 0;
  const kinds = new Set<Piece["kind"]>();
  while (at < line.length && !isWordEnd(line, at)) {
    const piece: Piece = readPiece(line, at);
    value += piece.value;
    pieces += 1;
    kinds.add(piece.kind);
    at = piece.end;
  }
  if (kinds.has("substitution")) return { end: at, value, shape: "substitution" };
  return { end: at, value, shape: pieces === 1 && kinds.has("expansion") ? "expansion" : "plain" };
}

function isWordEnd(line: string, at: number): boolean {
  wordEnd.lastIndex = at;
  return wordEnd.test(line);
}

function readPiece(line: string, at: number): Piece {
  const char = line.charAt(at);
  if (char === "\\") return { end: at + 2, value: line.charAt(at + 1), kind: "text" };
  if (char === "'" || char === '"') {
    // Quoted text is taken literally; a quote without a partner takes the rest of the line, including the quote.
    const close = char === "'" ? line.indexOf("'", at + 1) : closingDoubleQuote(line, at);
    if (close === -1) return { end: line.length, value: line.slice(at), kind: "text" };
    return { end: close + 1, value: line.slice(at + 1, close), kind: "text" };
  }
  if (char === "`") return rawPiece(line, at, line.indexOf("`", at + 1), "substitution");
  if (char === "$") {
    if (line.startsWith("$((", at)) return rawPiece(line, at, line.indexOf("))", at), "expansion", 2);
    if (line.startsWith("$(", at)) return rawPiece(line, at, closingParenthesis(line, at + 1), "substitution");
    if (line.startsWith("${", at)) return rawPiece(line, at, line.indexOf("}", at), "expansion");
    if (line.startsWith("$[", at)) return rawPiece(line, at, line.indexOf("]", at), "expansion");
    if (line.startsWith("$'", at)) return rawPiece(line, at, line.indexOf("'", at + 2), "expansion");
    const variable = new RegExp(VARIABLE, "uy");
    variable.lastIndex = at;
    const name = variable.exec(line)?.[0] ?? "$";
    return { end: at + name.length, value: name, kind: "expansion" };
  }
  if (char !== "{") return { end: at + 1, value: char, kind: "text" };
  // In `{"a":1}` quotes are ordinary characters, but spaces still end the word.
  let value = "{";
  let end = at + 1;
  while (end < line.length && line[at + 1] !== "$" && !isWordEnd(line, end)) {
    if (line[end] === "\\") end += 1;
    value += line.charAt(end);
    end += 1;
    if (line[end - 1] === "}") break;
  }
  return { end, value, kind: "text" };
}

// A string, because V8 is slow to compile Unicode classes in a regular expression literal.
const VARIABLE = String.raw`\$(?:[\p{L}_][\p{L}\p{N}_]*|[\d@*#?$!-])?`;

function rawPiece(line: string, at: number, close: number, kind: Piece["kind"], width = 1): Piece {
  const end = close === -1 ? line.length : close + width;
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
function closingParenthesis(line: string, open: number): number {
  let depth = 0;
  for (let at = open; at < line.length; at++) {
    if (line[at] === "(") depth += 1;
    else if (line[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
