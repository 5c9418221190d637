/** A bar chart as SVG text: no dependency, readable on a light and on a dark page. */
import { duration, ratio } from "./format.ts";
import { machineLine } from "./machine.ts";
import type { GroupSummary, Report, Row } from "./summary.ts";

const width = 780;
const margin = 28;
const rowHeight = 40;
const valueWidth = 190;
const font = "ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

const style = `
  text { font-family: ${font}; font-size: 13px; fill: #1f2328 }
  .card { fill: #ffffff; stroke: #d1d9e0 }
  .title { font-size: 18px; font-weight: 600 }
  .group { font-size: 14px; font-weight: 600 }
  .quiet { font-size: 12px; fill: #59636e }
  .strong { font-weight: 600 }
  .axis { stroke: #d1d9e0 }
  .peer { fill: #8c98a8 }
  .ours { fill: #0b7a75 }
  .cpu { opacity: .45 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .card { fill: #0d1117; stroke: #3d444d }
    .quiet { fill: #9198a1 }
    .axis { stroke: #3d444d }
    .peer { fill: #7d8897 }
    .ours { fill: #2bb8ad }
    .cpu { opacity: .6 }
  }`;

export function barChart(report: Report): string {
  const rows = report.groups.flatMap((group) => group.rows);
  const longest = Math.max(...rows.map((row) => row.name.length));
  const left = margin + Math.min(Math.max(longest * 8, 60), 280) + 12;
  const body: string[] = [];
  let y = 46;
  body.push(text(margin, y, "title", report.title));
  y += 22;
  body.push(text(margin, y, "quiet", `Median of ${report.rounds} interleaved rounds. Shorter is better.`));
  for (const group of report.groups) {
    y += 40;
    body.push(text(margin, y, "group", `${group.title}${isLogarithmic(group) ? " (logarithmic scale)" : ""}`));
    y += 14;
    body.push(...groupBars(group, left, y));
    y += group.rows.length * rowHeight;
  }
  y += 26;
  body.push(
    legend(
      y,
      rows.some((row) => row.ours),
    ),
    text(margin, y + 24, "quiet", machineLine(report.machine)),
  );
  return frame(report.title, y + 48, body);
}

function groupBars(group: GroupSummary, left: number, top: number): string[] {
  const scale = barScale(group, width - margin - valueWidth - left);
  const axis = `<line class="axis" x1="${left}" x2="${left}" y1="${top}" y2="${top + group.rows.length * rowHeight}"/>`;
  return [axis, ...group.rows.flatMap((row, index) => rowBars(row, group, scale, left, top + index * rowHeight))];
}

function rowBars(row: Row, group: GroupSummary, scale: (ms: number) => number, left: number, top: number): string[] {
  const colour = row.ours ? "ours" : "peer";
  const wall = scale(row.wallMs.median);
  const cpu = scale(row.cpuMs.median);
  const compared = row.name === group.baseline ? "baseline" : row.wallRatio ? ratio(row.wallRatio.median) : "";
  const value = `<tspan class="strong">${duration(row.wallMs.median)}</tspan>  ${compared}`;
  const beside = left + Math.max(wall, cpu) + 9;
  return [
    `<text x="${left - 12}" y="${top + 24}" text-anchor="end">${escapeXml(row.name)}</text>`,
    `<rect class="${colour}" x="${left}" y="${top + 7}" width="${fixed(wall)}" height="16" rx="2"/>`,
    `<text x="${fixed(beside)}" y="${top + 20}" xml:space="preserve">${value}</text>`,
    // Where CPU time was not measured, it is 0.
    ...(row.cpuMs.max > 0
      ? [
          `<rect class="${colour} cpu" x="${left}" y="${top + 25}" width="${fixed(cpu)}" height="7" rx="2"/>`,
          text(beside, top + 33, "quiet", `CPU ${duration(row.cpuMs.median)}`),
        ]
      : []),
  ];
}

/** Far apart values would leave nothing to see of the small ones on a linear scale. */
function isLogarithmic(group: GroupSummary): boolean {
  const values = times(group);
  return Math.max(...values) > 40 * Math.min(...values);
}

function barScale(group: GroupSummary, length: number): (ms: number) => number {
  const longest = Math.max(...times(group));
  if (!isLogarithmic(group)) return (ms) => Math.max((ms / longest) * length, 1);
  const decade = 10 ** Math.floor(Math.log10(Math.min(...times(group))));
  return (ms) => Math.max((Math.log(ms / decade) / Math.log(longest / decade)) * length, 1);
}

function times(group: GroupSummary): number[] {
  return group.rows.flatMap((row) => [row.wallMs.median, row.cpuMs.median]).filter((ms) => ms > 0);
}

function legend(y: number, hasOurs: boolean): string {
  const swatch = (x: number, colour: string, height: number, label: string) =>
    `<rect class="${colour}" x="${x}" y="${y - 4 - height / 2}" width="22" height="${height}" rx="2"/>` +
    text(x + 30, y, "quiet", label);
  const times =
    swatch(margin, "peer", 12, "wall time") + swatch(margin + 110, "peer cpu", 7, "CPU time, user + system");
  return times + (hasOurs ? swatch(margin + 320, "ours", 12, "this project") : "");
}

function frame(title: string, height: number, body: readonly string[]): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const card = `<rect class="card" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`;
  return `${[open, `<title>${escapeXml(title)}</title>`, `<style>${style}\n</style>`, card, ...body, "</svg>"].join("\n")}\n`;
}

function text(x: number, y: number, kind: string, content: string): string {
  return `<text class="${kind}" x="${fixed(x)}" y="${y}">${escapeXml(content)}</text>`;
}

function fixed(value: number): string {
  return String(Number(value.toFixed(1)));
}

function escapeXml(value: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  // Control characters cannot be written in XML 1.0 at all, not even as entities.
  return value.replace(/[&<>"]/g, (char) => entities[char]!).replace(/[^\P{Cc}\t\n]/gu, "�");
}
