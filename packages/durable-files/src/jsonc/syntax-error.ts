import { DurableError } from "../errors.ts";
import { placeOf } from "./position.ts";

export interface SyntaxProblem {
  /** Where the text stops making sense. */
  readonly offset: number;
  /** Completes "expected …"; left out when `message` says it all. */
  readonly expected?: string;
  /** Replaces "expected …, found …". */
  readonly message?: string;
  readonly hint?: string;
}

export function syntaxError(text: string, file: string | undefined, problem: SyntaxProblem): DurableError {
  const at = placeOf(text, { start: problem.offset }, file);
  const what = problem.message ?? `expected ${problem.expected}, found ${describe(text, problem.offset)}`;
  return new DurableError("syntax", {
    message: `${at}: ${what}`,
    at,
    hint: problem.hint ?? hintFor(text, problem.offset),
  });
}

/** Names what stands at `offset` so that it is safe to print: no control or invisible character comes through raw. */
function describe(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  if (code === undefined) return "the end of the file";
  if (code === 0x0a || code === 0x0d) return "the end of the line";
  const word = /^[\w$.+-]{2,24}/.exec(text.slice(offset, offset + 24));
  if (word) return `"${word[0]}"`;
  const char = String.fromCodePoint(code);
  const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  if (code > 0x20 && code < 0x7f) return code === 0x22 ? "a string" : `"${char}"`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(char) ? `"${char}" (${point})` : point;
}

function hintFor(text: string, offset: number): string {
  const char = text.charAt(offset);
  if (char === "") return "The file ends too early, as if it had been cut off. Complete it by hand or restore it.";
  if (/['`\u2018-\u201f]/.test(char)) return 'Strings and names are written in plain double quotes: "like this".';
  if (char === '"') return "A comma or a colon may be missing before it.";
  return "Correct the file at this place and try again.";
}
