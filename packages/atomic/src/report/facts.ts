import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";

/** Something about an entity: a label of ours, a text that may be foreign, and how to show it. */
export type Fact = readonly [label: string, text: string, colour?: Colour];

const labelWidth = 11;
const indent = " ".repeat(labelWidth + 2);

/** A title, and below it the facts that there is something to say about. */
export function factSheet(type: string, name: string, facts: readonly Fact[], page: Page): string {
  const paint = painter(page.colour);
  const title = `${paint("dim", type)} ${paint("bold", safeLine(name))}\n`;
  return title + facts.flatMap((fact) => (fact[1] === "" ? [] : [factLine(fact, page)])).join("");
}

function factLine([label, text, colour]: Fact, page: Page): string {
  const paint = painter(page.colour);
  const shown = safeLine(text);
  const lead = `  ${paint("dim", label)}${" ".repeat(labelWidth - label.length)}`;
  return paragraph(colour === undefined ? shown : paint(colour, shown), page, { lead, indent });
}
