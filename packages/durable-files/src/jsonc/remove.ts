// What goes when a member goes: the member, the comments it owns, one comma, and the white space that made room for it.
//
// Who owns a comment:
// - on the line of a member, after it: that member (before the comma always; after the comma unless another member
//   follows on the line, then it belongs to that one);
// - on the line of the opening bracket: the container;
// - on lines of its own directly above a member: that member; a blank line in between sets it free.
import {
  commaOnLine,
  type Gap,
  gapBefore,
  isComment,
  isSpace,
  type Token,
  tokensBetween,
  tokensOnLine,
} from "./gap.ts";
import { cut, type Splice } from "./splice.ts";
import { type ContainerNode, type JsonNode, members, type Span } from "./tree.ts";

export function removeMember(text: string, container: ContainerNode, index: number): readonly Splice[] {
  const all = members(container);
  const member = all[index]!;
  const before = gapBefore(text, container, index);
  const after = gapBefore(text, container, index + 1);
  const isFirst = index === 0;
  const isLast = index === all.length - 1;
  if (isFirst && isLast && isLoneLine(before) && isLoneLine(after)) return [cut(before.start, after.end)];

  const comma = after.comma && (commaOnLine(after) || !before.comma) ? after.comma : before.comma;
  const start = blockStart(before, member, comma);
  const end = blockEnd(after, member, isLast);
  if (isFirst && !isLast && !commaOnLine(after) && !commentBelow(after)) return [cut(start, after.end)];

  const main = widen(before, after, { start, end }, isFirst, isLast);
  if (!comma || (comma.start >= main.start && comma.end <= main.end)) return [main];
  return [main, cutComma(comma, comma === after.comma ? after : before)];
}

/** The root goes together with the line break that ends its line. */
export function removeRoot(text: string, root: JsonNode): readonly Splice[] {
  const next = tokensBetween(text, root.end, text.length)[0];
  return [cut(root.start, next?.kind === "eol" ? next.end : root.end)];
}

/** Nothing but one line break: the brackets of a single member, each on its own line, close up again without it. */
function isLoneLine({ tokens }: Gap): boolean {
  return !tokens.some(isComment) && tokens.filter((token) => token.kind === "eol").length === 1;
}

/** Where the comments begin that the member owns above or before it. */
function blockStart(before: Gap, member: Span, comma: Token | undefined): number {
  const { tokens, firstEol } = before;
  if (!firstEol) {
    const own = tokens.find((token) => isComment(token) && before.comma && token.start > before.comma.start);
    return own?.start ?? member.start;
  }
  let start = member.start;
  let breaks = 0;
  for (let i = tokens.length - 1; tokens[i] !== firstEol; i--) {
    const token = tokens[i]!;
    if (token.kind === "eol" && ++breaks > 1) break;
    if (token.kind === "comma" && token !== comma) break;
    if (isSpace(token)) continue;
    start = token.start;
    breaks = 0;
  }
  return start;
}

/** Where the comments end that the member owns on its line; its comma on that line is part of it. */
function blockEnd(after: Gap, member: Span, isLast: boolean): number {
  const onLine = tokensOnLine(after);
  const own = isLast || after.firstEol ? onLine : onLine.slice(0, onLine.indexOf(after.comma!) + 1);
  return own.findLast((token) => !isSpace(token))?.end ?? member.end;
}

function commentBelow({ tokens, firstEol }: Gap): boolean {
  return tokens.slice(tokens.indexOf(firstEol!)).some(isComment);
}

/** Adds the white space that goes with the block: its own line break, else the space on one side. */
function widen(before: Gap, after: Gap, block: Span, isFirst: boolean, isLast: boolean): Splice {
  const left = spaceBefore(before.tokens, block.start);
  const right = spaceAfter(after.tokens, block.end);
  const lineBreak = isFirst && isLast ? left.find(isEol) : left.findLast(isEol);
  const lineGoesOn = !right.some(isEol);
  const closesNext = isLast && (right.at(-1)?.end ?? block.end) === after.end;
  if (lineGoesOn && !closesNext && (lineBreak || isFirst)) return cut(block.start, right.at(-1)?.end ?? block.end);
  if (!lineBreak) return cut(left[0]?.start ?? block.start, block.end);
  // The line break that ends a line comment must stay when nothing else would end it.
  const endsComment = lineBreak === left[0] && tokenBefore(before.tokens, lineBreak)?.kind === "line-comment";
  if (lineGoesOn && endsComment) return cut(block.start, block.end);
  return cut(lineBreak.start, right.find(isEol)?.start ?? block.end);
}

function cutComma(comma: Token, { tokens }: Gap): Splice {
  const left = spaceBefore(tokens, comma.start);
  if (!left.some(isEol)) return cut(left[0]?.start ?? comma.start, comma.end);
  // The comma begins a line: what follows it takes its place.
  const next = tokens[tokens.indexOf(comma) + 1];
  return cut(comma.start, next?.kind === "blank" ? next.end : comma.end);
}

function tokenBefore(tokens: readonly Token[], token: Token): Token | undefined {
  return tokens[tokens.indexOf(token) - 1];
}

function isEol(token: Token): boolean {
  return token.kind === "eol";
}

function spaceBefore(tokens: readonly Token[], offset: number): readonly Token[] {
  const before = tokens.filter((token) => token.end <= offset);
  return before.slice(before.findLastIndex((token) => !isSpace(token)) + 1);
}

function spaceAfter(tokens: readonly Token[], offset: number): readonly Token[] {
  const after = tokens.filter((token) => token.start >= offset);
  const end = after.findIndex((token) => !isSpace(token));
  return end < 0 ? after : after.slice(0, end);
}
