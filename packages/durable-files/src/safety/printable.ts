/**
 * Text that is safe to print: control, format (bidirectional, invisible) and line-separating characters and halves of surrogate
 * pairs become `\u{…}`. File names, lock files and records come from anywhere, and a terminal obeys what it is shown.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}
