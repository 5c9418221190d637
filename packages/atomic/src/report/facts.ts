import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";

/** A fact about an entity or a run: our label, a text that may be foreign, and its color. */
export type Fact = readonly [label: string, text: string, colour?: Colour];

const labelWidth = 11;
const indent = " ".repeat(labelWidth + 2);

/** A title, followed by the facts that are not empty. */
export function factSheet(type: string, name: string, facts: readonly Fact[], page: Page): string {
  const paint = painter(page.colour);
  const title = `${paint("dim", type)} ${paint("bold", safeLine(name))}\n`;
  const lines = facts.map(([label, text, colour]) => {
    if (text === "") return "";
    const shown = safeLine(text);
    const lead = `  ${paint("dim", label)}${" ".repeat(labelWidth - label.length)}`;
    return paragraph(colour === undefined ? shown : paint(colour, shown), page, { lead, indent });
  });
  return title + lines.join("");
}
