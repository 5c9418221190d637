import { added, duration, megabytes, ratioWithSpread } from "./format.ts";
import type { GroupSummary, Row, Verdict } from "./summary.ts";

interface Column {
  readonly head: string;
  readonly cell: (row: Row, isBaseline: boolean) => string;
}

/** Without what no contestant measured: it is 0 in every row. */
function columnsOf({ rows }: GroupSummary): readonly Column[] {
  const hasCpu = rows.some(({ cpuMs }) => cpuMs.max > 0);
  const ratioOf = (spread: Row["wallRatio"], isBaseline: boolean): string =>
    isBaseline ? "baseline" : ratioWithSpread(spread);
  const all: readonly (Column | false)[] = [
    { head: "contestant", cell: ({ name }) => name },
    { head: "wall", cell: ({ wallMs }) => duration(wallMs.median) },
    hasCpu && { head: "CPU", cell: ({ cpuMs }) => duration(cpuMs.median) },
    rows.some(({ rssBytes }) => rssBytes.max > 0) && { head: "peak RSS", cell: megabytes },
    { head: "wall ratio", cell: ({ wallRatio }, isBaseline) => ratioOf(wallRatio, isBaseline) },
    hasCpu && { head: "CPU ratio", cell: ({ cpuRatio }, isBaseline) => ratioOf(cpuRatio, isBaseline) },
    rows.some(({ cpuAdded }) => cpuAdded !== undefined) && {
      head: "CPU added",
      cell: ({ cpuAdded }) => (cpuAdded === undefined ? "" : added(cpuAdded)),
    },
  ];
  return all.filter((column) => column !== false);
}

/** Aligned for a terminal: names to the left, figures to the right. */
export function plainTable(group: GroupSummary): string {
  const columns = columnsOf(group);
  const lines = [columns.map(({ head }) => head), ...group.rows.map((row) => cells(row, columns, group.baseline))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((line) => line.map(align).join("  ").trimEnd()).join("\n");
}

export function markdownTable(group: GroupSummary): string {
  const columns = columnsOf(group);
  const lines = [columns.map(({ head }) => head), columns.map((_, column) => (column === 0 ? ":--" : "--:"))];
  const body = group.rows.map((row) => cells(row, columns, group.baseline).map((cell) => cell.replaceAll("|", "\\|")));
  return [...lines, ...body].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

export function verdictLine({ claim, measured, holds }: Verdict): string {
  return `${holds ? "holds" : "does not hold"}: ${claim} (measured ${ratioWithSpread(measured)})`;
}

function cells(row: Row, columns: readonly Column[], baseline: string): string[] {
  return columns.map(({ cell }) => cell(row, row.name === baseline));
}
