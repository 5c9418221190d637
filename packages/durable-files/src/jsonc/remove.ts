// What goes when a member goes: the member, the comments it owns, one comma, and the white space that made room for it.
//
// Who owns a comment:
// - on the line of a member, after it: that member (before the comma always; after the comma unless another member
//   follows on the line, then it belongs to that one);
// - on the line of the opening bracket: the container;
// - on lines of its own directly above a member: that member; a blank line in between sets it free.
import { type GapToken, gapBefore, isComment, isSpace, type JsonGap } from "./gap.ts";
import { cut, type Splice } from "./splice.ts";
import { type ContainerNode, type JsonNode, members, type Span } from "./tree.ts";

export function removeMember(text: string, container: ContainerNode, index: number): readonly Splice[] {
  const all = members(container);
  const member = all[index]!;
  const before = gapBefore(text, container, index);
  const after = gapBefore(text, container, index + 1);
  const isFirst = index === 0;
  const isLast = index === all.length - 1;
  // Nothing but one line break on both sides: the brackets of a single member, each on its own line, close up again without it.
  const isLoneLine = [before, after].every(
    ({ tokens }) => !tokens.some(isComment) && tokens.filter(isEol).length === 1,
  );
  if (isFirst && isLast && isLoneLine) return [cut(before.start, after.end)];

  const comma = after.comma && (after.commaOnLine || !before.comma) ? after.comma : before.comma;
  // Where the comments begin that the member owns above or before it.
  let { start } = member;
  if (before.firstEol) {
    let breaks = 0;
    for (let i = before.tokens.length - 1; before.tokens[i] !== before.firstEol; i--) {
      const token = before.tokens[i]!;
      if (token.kind === "eol" && ++breaks > 1) break;
      if (token.kind === "comma" && token !== comma) break;
      if (isSpace(token)) continue;
      start = token.start;
      breaks = 0;
    }
  } else if (before.comma) {
    const left = before.comma.start;
    start = before.tokens.find((token) => isComment(token) && token.start > left)?.start ?? start;
  }
  // The member owns the comments on its line; its comma on that line is part of it.
  const { tokens, firstEol } = after;
  const onLine = firstEol ? tokens.slice(0, tokens.indexOf(firstEol)) : tokens;
  const own = isLast || firstEol ? onLine : onLine.slice(0, onLine.indexOf(after.comma!) + 1);
  const end = own.findLast((token) => !isSpace(token))?.end ?? member.end;
  if (isFirst && !isLast && !after.commaOnLine && !tokens.slice(tokens.indexOf(firstEol!)).some(isComment)) {
    return [cut(start, after.end)];
  }

  const main = widen(before, after, { start, end }, isFirst, isLast);
  if (!comma || (comma.start >= main.start && comma.end <= main.end)) return [main];
  const around = comma === after.comma ? after.tokens : before.tokens;
  const left = spaceBefore(around, comma.start);
  if (!left.some(isEol)) return [main, cut(left[0]?.start ?? comma.start, comma.end)];
  // The comma begins a line: what follows it takes its place.
  const next = around[around.indexOf(comma) + 1];
  return [main, cut(comma.start, next?.kind === "blank" ? next.end : comma.end)];
}

/** The root goes together with the line break that ends its line. */
export function removeRoot(text: string, root: JsonNode): readonly Splice[] {
  const lineBreak = /^(?:\r?\n|\r)/.exec(text.slice(root.end, root.end + 2))?.[0] ?? "";
  return [cut(root.start, root.end + lineBreak.length)];
}

/** Adds the white space that goes with the block: its own line break, else the space on one side. */
function widen(before: JsonGap, after: JsonGap, block: Span, isFirst: boolean, isLast: boolean): Splice {
  const left = spaceBefore(before.tokens, block.start);
  const following = after.tokens.filter((token) => token.start >= block.end);
  const solid = following.findIndex((token) => !isSpace(token));
  const right = solid < 0 ? following : following.slice(0, solid);
  const lineBreak = isFirst && isLast ? left.find(isEol) : left.findLast(isEol);
  const lineGoesOn = !right.some(isEol);
  const closesNext = isLast && (right.at(-1)?.end ?? block.end) === after.end;
  if (lineGoesOn && !closesNext && (lineBreak || isFirst)) return cut(block.start, right.at(-1)?.end ?? block.end);
  if (!lineBreak) return cut(left[0]?.start ?? block.start, block.end);
  // The line break that ends a line comment must stay when nothing else would end it.
  const previous = before.tokens[before.tokens.indexOf(lineBreak) - 1];
  if (lineGoesOn && lineBreak === left[0] && previous?.kind === "line-comment") return cut(block.start, block.end);
  return cut(lineBreak.start, right.find(isEol)?.start ?? block.end);
}

function isEol({ kind }: GapToken): boolean {
  return kind === "eol";
}

function spaceBefore(tokens: readonly GapToken[], offset: number): readonly GapToken[] {
  const before = tokens.filter((token) => token.end <= offset);
  return before.slice(before.findLastIndex((token) => !isSpace(token)) + 1);
}
