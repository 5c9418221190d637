// A gap is the text between two neighbours in a container: bracket or member on the left, member or bracket on the
// right. All white space, comments and commas live in gaps, so who owns a comment is decided gap by gap.
import { COMMA, CR, LF, Scanner, SPACE, TAB } from "./scan.ts";
import { type ContainerNode, members, type Span } from "./tree.ts";

export interface Token extends Span {
  readonly kind: "blank" | "eol" | "line-comment" | "block-comment" | "comma";
}

export interface Gap extends Span {
  readonly tokens: readonly Token[];
  readonly comma: Token | undefined;
  /** Ends the line of the left neighbour. */
  readonly firstEol: Token | undefined;
}

/** The gap before member `index`; the one at `members.length` reaches to the closing bracket. */
export function gapBefore(text: string, container: ContainerNode, index: number): Gap {
  const all = members(container);
  const start = index === 0 ? container.start + 1 : all[index - 1]!.end;
  const end = index === all.length ? container.end - 1 : all[index]!.start;
  const tokens = tokensBetween(text, start, end);
  const comma = tokens.find((token) => token.kind === "comma");
  const firstEol = tokens.find((token) => token.kind === "eol");
  return { start, end, tokens, comma, firstEol };
}

export function isComment(token: Token): boolean {
  return token.kind === "line-comment" || token.kind === "block-comment";
}

export function isSpace(token: Token): boolean {
  return token.kind === "blank" || token.kind === "eol";
}

/** The comma stands on the line of the left neighbour. */
export function commaOnLine({ comma, firstEol }: Gap): boolean {
  return comma !== undefined && (firstEol === undefined || comma.start < firstEol.start);
}

/** The tokens that share a line with the left neighbour. */
export function tokensOnLine({ tokens, firstEol }: Gap): readonly Token[] {
  return firstEol ? tokens.slice(0, tokens.indexOf(firstEol)) : tokens;
}

export function tokensBetween(text: string, start: number, end: number): readonly Token[] {
  const scanner = new Scanner(text, undefined, start);
  const tokens: Token[] = [];
  while (scanner.offset < end) {
    const from = scanner.offset;
    const kind = nextToken(scanner);
    tokens.push({ kind, start: from, end: scanner.offset });
  }
  return tokens;
}

function nextToken(scanner: Scanner): Token["kind"] {
  const code = scanner.peek();
  if (code === SPACE || code === TAB) {
    while (scanner.peek() === SPACE || scanner.peek() === TAB) scanner.offset++;
    return "blank";
  }
  if (code === LF || code === CR) {
    scanner.offset += scanner.text.startsWith("\r\n", scanner.offset) ? 2 : 1;
    return "eol";
  }
  if (code === COMMA) {
    scanner.offset++;
    return "comma";
  }
  const kind = scanner.text.startsWith("//", scanner.offset) ? "line-comment" : "block-comment";
  scanner.offset = scanner.commentEnd();
  return kind;
}
