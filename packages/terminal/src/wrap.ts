import type { Page } from "./page.ts";
import { withoutColour } from "./paint.ts";
import { displayWidth } from "./width.ts";

export interface Margins {
  /** Stands before the first line. */
  readonly lead?: string;
  /** Stands before all other lines. */
  readonly indent: string;
}

/** Text of one line, broken at spaces where lines are cut. Ends its line. */
export function paragraph(text: string, page: Page, { lead = "", indent }: Margins): string {
  if (page.columns === undefined) return `${lead}${text}\n`;
  const [first = "", ...rest] = text.split(" ");
  let lines = lead + first;
  let width = widthOf(lines);
  for (const word of rest) {
    const longer = width + 1 + widthOf(word);
    const fits = longer <= page.columns;
    lines += fits ? ` ${word}` : `\n${indent}${word}`;
    width = fits ? longer : widthOf(indent + word);
  }
  return `${lines}\n`;
}

function widthOf(text: string): number {
  return displayWidth(withoutColour(text));
}
