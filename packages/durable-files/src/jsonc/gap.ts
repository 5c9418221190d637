// A gap is the text between two neighbours in a container: bracket or member on the left, member or bracket on the
// right. All white space, comments and commas live in gaps, so who owns a comment is decided gap by gap.
import { COMMA, CR, LF, Scanner, SPACE, TAB } from "./scan.ts";
import { type ContainerNode, members, type Span } from "./tree.ts";

export interface GapToken extends Span {
  readonly kind: "blank" | "eol" | "line-comment" | "block-comment" | "comma";
}

export interface JsonGap extends Span {
  readonly tokens: readonly GapToken[];
  readonly comma: GapToken | undefined;
  /** Ends the line of the left neighbour. */
  readonly firstEol: GapToken | undefined;
  /** The comma is on the line of the left neighbour. */
  readonly commaOnLine: boolean;
  /** The comma is on a later line, where it begins the next member's line. */
  readonly commaFirst: boolean;
}

/** The gap before member `index`; the one at `members.length` reaches to the closing bracket. */
export function gapBefore(text: string, container: ContainerNode, index: number): JsonGap {
  const all = members(container);
  const start = index === 0 ? container.start + 1 : all[index - 1]!.end;
  const end = index === all.length ? container.end - 1 : all[index]!.start;
  const tokens: GapToken[] = [];
  const scanner = new Scanner(text, undefined, start);
  while (scanner.offset < end) {
    const from = scanner.offset;
    const code = scanner.peek();
    let kind: GapToken["kind"];
    if (code === SPACE || code === TAB) {
      kind = "blank";
      while (scanner.peek() === SPACE || scanner.peek() === TAB) scanner.offset++;
    } else if (code === LF || code === CR) {
      kind = "eol";
      scanner.offset += text.startsWith("\r\n", from) ? 2 : 1;
    } else if (code === COMMA) {
      kind = "comma";
      scanner.offset++;
    } else {
      kind = text.startsWith("//", from) ? "line-comment" : "block-comment";
      scanner.offset = scanner.commentEnd();
    }
    tokens.push({ kind, start: from, end: scanner.offset });
  }
  const comma = tokens.find((token) => token.kind === "comma");
  const firstEol = tokens.find((token) => token.kind === "eol");
  const commaOnLine = comma !== undefined && (firstEol === undefined || comma.start < firstEol.start);
  return { start, end, tokens, comma, firstEol, commaOnLine, commaFirst: comma !== undefined && !commaOnLine };
}

export function isComment({ kind }: GapToken): boolean {
  return kind === "line-comment" || kind === "block-comment";
}

export function isSpace({ kind }: GapToken): boolean {
  return kind === "blank" || kind === "eol";
}
