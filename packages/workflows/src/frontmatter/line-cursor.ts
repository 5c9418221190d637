/** The lines of a plain document, and the one that is being read. */
export interface LineCursor {
  readonly lines: readonly string[];
  at: number;
  /** How many spaces the current line starts with; -1 at the end. Set by `toContent`. */
  indent: number;
}

const FIRST_SIGN = /[^ ]/;

/** Moves over blank lines and comments to the next line that says something; "" at the end. */
export function toContent(cursor: LineCursor): string {
  const { lines } = cursor;
  for (; cursor.at < lines.length; cursor.at += 1) {
    const line = lines[cursor.at]!;
    const indent = indentOf(line);
    if (indent !== -1 && line[indent] !== "#") {
      cursor.indent = indent;
      return line;
    }
  }
  cursor.indent = -1;
  return "";
}

/** -1 for a line of only spaces. Searching is native code; a loop would run interpreted in a process that just started. */
export function indentOf(line: string): number {
  return line !== "" && line.charCodeAt(0) > 0x20 ? 0 : line.search(FIRST_SIGN);
}

export function skipSpaces(line: string, from: number): number {
  let at = from;
  while (line.charCodeAt(at) === 0x20) at += 1;
  return at;
}

/** True if nothing but spaces, or spaces and a comment, follows. */
export function restIsBlank(line: string, from: number): boolean {
  if (from === line.length) return true;
  const at = skipSpaces(line, from);
  return at === line.length || (line[at] === "#" && at > from);
}
