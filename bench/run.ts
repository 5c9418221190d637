/** `npm run bench [-- name…]`: runs the benches of this folder, shows and writes what they measured. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Bench } from "./harness/bench.ts";
import { benchmarksPage } from "./harness/benchmarks-page.ts";
import { describeMachine, loadAverage, machineLine } from "./harness/machine.ts";
import { writeReport, writeViews } from "./harness/report.ts";
import { type LoadedBench, type OnProgress, type RunOptions, roundName, runGroup } from "./harness/rounds.ts";
import { ContestantFailure } from "./harness/sample.ts";
import { type GroupSummary, type Report, summarize } from "./harness/summary.ts";
import { plainTable, verdictLine } from "./harness/table.ts";

const usage = `npm run bench [-- name… options]

  name…           benches to run, as in bench/<name>.bench.ts, or run-steps; default: all
  --report        measure nothing: write docs/benchmarks.md, texts and pictures from the results that are there
  --rounds <n>    measured rounds (default: what the bench says, else 10)
  --quick         3 rounds, short loops, and nothing is written: to see whether a bench works
  --strict        exit with 1 when a claimed ratio does not hold
  --seed <n>      seed of the order of contestants (default 1)
  --out <folder>  where results are written (default: results/ beside the benches)
  --dir <folder>  where benches are found (default: bench/)`;

const flagTypes = {
  rounds: { type: "string" },
  seed: { type: "string", default: "1" },
  quick: { type: "boolean", default: false },
  strict: { type: "boolean", default: false },
  report: { type: "boolean", default: false },
  out: { type: "string" },
  dir: { type: "string", default: import.meta.dirname },
  help: { type: "boolean", default: false },
} as const;

type Flags = ReturnType<typeof readFlags>["values"];

class UsageError extends Error {}

const suffix = ".bench.ts";
/** A program of its own, because it installs other people's engines, which measure themselves. */
const programs: readonly string[] = ["run-steps"];
const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupt.abort());

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    const exitCode = interrupt.signal.aborted ? 130 : error instanceof UsageError ? 2 : 1;
    if (exitCode === 1) throw error;
    process.stderr.write(exitCode === 130 ? "\nInterrupted.\n" : `${(error as Error).message}\n`);
    process.exitCode = exitCode;
  }
}

async function main(args: string[]): Promise<number> {
  const { values: flags, positionals } = readFlags(args);
  if (flags.help) return print(usage);
  if (flags.report) return await report();
  const folder = resolve(flags.dir);
  const files = await filesOf(folder);
  const ownNames = programs.filter((name) => files.includes(`${name}.ts`));
  const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name);
  const rest = positionals.filter((name) => !ownNames.includes(name));
  let exitCode = 0;
  const benches = positionals.length > 0 && rest.length === 0 ? [] : await loadBenches(folder, rest, ownNames);
  for (const bench of benches) exitCode = Math.max(exitCode, await runBench(bench, flags));
  for (const name of ownNames.filter(isWanted)) exitCode = Math.max(exitCode, await runProgram(folder, name, flags));
  const isForTheRecord = !flags.quick && flags.out === undefined && folder === import.meta.dirname;
  return isForTheRecord ? Math.max(exitCode, await report()) : exitCode;
}

/** If it fails, that is reported, and the page is still written. */
async function runProgram(folder: string, name: string, flags: Flags): Promise<number> {
  print(`${name}: ${name}.ts`);
  const command = [process.execPath, join(folder, `${name}.ts`), ...(flags.quick ? ["--quick"] : [])];
  const child = Bun.spawn(command, { stdout: "inherit", stderr: "inherit", signal: interrupt.signal });
  const code = await child.exited;
  if (interrupt.signal.aborted) throw new Error("interrupted");
  if (code !== 0) process.stderr.write(`${name} failed (exit code ${code}); its earlier results stay.\n`);
  return code === 0 ? 0 : 1;
}

/** Writes docs/benchmarks.md, and the texts and pictures beside the results. */
async function report(): Promise<0> {
  const results = join(import.meta.dirname, "results");
  for (const file of (await filesOf(results)).filter((name) => name.endsWith(".json")))
    await writeViews(results, JSON.parse(await readFile(join(results, file), "utf8")) as Report);
  const file = join(import.meta.dirname, "../docs/benchmarks.md");
  await writeFile(file, await pageOf(import.meta.dirname));
  return print("wrote docs/benchmarks.md");
}

/** The page of what is in `results`. */
export async function pageOf(folder: string): Promise<string> {
  const results = join(folder, "results");
  const files = (await filesOf(results)).toSorted();
  const read = (file: string) => readFile(join(results, file), "utf8");
  const named = (extension: string) =>
    files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
  const measured = named(".json");
  const reports = await Promise.all(measured.map(async (name) => JSON.parse(await read(`${name}.json`)) as Report));
  const alone = named(".md").filter((name) => !measured.includes(name));
  const texts = new Map(await Promise.all(alone.map(async (name) => [name, await read(`${name}.md`)] as const)));
  const benches = (await filesOf(folder))
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length));
  const unmeasured = [...benches, ...programs].filter((name) => !measured.includes(name) && !texts.has(name));
  return benchmarksPage({ reports, texts, unmeasured: unmeasured.toSorted() });
}

function readFlags(args: string[]) {
  try {
    return parseArgs({ args, options: flagTypes, allowPositionals: true });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${error.message}\n\n${usage}`); // unknown or incomplete flag
    throw error;
  }
}

async function loadBenches(
  folder: string,
  wanted: readonly string[],
  others: readonly string[],
): Promise<LoadedBench[]> {
  const files = (await filesOf(folder)).filter((file) => file.endsWith(suffix)).sort();
  if (files.length === 0) throw new UsageError(`There is no *${suffix} in ${folder}`);
  const names = files.map((file) => file.slice(0, -suffix.length));
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no bench "${unknown}", only: ${[...names, ...others].join(", ")}`);
  const load = async (name: string): Promise<LoadedBench> => {
    const file = join(folder, name + suffix);
    const { default: definition } = (await import(file)) as { default?: Partial<Bench> | null };
    if (!definition?.groups) {
      const remedy = "write `export default bench({ … })`";
      throw new UsageError(`${name}${suffix} has no bench as its default export: ${remedy}`);
    }
    return { name, file, definition: definition as Bench };
  };
  return Promise.all((wanted.length > 0 ? wanted : names).map(load));
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(`There is no folder ${folder}`);
    throw error;
  }
}

async function runBench(bench: LoadedBench, flags: Flags): Promise<number> {
  try {
    const report = await measure(bench, runOptions(bench.definition, flags));
    if (!flags.quick) {
      const files = await writeReport(resolve(flags.out ?? join(flags.dir, "results")), report);
      print(`wrote ${files.join(", ")}`);
    }
    const allHold = report.groups.every((group) => group.verdicts.every((verdict) => verdict.holds));
    return flags.strict && !allHold ? 1 : 0;
  } catch (error) {
    if (!(error instanceof ContestantFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function measure(bench: LoadedBench, options: RunOptions): Promise<Report> {
  const { title, about, versions } = bench.definition;
  const loadBefore = loadAverage();
  print(`${bench.name}: ${title}`);
  const groups: GroupSummary[] = [];
  for (const group of bench.definition.groups) {
    const samples = await runGroup(bench, group, options, progress(`${bench.name}, ${group.title}`, options.rounds));
    const summary = summarize(group, samples);
    print(["", group.title, plainTable(summary), ...summary.verdicts.map(verdictLine)].join("\n"));
    groups.push(summary);
  }
  const machine = describeMachine(loadBefore, versions);
  print(["", machineLine(machine), ...machine.warnings.map((warning) => `Warning: ${warning}`)].join("\n"));
  const { rounds, warmups, seed } = options;
  return { bench: bench.name, title, about, rounds, warmups, seed, machine, groups };
}

function runOptions(definition: Bench, flags: Flags): RunOptions {
  const rounds = flags.rounds === undefined ? undefined : wholeNumber("--rounds", flags.rounds);
  return {
    rounds: rounds ?? (flags.quick ? 3 : (definition.rounds ?? 10)),
    warmups: flags.quick ? 1 : (definition.warmups ?? 1),
    seed: wholeNumber("--seed", flags.seed),
    microMs: flags.quick ? 20 : 200,
    timeoutMs: 300_000,
    signal: interrupt.signal,
  };
}

function wholeNumber(flag: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`${flag} takes a whole number from 1, not "${text}"`);
  return Number(text);
}

/** On a terminal one line that rewrites itself and clears at the end; elsewhere one plain line a round. */
function progress(title: string, rounds: number): OnProgress {
  let last = Number.NaN;
  return (round, contestant) => {
    const line = `${title}: ${roundName(round)}${round > 0 ? ` of ${rounds}` : ""}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${line}, ${contestant}\r`);
    else if (round !== last) process.stderr.write(`${line}\n`);
    last = round;
  };
}

function print(text: string): 0 {
  if (process.stderr.isTTY) process.stderr.write("\x1b[2K");
  process.stdout.write(`${text}\n`);
  return 0;
}
