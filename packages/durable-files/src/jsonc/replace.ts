import type { Replacement } from "./change.ts";
import { hasOwnLine, indentOf, styleIn } from "./layout.ts";
import { printInline, printLines } from "./print.ts";
import type { Splice } from "./splice.ts";

/** Only the value changes: its key, its comma and the comments around it are not touched. */
export function replaceValue(text: string, { chain, target, value }: Replacement): Splice {
  const style = styleIn(text, chain);
  const printed = hasOwnLine(text, chain.at(-1), target)
    ? printLines(value, style, indentOf(text, target.start))
    : printInline(value, style);
  return { start: target.start, end: target.end, text: printed };
}
