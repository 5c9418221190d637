import { type Page, withRunner } from "./page.ts";
import { withoutColour } from "./paint.ts";
import { displayWidth, graphemesOf, truncate } from "./width.ts";

export interface Margins {
  /** Written before the first line. */
  readonly lead?: string;
  /** Written before all other lines. */
  readonly indent: string;
  /** Words that are longer than a line are broken, too. */
  readonly breakWords?: boolean;
}

/** Text of one line, broken at spaces where lines are cut, but not within a command in backticks. Ends its line. */
export function paragraph(written: string, page: Page, { lead = "", indent, breakWords = false }: Margins): string {
  const { columns, named } = page;
  const text = named === undefined ? written : withRunner(written, named.inTexts, page);
  if (columns === undefined) return `${lead}${text}\n`;
  const room = Math.max(1, columns - Math.max(widthOf(lead), indent.length));
  const words = wordsOf(text).flatMap((word) => {
    if (!breakWords || widthOf(word) <= room) return [word];
    // Pieces as wide as the room there is; the colours of a broken word are lost.
    const pieces: string[] = [];
    let left = withoutColour(word);
    while (displayWidth(left) > room) {
      // Longer than the available room, so it is cut even if the text is only a little wider.
      const piece = truncate(`${left}--`, room + 1).replace(/…$/, "") || left.slice(0, 1);
      pieces.push(piece);
      left = left.slice(piece.length);
    }
    return [...pieces, left];
  });
  const [first = "", ...rest] = words;
  let lines = lead + first;
  let width = widthOf(lines);
  for (const word of rest) {
    const longer = width + 1 + widthOf(word);
    const fits = longer <= columns;
    lines += fits ? ` ${word}` : `\n${indent}${word}`;
    width = fits ? longer : widthOf(indent + word);
  }
  return `${lines}\n`;
}

/** The prompt in front of a typed line, broken at spaces. It leaves at least one column to type in. */
export function promptText(written: string, page: Page, { indent }: Pick<Margins, "indent">): string {
  const [, lead = "", text = "", space = ""] = /^( *)([\s\S]*?)( *)$/.exec(written) ?? [];
  if (text === "") return written;
  const narrower = page.columns === undefined ? page : { ...page, columns: page.columns - space.length - 1 };
  return paragraph(text, narrower, { lead, indent }).trimEnd() + space;
}

/**
 * Painted lines, none of them wider than the columns: what does not fit continues on the next line. For places that cut lines
 * off, where you would agree to what you cannot see.
 */
export function foldLines(text: string, columns: number): string {
  const fold = (line: string): string => {
    if (widthOf(line) <= columns) return line;
    let [folded, width] = ["", 0];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    for (const [part] of line.matchAll(/\x1b\[\d+m|[^\x1b]+/g)) {
      const isColour = part.startsWith("\x1b");
      for (const grapheme of isColour ? [part] : graphemesOf(part)) {
        const more = isColour ? 0 : displayWidth(grapheme);
        if (width > 0 && width + more > columns) [folded, width] = [`${folded}\n`, 0];
        folded += grapheme;
        width += more;
      }
    }
    return folded;
  };
  return text.split("\n").map(fold).join("\n");
}

/** A command in backticks is one word: broken lines could not be pasted into a shell. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let open: string[] = [];
  for (const word of text.split(" ")) {
    const isToggled = word.split("`").length % 2 === 0;
    if (open.length > 0) open.push(word);
    else if (isToggled) open = [word];
    else words.push(word);
    if (open.length < 2 || !isToggled) continue;
    words.push(open.join(" "));
    open = [];
  }
  // A single backtick opens nothing.
  return [...words, ...open];
}

function widthOf(text: string): number {
  return displayWidth(withoutColour(text));
}
