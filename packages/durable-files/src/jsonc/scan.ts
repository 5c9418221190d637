import { DurableError } from "../errors.ts";
import { placeOf } from "./position.ts";
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

export interface SyntaxProblem {
  /** Where the text stops making sense. */
  readonly offset: number;
  /** Completes "expected …"; left out when `message` says it all. */
  readonly expected?: string;
  /** Replaces "expected …, found …". */
  readonly message?: string;
  readonly hint?: string;
}

/** A cursor over JSONC text. Every reader moves past what it read or throws; none skips unknown text. */
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
    const { text, offset: start } = this;
    let end = start + 1;
    let escaped = false;
    for (;;) {
      const code = text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code >= SPACE && code !== BACKSLASH) end++;
      else if (code === BACKSLASH) {
        escaped = true;
        ESCAPE.lastIndex = end;
        const match = ESCAPE.exec(text);
        if (!match) {
          const message = 'invalid JSON escape: expected \\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hex digits';
          throw this.error({ offset: end, message, hint: 'Write a literal backslash as "\\\\".' });
        }
        end += match[0].length;
      } else if (Number.isNaN(code) || code === LF || code === CR) {
        const found = Number.isNaN(code) ? "the end of the file" : "the end of the line";
        const message = `this string is never closed: expected a double quote, found ${found}`;
        throw this.error({ offset: start, message, hint: "Close the string, or restore the file if it was cut off." });
      } else {
        const hex = code.toString(16).padStart(4, "0");
        const hint = code === TAB ? 'Write a tab in a string as "\\t".' : `Write it as "\\u${hex}", or delete it.`;
        throw this.error({ offset: end, expected: "a printable character in this string", hint });
      }
    }
    this.offset = end + 1;
    return escaped ? JSON.parse(text.slice(start, this.offset)) : text.slice(start + 1, end);
  }

  number(): number {
    const { text, offset } = this;
    NUMBER.lastIndex = offset;
    const match = NUMBER.exec(text);
    if (!match) throw this.error({ offset: offset + 1, expected: 'a digit after "-"' });
    const end = offset + match[0].length;
    if (text.charAt(end - 1) === "0" && /\d/.test(text.charAt(end))) {
      throw this.error({ offset: end, expected: "no digit after a leading 0", hint: "Remove the leading zero." });
    }
    if (/[\w$.+-]/.test(text.charAt(end))) {
      throw this.error({ offset: end, expected: "the number to end or continue with a digit" });
    }
    this.offset = end;
    return Number(match[0]);
  }

  /** `true`, `false` or `null`. */
  word(): boolean | null {
    WORD.lastIndex = this.offset;
    const text = WORD.exec(this.text)?.[0] ?? "";
    if (text !== "true" && text !== "false" && text !== "null") {
      throw this.error({ offset: this.offset, expected: "a value" });
    }
    this.offset += text.length;
    return text === "null" ? null : text === "true";
  }

  error({ offset, expected, message, hint }: SyntaxProblem): DurableError {
    const { text } = this;
    const at = placeOf(text, { start: offset }, this.file);
    const char = text.charAt(offset);
    // Name what was found so it is safe to print: no control or invisible character comes through raw.
    const code = text.codePointAt(offset);
    const word = /^[\w$.+-]{2,24}/.exec(text.slice(offset, offset + 24));
    let found = "the end of the file";
    if (code === LF || code === CR) found = "the end of the line";
    else if (word) found = `"${word[0]}"`;
    else if (code === QUOTE) found = "a string";
    else if (code !== undefined) {
      const whole = String.fromCodePoint(code);
      const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      if (code > 0x20 && code < 0x7f) found = `"${whole}"`;
      else found = /[\p{L}\p{N}\p{P}\p{S}]/u.test(whole) ? `"${whole}" (${point})` : point;
    }
    const what = message ?? `expected ${expected}, found ${found}`;
    let advice = "Fix the file at this position, then try again.";
    if (char === "")
      advice = "The file ends unexpectedly and may have been cut off. Complete it by hand or restore it.";
    else if (/['`\u2018-\u201f]/.test(char)) {
      advice = 'Use straight double quotes around strings and property names: "like this".';
    } else if (char === '"') advice = "You may be missing a comma or a colon before it.";
    return new DurableError("syntax", { message: `${at}: ${what}`, at, hint: hint ?? advice });
  }
}
