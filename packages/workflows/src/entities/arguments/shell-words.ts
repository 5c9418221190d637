import { closingParenthesis, isLineJoin, readShellWord } from "./shell-word.ts";

/**
 * Claude Code reads the arguments of a command as a line of shell and takes the words of its first simple command:
 * `fix; then test` is the one word `fix`, so is `fix #12`, and `mode=fast src` is `src`. What holds no command is split
 * at white space. Measured on 2.1.325. Compound commands (`for`, `case`, `[[`) are followed only as far as a sentence
 * may begin with their first word.
 */
export function shellWords(line: string): string[] {
  const words = firstCommand(line);
  return words.length > 0 ? words : line.split(/\s+/).filter((word) => word !== "");
}

const keywords = new Set("if while until do done then else elif fi esac ! {".split(" "));
const declarations = new Set("export declare local readonly typeset".split(" "));
/** How many words after these belong to them. */
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

function firstCommand(line: string): string[] {
  const words: string[] = [];
  let at: number | undefined = 0;
  while (at !== undefined) {
    at = skipBlanks(line, at);
    if (at >= line.length) break;
    at = words.length === 0 ? beforeCommand(line, at, words) : insideCommand(line, at, words);
  }
  return words;
}

/** Skips what may stand before the name of a command, or takes that name. `undefined` ends the search. */
function beforeCommand(line: string, at: number, words: string[]): number | undefined {
  const char = line.charAt(at);
  if (line.startsWith("((", at) || /^<<(?!<)/.test(line.slice(at, at + 3))) return undefined;
  if ("\n;&|()}`".includes(char)) return at + 1;
  if (char === "#") return endOfLine(line, at);
  const target = afterRedirect(line, at);
  if (target !== undefined) return skipWord(line, target);

  const word = readShellWord(line, at);
  const text = line.slice(at, word.end);
  if (keywords.has(text)) return word.end;
  if (assignment.test(text)) return line[word.end] === "(" ? skipGroup(line, word.end) : word.end;
  if (text.startsWith("[") || headers.has(text)) return skipHeader(line, word.end, headers.get(text) ?? 0);
  words.push(word.value);
  return declarations.has(text) ? undefined : word.end;
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

function skipBlanks(line: string, start: number): number {
  let at = start;
  while (at < line.length && (" \t\r".includes(line.charAt(at)) || isLineJoin(line, at))) {
    at += line[at] === "\\" ? 2 : 1;
  }
  return at;
}

function skipWord(line: string, at: number): number {
  return readShellWord(line, skipBlanks(line, at)).end;
}

/** A parenthesis that is never closed takes the rest of the line. */
function skipGroup(line: string, open: number): number {
  const close = closingParenthesis(line, open);
  return close === -1 ? line.length : close + 1;
}

/** Also takes the closing `]` of `[ a ]`, and of `for x in a b` the words up to the end of the statement. */
function skipHeader(line: string, start: number, count: number): number {
  let at = start;
  for (let i = 0; i < count; i++) at = skipWord(line, at);
  const from = skipBlanks(line, at);
  const { end } = readShellWord(line, from);
  const next = line.slice(from, end);
  if (next === "]" || next === "]]") return end;
  return count === 1 && next === "in" ? endOfStatement(line, end) : at;
}

function afterRedirect(line: string, at: number): number | undefined {
  redirect.lastIndex = at;
  return redirect.test(line) ? redirect.lastIndex : undefined;
}

function endOfLine(line: string, at: number): number {
  const end = line.indexOf("\n", at);
  return end === -1 ? line.length : end;
}

function endOfStatement(line: string, at: number): number {
  const length = line.slice(at).search(/[;\n]/);
  return length === -1 ? line.length : at + length;
}
