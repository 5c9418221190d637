// Where a new member can go. Each way to lay it out is a candidate, the best-looking first; the caller takes the first
// one that `removeMember` turns back into the very same text. Every list holds one that always does: it keeps each
// comment with its owner by the rules of remove.ts, whatever the layout.
import { commaOnLine, type Gap, gapBefore, isComment, isSpace } from "./gap.ts";
import { hasOwnLine, indentOf, memberIndent, styleIn } from "./layout.ts";
import { printInline, printLines, type Style } from "./print.ts";
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

type Candidate = readonly Splice[];

interface Site {
  readonly text: string;
  readonly container: ContainerNode;
  /** The gap that receives the member. */
  readonly gap: Gap;
  readonly style: Style;
  /** The member on one line. */
  readonly inline: string;
  /** The member as it stands on a line of its own. */
  readonly block: string;
  /** Line break, indentation, then `block`; a leading comma goes between the last two. */
  readonly line: (leadingComma?: string) => string;
}

export function insertionCandidates(text: string, insertion: Insertion): readonly Candidate[] {
  const { chain, index } = insertion;
  const count = members(chain.at(-1)!).length;
  const site = siteOf(text, insertion);
  if (count === 0) return site.gap.tokens.some(isComment) ? amongComments(site) : intoEmpty(site, insertion);
  if (index === count) return append(site, count);
  return index === 0 ? prepend(site, count) : between(site);
}

/** For a text that holds no value yet: below what is there, or above a last comment that no line break ends. */
export function rootCandidates(text: string, value: JsonValue): readonly Candidate[] {
  const style = styleIn(text, []);
  const printed = printLines(value, style, "") + style.eol;
  const top = text.startsWith("\ufeff") ? 1 : 0;
  const below = insertAt(text.length, printed);
  return /^\ufeff?$|[\n\r]$/.test(text) ? [[below], [insertAt(top, printed)]] : [[insertAt(top, printed)]];
}

function siteOf(text: string, { chain, index, key, value }: Insertion): Site {
  const container = chain.at(-1)!;
  const neighbour = Math.min(index, members(container).length - 1);
  const style = styleIn(text, chain);
  const indent = memberIndent(text, container, neighbour, style.unit);
  const name = key === undefined ? "" : JSON.stringify(key) + style.colon;
  const block = name + printLines(value, style, indent);
  const line = (leadingComma = "") => style.eol + indent + leadingComma + block;
  return {
    text,
    container,
    gap: gapBefore(text, container, index),
    style,
    inline: name + printInline(value, style),
    block,
    line,
  };
}

function intoEmpty({ text, container, gap, style, inline, line }: Site, { chain, key, value }: Insertion): Candidate[] {
  const space = text.slice(gap.start, gap.end);
  const bare = [insertAt(gap.start, inline)];
  if (space === "") {
    if (!hasOwnLine(text, chain.at(-2), container)) return [bare];
    const filled = key === undefined ? [value] : Object.fromEntries([[key, value]]);
    return [[insertAt(gap.start, printLines(filled, style, indentOf(text, container.start)).slice(1, -1))], bare];
  }
  if (!gap.firstEol) return [[insertAt(gap.start, space + inline)], bare];
  // Brackets with one line break between them must not end up looking like `{}` filled: removal would leave `{}`.
  return [[insertAt(gap.firstEol.start, line())], [insertAt(gap.firstEol.start, style.eol + line())], bare];
}

function amongComments({ gap, style, inline, line }: Site): Candidate[] {
  if (gap.firstEol) return [[insertAt(gap.firstEol.start, line())]];
  return [[insertAt(lineEnd(gap), style.separator + inline)]];
}

function append(site: Site, count: number): Candidate[] {
  const { text, container, gap, style, inline, line } = site;
  if (isCommaFirst(gap)) return [separatedAbove(site)];
  const onLine = gap.comma
    ? [insertAt(lineEnd(gap), `${line()},`)]
    : [insertAt(gap.start, ","), insertAt(lineEnd(gap), line())];
  const inLine = gap.comma
    ? [insertAt(gap.comma.end, `${style.separator}${inline},`)]
    : [insertAt(gap.firstEol ? gap.start : lineEnd(gap), `,${style.separator}${inline}`)];
  const model = gapBefore(text, container, count - 1);
  if (!model.firstEol) return [inLine, onLine];
  if (gap.comma || !isCommaFirst(model)) return [onLine, inLine];
  return [[insertAt(lineEnd(gap), line(leadingComma(text, model)))], onLine, inLine];
}

function between(site: Site): Candidate[] {
  const { text, gap, style, inline, line } = site;
  if (isCommaFirst(gap)) return [[insertAt(gap.firstEol!.start, line(leadingComma(text, gap)))], separatedAbove(site)];
  if (gap.firstEol) return [[insertAt(gap.firstEol.start, `${line()},`)]];
  return [[insertAt(gap.comma!.end, `${style.separator}${inline},`)]];
}

function prepend({ text, container, gap, style, inline, block, line }: Site, count: number): Candidate[] {
  const plain = gap.firstEol
    ? [insertAt(gap.firstEol.start, `${line()},`)]
    : [insertAt(gap.end, `${inline},${style.separator}`)];
  const model = count > 1 ? gapBefore(text, container, 1) : undefined;
  if (!model || !isCommaFirst(model)) return [plain];
  const next = style.eol + indentOf(text, model.end) + leadingComma(text, model);
  return [[insertAt(gap.end, (gap.firstEol ? block : inline) + next)], plain];
}

/** The existing comma stands on a later line and stays there, so the new member brings its own on the line above. */
function separatedAbove({ gap, line }: Site): Candidate {
  return [insertAt(gap.start, ","), insertAt(gap.firstEol!.start, line())];
}

/** Behind everything that shares the line with the left neighbour. */
function lineEnd(gap: Gap): number {
  return gap.firstEol?.start ?? gap.tokens.findLast((token) => !isSpace(token))?.end ?? gap.start;
}

function isCommaFirst(gap: Gap): boolean {
  return gap.comma !== undefined && !commaOnLine(gap);
}

function leadingComma(text: string, { comma, end }: Gap): string {
  const blanks = text.slice(comma!.end, end);
  return `,${/^[ \t]*$/.test(blanks) ? blanks : " "}`;
}
