/** One finished bench as three files: JSON, Markdown and a picture. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { barChart } from "./chart.ts";
import { count } from "./format.ts";
import { machineLine } from "./machine.ts";
import type { Report } from "./summary.ts";
import { markdownTable, verdictLine } from "./table.ts";

/** Answers the names of the files. */
export async function writeReport(folder: string, report: Report): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${report.bench}.json`), stableJson(report));
  return [`${report.bench}.json`, ...(await writeViews(folder, report))];
}

/** What people read of it, without what was measured. */
export async function writeViews(folder: string, report: Report): Promise<string[]> {
  const texts = { md: markdown(report), svg: barChart(report) };
  const files = Object.entries(texts).map(([extension, text]) => ({ name: `${report.bench}.${extension}`, text }));
  for (const { name, text } of files) await writeFile(join(folder, name), text);
  return files.map(({ name }) => name);
}

/** Sorted keys and four significant digits, so a diff shows real changes and no floating-point noise. */
export function stableJson(value: unknown): string {
  const rounded = (_key: string, part: unknown) => {
    if (typeof part === "number" && !Number.isInteger(part)) return Number(part.toPrecision(4));
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  // No string holds a raw line break, so this joins lists of numbers only.
  const oneLine = (numbers: string) => numbers.replaceAll(/\s+/g, " ");
  return `${JSON.stringify(value, rounded, 2).replaceAll(/\[\n[-+\de.,\s]*\]/g, oneLine)}\n`;
}

export function markdown(report: Report): string {
  const groups = report.groups.flatMap((group) => [
    `## ${group.title}`,
    markdownTable(group),
    group.verdicts.map((verdict) => `- ${verdictLine(verdict)}`).join("\n"),
  ]);
  const picture = `![${report.title}](${report.bench}.svg)`;
  const warnings = report.machine.warnings.map((warning) => `> **Note:** ${warning}`);
  const parts = [`# ${report.title}`, report.about, picture, ...groups, method(report), ...warnings];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function method({ rounds, warmups, seed, machine }: Report): string {
  const load = `load average ${machine.loadBefore.toFixed(1)} before, ${machine.loadAfter.toFixed(1)} after`;
  const before = warmups === 0 ? "" : ` after ${count(warmups, "warm-up round")}`;
  const how = `Medians of ${count(rounds, "interleaved round")}${before}, in an order shuffled with seed ${seed}`;
  return `${how}. Ratios are paired by round: median (min–max). ${machineLine(machine)} · ${load}.`;
}
