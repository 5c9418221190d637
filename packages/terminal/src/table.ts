import type { Page } from "./page.ts";
import { type Colour, painter } from "./paint.ts";
import { isPlainLine, safeLine } from "./safe-text.ts";
import { displayWidth, padEnd, truncate } from "./width.ts";

export interface Column {
  readonly title: string;
  /** How narrow it may become where lines are cut; absent if it must stay whole. The last column gives way first. */
  readonly least?: number;
}

/** Foreign text; it is made safe here. */
export type Cell = string | { readonly text: string; readonly colour: Colour };

const gap = 2;

/** Aligned lines under a line of titles. Where lines are cut, each row fits on one of them. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly Cell[])[], page: Page): string {
  const paint = painter(page.colour);
  const titles = columns.map(({ title }): Cell => ({ text: title, colour: "dim" }));
  const natural = columns.map(() => 0);
  /** `plain`: all texts are as wide as they are long. */
  const lines: { readonly cells: readonly Cell[]; readonly texts: readonly string[]; readonly plain: boolean }[] = [];
  // Loops in loops, as a long table is most of what a short command does: whatever is called for each row or cell a
  // runtime begins to compile, and that takes several times as long as the work itself.
  for (const cells of [titles, ...rows]) {
    let texts: string[] = [];
    for (const cell of cells) texts.push(typeof cell === "string" ? cell : cell.text);
    const plain = isPlainLine(texts.join(" "));
    if (!plain) texts = texts.map(safeLine);
    for (let at = 0; at < texts.length; at += 1) {
      const width = plain ? texts[at]!.length : displayWidth(texts[at]!);
      if (width > (natural[at] ?? 0)) natural[at] = width;
    }
    lines.push({ cells, texts, plain });
  }
  const widths = fit(columns, natural, page.columns);
  let drawn = "";
  for (const { cells, texts, plain } of lines) {
    let line = "";
    for (let at = 0; at < cells.length; at += 1) {
      const cell = cells[at]!;
      const width = widths[at]!;
      const text = texts[at]!;
      const shown = plain && text.length <= width ? text : truncate(text, width);
      const padded = plain ? shown.padEnd(width + gap) : padEnd(shown, width + gap);
      line += typeof cell === "string" ? padded : paint(cell.colour, shown) + padded.slice(shown.length);
    }
    drawn += `${line.trimEnd()}\n`;
  }
  return drawn;
}

/** Takes columns away from the last to the first until the line fits: down to what they need, then all of them. */
function fit(columns: readonly Column[], natural: readonly number[], available: number | undefined): readonly number[] {
  if (available === undefined) return natural;
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, gap * (columns.length - 1)) - available;
  const shrink = (at: number, least: number): void => {
    const width = widths[at] ?? 0;
    const taken = Math.max(0, Math.min(excess, width - least));
    widths[at] = width - taken;
    excess -= taken;
  };
  const last = columns.length - 1;
  for (let at = last; at >= 0; at -= 1) shrink(at, columns[at]?.least ?? Number.POSITIVE_INFINITY);
  for (let at = last; at > 0; at -= 1) shrink(at, columns[at]?.least === undefined ? Number.POSITIVE_INFINITY : 0);
  // The rest should stay whole but does not fit: cut the widest, which loses the least.
  while (excess > 0 && widths.some((width) => width > 0)) {
    const most = Math.max(...widths);
    shrink(widths.indexOf(most), most - 1);
  }
  return widths;
}
