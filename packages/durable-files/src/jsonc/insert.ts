// Where a new member can go. Each way to lay it out is a candidate, the best-looking first; the caller takes the first
// one that `removeMember` turns back into the identical text. Every list contains one that always does: it keeps each
// comment with its owner by the rules of remove.ts, regardless of the layout.
import { gapBefore, isComment, isSpace, type JsonGap } from "./gap.ts";
import { hasOwnLine, indentOf, printInline, printLines, styleIn } from "./layout.ts";
import { insertAt, type Splice } from "./splice.ts";
import { type ContainerNode, members } from "./tree.ts";
import type { JsonValue } from "./value.ts";

export interface Insertion {
  /** From the root to the container that gets the new member. */
  readonly chain: readonly ContainerNode[];
  readonly index: number;
  /** Undefined for an array item. */
  readonly key: string | undefined;
  readonly value: JsonValue;
}

export function insertionCandidates(text: string, { chain, index, key, value }: Insertion): readonly Splice[][] {
  const container = chain.at(-1)!;
  const all = members(container);
  const count = all.length;
  const gap = gapBefore(text, container, index);
  const { firstEol, comma } = gap;
  const style = styleIn(text, chain);
  const { separator } = style;
  // Indented like the member next to it, if that one does not share the opening bracket's line.
  const neighbour = all[Math.min(index, count - 1)];
  const isBelow = neighbour !== undefined && /[\n\r]/.test(text.slice(container.start, neighbour.start));
  const indent = isBelow ? indentOf(text, neighbour.start) : indentOf(text, container.start) + style.unit;
  const name = key === undefined ? "" : JSON.stringify(key) + style.colon;
  /** The member on one line. */
  const inline = name + printInline(value, style);
  /** The member on a line of its own, and the line break and indentation before it. */
  const block = name + printLines(value, style, indent);
  const newLine = style.eol + indent;
  const line = newLine + block;
  /** Behind everything that shares the line with the left neighbour. */
  const lineEnd = firstEol?.start ?? gap.tokens.findLast((token) => !isSpace(token))?.end ?? gap.start;

  if (count === 0 && gap.tokens.some(isComment)) {
    return [[firstEol ? insertAt(firstEol.start, line) : insertAt(lineEnd, separator + inline)]];
  }
  if (count === 0) {
    const space = text.slice(gap.start, gap.end);
    const bare = [insertAt(gap.start, inline)];
    if (space === "") {
      if (!hasOwnLine(text, chain.at(-2), container)) return [bare];
      const filled = key === undefined ? [value] : Object.fromEntries([[key, value]]);
      return [[insertAt(gap.start, printLines(filled, style, indentOf(text, container.start)).slice(1, -1))], bare];
    }
    if (!firstEol) return [[insertAt(gap.start, space + inline)], bare];
    // Brackets with one line break between them must not end up looking like `{}` filled: removal would leave `{}`.
    return [[insertAt(firstEol.start, line)], [insertAt(firstEol.start, style.eol + line)], bare];
  }

  // The existing comma is on a later line and stays there, so the new member brings its own on the line above.
  const separatedAbove = gap.commaFirst ? [insertAt(gap.start, ","), insertAt(firstEol!.start, line)] : undefined;
  if (index === count) {
    if (separatedAbove) return [separatedAbove];
    const onLine = comma ? [insertAt(lineEnd, `${line},`)] : [insertAt(gap.start, ","), insertAt(lineEnd, line)];
    const inLine = comma
      ? [insertAt(comma.end, `${separator}${inline},`)]
      : [insertAt(firstEol ? gap.start : lineEnd, `,${separator}${inline}`)];
    const model = gapBefore(text, container, count - 1);
    if (!model.firstEol) return [inLine, onLine];
    if (comma || !model.commaFirst) return [onLine, inLine];
    return [[insertAt(lineEnd, newLine + leadingComma(text, model) + block)], onLine, inLine];
  }
  if (index > 0) {
    if (separatedAbove) return [[insertAt(firstEol!.start, newLine + leadingComma(text, gap) + block)], separatedAbove];
    if (firstEol) return [[insertAt(firstEol.start, `${line},`)]];
    return [[insertAt(comma!.end, `${separator}${inline},`)]];
  }
  const plain = firstEol ? [insertAt(firstEol.start, `${line},`)] : [insertAt(gap.end, `${inline},${separator}`)];
  const model = count > 1 ? gapBefore(text, container, 1) : undefined;
  if (!model?.commaFirst) return [plain];
  const next = style.eol + indentOf(text, model.end) + leadingComma(text, model);
  return [[insertAt(gap.end, (firstEol ? block : inline) + next)], plain];
}

function leadingComma(text: string, { comma, end }: JsonGap): string {
  const blanks = text.slice(comma!.end, end);
  return `,${/^[ \t]*$/.test(blanks) ? blanks : " "}`;
}
