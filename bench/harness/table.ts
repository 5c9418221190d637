import { duration, megabytes, ratioWithSpread } from "./format.ts";
import type { GroupSummary, Row, Verdict } from "./summary.ts";

const columns = ["contestant", "wall", "CPU", "peak RSS", "wall ratio", "CPU ratio"] as const;

/** Aligned for a terminal: names to the left, figures to the right. */
export function plainTable(group: GroupSummary): string {
  const lines = [columns, ...group.rows.map((row) => cells(row, group.baseline))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((line) => line.map(align).join("  ").trimEnd()).join("\n");
}

export function markdownTable(group: GroupSummary): string {
  const lines = [columns, columns.map((_, column) => (column === 0 ? ":--" : "--:"))];
  const body = group.rows.map((row) => cells(row, group.baseline).map((cell) => cell.replaceAll("|", "\\|")));
  return [...lines, ...body].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

export function verdictLine({ claim, measured, holds }: Verdict): string {
  return `${holds ? "holds" : "does not hold"}: ${claim} (measured ${ratioWithSpread(measured)})`;
}

function cells(row: Row, baseline: string): string[] {
  const isBaseline = row.name === baseline;
  return [
    row.name,
    duration(row.wallMs.median),
    duration(row.cpuMs.median),
    megabytes(row),
    isBaseline ? "baseline" : ratioWithSpread(row.wallRatio),
    isBaseline ? "baseline" : ratioWithSpread(row.cpuRatio),
  ];
}
