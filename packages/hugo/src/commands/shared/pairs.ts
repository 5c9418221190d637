// Things and what is said about them, in two columns.
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter, withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";

/** All of its text is safe already. */
export interface Pair {
  /** Stands before the subject, and is as wide in all rows. */
  readonly lead: string;
  readonly subject: string;
  readonly subjectColour?: Colour;
  readonly text: string;
  /** Of the text. */
  readonly colour?: Colour;
}

/** A longer subject pushes its own text aside, and not that of all others. */
const widest = 60;
/** With less room than this beside its subject, a text goes below it. */
const leastText = 24;
const gap = 2;
const below = "    ";

/** Nothing is cut: who reads it may have to decide about the end of a line. */
export function formatPairs(pairs: readonly Pair[], page: Page, options: { readonly widest?: number } = {}): string {
  const most = options.widest ?? widest;
  const widths = pairs.map((pair) => displayWidth(pair.subject));
  const isBeside = (pair: Pair, width: number): boolean => roomBeside(pair, width, page) >= 0 && width <= most;
  const width = Math.max(0, ...widths.filter((own, at) => isBeside(pairs[at]!, own)));
  const paint = painter(page.colour);
  const lines = pairs.map((pair, at) => {
    const { subject, subjectColour, text, colour } = pair;
    const name = subjectColour === undefined ? subject : paint(subjectColour, subject);
    const words = colour === undefined ? text : text.replaceAll(/[^ ]+/g, (word) => paint(colour, word));
    const own = Math.max(roomBeside(pair, width, page) >= 0 ? width : 0, widths[at]!);
    if (roomBeside(pair, own, page) < 0) {
      return [
        paragraph(name, page, { lead: pair.lead, indent: below }),
        paragraph(words, page, { lead: below, indent: below }),
      ].join("");
    }
    const start = pair.lead + name + " ".repeat(own - widths[at]! + gap);
    return paragraph(words, page, { lead: start, indent: " ".repeat(displayWidth(withoutColour(start))) });
  });
  return lines.join("");
}

/** What is left of the least room that a text needs beside a subject of this width. */
function roomBeside({ lead, text }: Pair, width: number, { columns }: Page): number {
  if (columns === undefined) return 0;
  return columns - displayWidth(withoutColour(lead)) - width - gap - Math.min(displayWidth(text), leastText);
}
