import type { Page } from "./page.ts";
import { type Colour, painter } from "./paint.ts";
import { safeLine } from "./safe-text.ts";
import { displayWidth, padEnd, truncate } from "./width.ts";

export interface Column {
  readonly title: string;
  /** How narrow it may become where lines are cut; absent if it must stay whole. The last column gives way first. */
  readonly least?: number;
}

/** Foreign text; it is made safe here. */
export type Cell = string | { readonly text: string; readonly colour: Colour };

const gap = "  ";

/** Aligned lines under a line of titles. Where lines are cut, each row fits on one of them. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly Cell[])[], page: Page): string {
  const paint = painter(page.colour);
  const titles: readonly Cell[] = columns.map(({ title }) => ({ text: title, colour: "dim" }));
  const lines = [titles, ...rows].map((row) => row.map(safeCell));
  const widths = fit(columns, widest(columns, lines), page.columns);
  const drawn = lines.map((line) =>
    line.map(({ text, colour }, at) => {
      const width = widths[at] ?? 0;
      const shown = page.columns === undefined ? text : truncate(text, width);
      const padding = at === line.length - 1 ? "" : padEnd(shown, width).slice(shown.length);
      return (colour === undefined ? shown : paint(colour, shown)) + padding;
    }),
  );
  return drawn.map((cells) => `${cells.join(gap).trimEnd()}\n`).join("");
}

interface SafeCell {
  readonly text: string;
  readonly colour?: Colour;
}

function safeCell(cell: Cell): SafeCell {
  return typeof cell === "string" ? { text: safeLine(cell) } : { ...cell, text: safeLine(cell.text) };
}

function widest(columns: readonly Column[], lines: readonly (readonly SafeCell[])[]): number[] {
  return columns.map((_, at) => lines.reduce((width, line) => Math.max(width, displayWidth(line[at]?.text ?? "")), 0));
}

/** Takes columns away from the last to the first until the line fits: down to what they need, then down to nothing. */
function fit(columns: readonly Column[], natural: readonly number[], available: number | undefined): readonly number[] {
  if (available === undefined) return natural;
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (columns.length - 1)) - available;
  for (const leastOf of [({ least }: Column) => least ?? Number.POSITIVE_INFINITY, () => 0]) {
    for (let at = columns.length - 1; at >= 0 && excess > 0; at -= 1) {
      const column = columns[at];
      const width = widths[at] ?? 0;
      if (column === undefined) continue;
      const taken = Math.max(0, Math.min(excess, width - leastOf(column)));
      widths[at] = width - taken;
      excess -= taken;
    }
  }
  return widths;
}
