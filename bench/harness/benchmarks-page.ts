/** Every result as one page, docs/benchmarks.md, with what we are behind in at its top. Pure. */
import { posix } from "node:path";
import { ratioWithSpread } from "./format.ts";
import { machineLine } from "./machine.ts";
import { markdown } from "./report.ts";
import { pairedRatio } from "./statistics.ts";
import type { Report, Row } from "./summary.ts";
import { verdictLine } from "./table.ts";

export interface BenchResults {
  readonly reports: readonly Report[];
  /** Results that are only a text, by the bench's name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Benches without results. */
  readonly unmeasured: readonly string[];
}

/**
 * What is measured for scale: it does less than the job, or is a part of ours. No program that does the whole job can be faster, so
 * being slower is not being behind.
 */
const forScale: readonly RegExp[] = [
  /, for scale$/,
  /^startup only$/,
  /^start, work /,
  /^read(?:, parse nothing| with promises)$/, // no parsing
  /^(?:node|bun) -e 0$/,
  /^a loop with await$/, // nothing is kept
  /^(?:stock|trivial plugin)$/, // OpenCode without a plugin, or with one that does nothing
  /^bare prompt$/, // what OpenCode itself needs
  /^writeFileSync$/, // loses the file in a power failure
  /^JSON\.parse \+ stringify$/, // loses comments and layout
  /^atomic entities$/, // ours
];

export function benchmarksPage({ reports, texts, unmeasured }: BenchResults): string {
  const isBusy = reports.filter(({ machine }) => machine.warnings.length > 0).map(({ title }) => title);
  const parts = [
    "<!-- Written by `npm run bench -- --report` from bench/results. -->",
    "# Benchmarks",
    "Each of our speed claims, measured beside named programs that do the same job. The programs of a bench take turns in one run. `npm run bench` measures again and writes this page; [bench/README.md](../bench/README.md) says how it measures, and what the columns mean.",
    "## Where we are behind",
    ...behind(reports),
    ...(isBusy.length === 0
      ? []
      : [
          `Other programs were running during these benches, so trust their ratios and CPU times, not their wall times: ${list(isBusy)}.`,
        ]),
    ...(unmeasured.length === 0
      ? []
      : [`These benches have no published results yet: ${list(unmeasured.map((name) => `\`${name}\``))}.`]),
    "## Claims",
    claims(reports),
    "## Machine and versions",
    versions(reports),
    ...reports.map((report) => below(markdown(report))),
    ...[...texts.values()].map((text) => below(text.trim())),
  ];
  return `${parts.join("\n\n")}\n`;
}

function behind(reports: readonly Report[]): string[] {
  const failed = reports.flatMap(({ title, groups }) =>
    groups.flatMap((group) =>
      group.verdicts
        .filter(({ holds }) => !holds)
        .map((verdict) => `- ${title}, ${group.title}: ${verdictLine(verdict).replace("does not hold: ", "")}`),
    ),
  );
  const faster = reports.flatMap(({ title, groups }) =>
    groups.flatMap((group) => {
      const peers = group.rows.filter(({ name, ours }) => !ours && !forScale.some((form) => form.test(name)));
      const own = group.rows.filter(({ ours }) => ours);
      return own.flatMap((row) => peers.flatMap((peer) => comparison(row, peer, [title, group.title]) ?? []));
    }),
  );
  return [
    failed.length === 0 ? "All of our claims hold." : `Our claims that do not hold:\n\n${failed.join("\n")}`,
    faster.length === 0
      ? "No program that does the same job is faster than ours."
      : `Programs that are faster than ours, by wall time or by CPU time (ours divided by theirs). The text of each bench below says what ours does that they do not:\n\n| bench | job | ours | faster | wall | CPU |\n|---|---|---|---|--:|--:|\n${faster.join("\n")}`,
  ];
}

/** A row of the table, if the other one is faster. */
function comparison(own: Row, peer: Row, [title, job]: readonly [string, string]): string | undefined {
  const hasCpu = own.cpuMs.median > 0 && peer.cpuMs.median > 0;
  const isFaster = peer.wallMs.median < own.wallMs.median || (hasCpu && peer.cpuMs.median < own.cpuMs.median);
  if (!isFaster) return undefined;
  const [wall, cpu] = (["wall", "cpu"] as const).map((metric) =>
    pairedRatio(own.byRound[metric], peer.byRound[metric]),
  );
  const cells = [title, job, own.name, peer.name, ratioWithSpread(wall), hasCpu ? ratioWithSpread(cpu) : "–"];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function claims(reports: readonly Report[]): string {
  const rows = reports.flatMap(({ title, groups }) => {
    const verdicts = groups.flatMap((group) => group.verdicts);
    const held = verdicts.filter(({ holds }) => holds).length;
    const shown = verdicts.length === 0 ? "none, for scale" : `${held} of ${verdicts.length}`;
    return [`| [${title}](#${anchor(title)}) | ${shown} |`];
  });
  return `| bench | claims that hold |\n|---|--:|\n${rows.join("\n")}`;
}

function versions(reports: readonly Report[]): string {
  const rows = reports.map((report) => {
    const { machine } = report;
    const load = `${machine.loadBefore.toFixed(1)} and ${machine.loadAfter.toFixed(1)}`;
    return `| ${report.title} | ${machineLine(machine)} | ${load} |`;
  });
  return `| bench | machine and versions | load before and after |\n|---|---|--:|\n${rows.join("\n")}`;
}

/** A report of its own becomes a part of the page: its headings are one deeper, and its links begin in another folder. */
function below(text: string): string {
  return text
    .replaceAll(/^(#+ )/gm, "#$1")
    .replaceAll(/(?<=\]\()(?!\w+:|#)[^)\s]+/g, (link) => posix.relative("docs", posix.join("bench/results", link)))
    .trim();
}

function list(words: readonly string[]): string {
  return words.join(", ");
}

/** As hosting sites make one from a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}
