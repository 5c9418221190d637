import type { DurableError } from "../errors.ts";
import { type SyntaxProblem, syntaxError } from "./syntax-error.ts";
import type { Span } from "./tree.ts";

export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
const ASTERISK = 0x2a;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[\w$]+/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** A cursor over JSONC text. Every reader either moves past what it read or throws; none skips what it does not know. */
export class Scanner {
  readonly text: string;
  readonly file: string | undefined;
  /** The comments that `trivia` moved past. */
  readonly comments: Span[] = [];
  offset: number;

  constructor(text: string, file: string | undefined, offset: number) {
    this.text = text;
    this.file = file;
    this.offset = offset;
  }

  /** Code of the next character, NaN at the end of the text. */
  peek(): number {
    return this.text.charCodeAt(this.offset);
  }

  /** Moves past white space and comments. */
  trivia(): void {
    for (;;) {
      const code = this.peek();
      if (code === SPACE || code === TAB || code === LF || code === CR) this.offset++;
      else if (code !== SLASH) return;
      else {
        const start = this.offset;
        this.offset = this.commentEnd();
        this.comments.push({ start, end: this.offset });
      }
    }
  }

  /** Where the comment that starts here ends; a line comment ends before its line break. */
  commentEnd(): number {
    const { text, offset } = this;
    const second = text.charCodeAt(offset + 1);
    if (second === SLASH) {
      let end = offset + 2;
      for (let code = text.charCodeAt(end); end < text.length && code !== LF && code !== CR; )
        code = text.charCodeAt(++end);
      return end;
    }
    if (second !== ASTERISK) throw this.error({ offset, expected: 'a value or a comment ("//" or "/*")' });
    const close = text.indexOf("*/", offset + 2);
    if (close >= 0) return close + 2;
    const message = 'this comment is never closed: expected "*/", found the end of the file';
    throw this.error({ offset, message, hint: 'Close the comment with "*/", or restore the file if it was cut off.' });
  }

  string(): string {
    const start = this.offset;
    let end = start + 1;
    let escaped = false;
    for (;;) {
      const code = this.text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        escaped = true;
        end = this.escapeEnd(end);
      } else if (code >= SPACE) end++;
      else throw this.badString(start, end, code);
    }
    this.offset = end + 1;
    return escaped ? JSON.parse(this.text.slice(start, this.offset)) : this.text.slice(start + 1, end);
  }

  number(): number {
    NUMBER.lastIndex = this.offset;
    const match = NUMBER.exec(this.text);
    if (!match) throw this.error({ offset: this.offset + 1, expected: 'a digit after "-"' });
    const end = this.offset + match[0].length;
    if (/[\w$.+-]/.test(this.text.charAt(end))) throw this.badNumber(end);
    this.offset = end;
    return Number(match[0]);
  }

  word(): string {
    WORD.lastIndex = this.offset;
    return WORD.exec(this.text)?.[0] ?? "";
  }

  error(problem: SyntaxProblem): DurableError {
    return syntaxError(this.text, this.file, problem);
  }

  private escapeEnd(backslash: number): number {
    ESCAPE.lastIndex = backslash;
    const match = ESCAPE.exec(this.text);
    if (match) return backslash + match[0].length;
    const message = 'this is no escape of JSON: expected \\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hex digits';
    throw this.error({ offset: backslash, message, hint: 'Write a backslash itself as "\\\\".' });
  }

  private badString(start: number, end: number, code: number): DurableError {
    if (Number.isNaN(code) || code === LF || code === CR) {
      const found = Number.isNaN(code) ? "the end of the file" : "the end of the line";
      const message = `this string is never closed: expected a double quote, found ${found}`;
      return this.error({ offset: start, message, hint: "Close the string, or restore the file if it was cut off." });
    }
    const hex = code.toString(16).padStart(4, "0");
    const hint = code === TAB ? 'Write a tab in a string as "\\t".' : `Write it as "\\u${hex}", or delete it.`;
    return this.error({ offset: end, expected: "a printable character in this string", hint });
  }

  private badNumber(end: number): DurableError {
    const leadingZero = this.text.charAt(end - 1) === "0" && /\d/.test(this.text.charAt(end));
    if (!leadingZero) return this.error({ offset: end, expected: "the number to end or go on with a digit" });
    return this.error({ offset: end, expected: 'nothing or "." after a leading 0', hint: "Remove the leading zero." });
  }
}
