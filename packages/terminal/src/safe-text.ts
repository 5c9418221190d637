import { escapeForTerminal } from "./hidden-characters.ts";

/**
 * Template for one line of text: the template itself is trusted; the values may come from a file and are escaped.
 *
 * @example
 * safe`"${name}" is not installed.`
 */
export function safe(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: strings }, ...values.map((value) => safeLine(String(value))));
}

/** Foreign text on one line: line breaks and tabs become spaces, whatever else cannot be seen becomes visible. */
export function safeLine(text: string): string {
  if (isPlainLine(text)) return text;
  return escapeForTerminal(text.replace(/[ \t\r\n]+/g, " ").trim(), { singleLine: true });
}

/** Visible ASCII with one space between words: nearly all text there is, safe as it is, and as wide as it is long. */
export function isPlainLine(text: string): boolean {
  return plainLine.test(text);
}

const plainLine = /^(?:[!-~]+(?: [!-~]+)*)?$/;
