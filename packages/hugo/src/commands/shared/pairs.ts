// Subjects and their descriptions, in two columns.
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter, withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";

/** Its text is already escaped. */
export interface Pair {
  /** Comes before the subject, and is equally wide in all rows. */
  readonly lead: string;
  readonly subject: string;
  readonly subjectColour?: Colour;
  readonly text: string;
  /** The text's color. */
  readonly colour?: Colour;
}

/** A longer subject shifts only its own text, not all others. */
const widest = 60;
/** With less room than this next to its subject, a text goes below it. */
const leastText = 24;
const gap = 2;
const below = "    ";

/** Nothing is truncated: the end of a line may matter for a decision. */
export function formatPairs(pairs: readonly Pair[], page: Page, options: { readonly widest?: number } = {}): string {
  const most = options.widest ?? widest;
  const widths = pairs.map((pair) => displayWidth(pair.subject));
  const fitting = widths.filter((own, at) => own <= most && roomBeside(pairs[at]!, own, page) >= 0);
  const width = Math.max(0, ...fitting);
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

/** The room left next to a subject of this width, beyond the least that the text needs. */
function roomBeside({ lead, text }: Pair, width: number, { columns }: Page): number {
  if (columns === undefined) return 0;
  return columns - displayWidth(withoutColour(lead)) - width - gap - Math.min(displayWidth(text), leastText);
}
