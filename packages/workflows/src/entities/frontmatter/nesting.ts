// A look at the text before the full parser recurses into it: ten thousand brackets cost microseconds, not a stack.

/** Far beyond any real file, and far below what overflows a stack. */
const DEEPEST_NESTING = 64;
/** `a: b: c` is a mistake that the parser takes for nesting; a quoted dialogue may have many colons, too. */
const MOST_COLONS_IN_A_LINE = 500;

const COMPACT_MARKS = /(?:[-?:][ \t]+)+/y;

/** The offset where the text nests too deep, or -1. Brackets inside strings count as well: it may refuse, not miss. */
export function findTooDeep(text: string): number {
  const indents: number[] = [];
  let brackets = 0;
  let lineStart = 0;
  while (lineStart < text.length) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    if (blockDepth(text.slice(lineStart, lineEnd), indents) > DEEPEST_NESTING) return lineStart;
    let colons = 0;
    for (let at = lineStart; at < lineEnd; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x5b /* [ */ || code === 0x7b /* { */) brackets += 1;
      else if (code === 0x5d /* ] */ || code === 0x7d /* } */) brackets -= brackets > 0 ? 1 : 0;
      else if (code === 0x3a /* : */) colons += 1;
      if (brackets > DEEPEST_NESTING || colons > MOST_COLONS_IN_A_LINE) return at;
    }
    lineStart = lineEnd + 1;
  }
  return -1;
}

/** How many block collections are open on this line. `indents` is the stack of the indentations that are open. */
function blockDepth(line: string, indents: number[]): number {
  const indent = line.search(/[^ ]/);
  if (indent === -1) return 0;
  while (indents.length > 0 && indents[indents.length - 1]! >= indent) indents.pop();
  indents.push(indent);
  COMPACT_MARKS.lastIndex = indent;
  const marks = COMPACT_MARKS.exec(line)?.[0] ?? "";
  return indents.length + marks.replaceAll(/[ \t]/g, "").length;
}
