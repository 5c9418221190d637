/** A plain document and the current line, which is never blank or a comment. */
export interface LineCursor {
  readonly text: string;
  /** Where the line starts. */
  at: number;
  /** Where it ends: at its newline, or with the text. */
  end: number;
  /** How many spaces it starts with; -1 after the last line. */
  indent: number;
}

const SPACE = 0x20;
const HASH = 0x23;
const NEWLINE = 0x0a;

/** Moves to the first line at or after `from`, the start of a line, that is neither blank nor a comment. */
export function moveTo(cursor: LineCursor, from: number): void {
  const { text } = cursor;
  const { length } = text;
  for (let at = from; at < length; at = endOfLine(text, at) + 1) {
    let first = at;
    let code = text.charCodeAt(first);
    while (code === SPACE) code = text.charCodeAt(++first);
    if (code !== NEWLINE && code !== HASH && first < length) {
      cursor.at = at;
      cursor.end = endOfLine(text, first);
      cursor.indent = first - at;
      return;
    }
  }
  cursor.indent = -1;
}

/** `indexOf` is native code; in a process that just started, a loop over characters would be interpreted. */
export function endOfLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline === -1 ? text.length : newline;
}

export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at += 1;
  return at;
}

/** Whether the rest of the line from `from` on has only spaces, or spaces and a comment. */
export function restIsBlank(text: string, from: number, end: number): boolean {
  if (from === end) return true;
  const at = skipSpaces(text, from);
  return at === end || (at > from && text.charCodeAt(at) === HASH);
}
