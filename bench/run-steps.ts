/**
 * What a step costs, beside Mastra and LangGraph.js: `npm run bench -- run-steps [--quick]`, into `results/run-steps.*`.
 *
 * A program of its own: it installs a few hundred packages and compiles SQLite, and each contestant measures itself, so neither its
 * start nor its import is counted. A peer that cannot be installed, compiled or run is left out, and the report says why.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Group, RatioClaim } from "./harness/bench.ts";
import { describeMachine, loadAverage } from "./harness/machine.ts";
import { shuffledOrder } from "./harness/order.ts";
import { writeReport } from "./harness/report.ts";
import type { Sample } from "./harness/sample.ts";
import { type GroupSummary, summarize } from "./harness/summary.ts";
import { plainTable, verdictLine } from "./harness/table.ts";
import { pinnedVersion, preparePeers, quiet, reasonIn, versionOf } from "./run-steps/peers.ts";

interface Runtime {
  readonly name: "Node" | "Bun";
  readonly program: string;
}

interface Engine {
  readonly name: string;
  readonly job: string;
  readonly steps: number;
  readonly folder: string;
  readonly claims?: Readonly<Record<Runtime["name"], readonly RatioClaim[]>>;
  /** Where it does not run. */
  readonly notOn?: Runtime["name"];
}

interface Race {
  readonly title: string;
  readonly baseline: string;
  readonly engines: readonly Engine[];
}

const { values: flags } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const [rounds, warmups, seed] = flags.quick ? [1, 0, 1] : [5, 1, 1];
const runtimes: readonly Runtime[] = [
  { name: "Node", program: "node" },
  { name: "Bun", program: process.execPath },
];

const newest = preparePeers("peers");
const older = preparePeers("peers-for-node-20");
const mastra = `Mastra ${pinnedVersion("peers", "@mastra/core")}`;
const olderMastra = `Mastra ${pinnedVersion("peers-for-node-20", "@mastra/core")}`;
const langgraph = `LangGraph ${pinnedVersion("peers", "@langchain/langgraph")}`;

/** "At most this part of the CPU of the one, and that part of the other's." What the aims were is in decision 29. */
type Parts = readonly [one: number | undefined, other: number];
const claims = (one: string, other: string, parts: Record<Runtime["name"], Parts>) => {
  const on = ([ofOne, ofOther]: Parts): RatioClaim[] => [
    ...(ofOne === undefined ? [] : [{ of: one, atMost: ofOne, metric: "cpu" } as const]),
    { of: other, atMost: ofOther, metric: "cpu" },
  ];
  return { Node: on(parts.Node), Bun: on(parts.Bun) };
};

const races: readonly Race[] = [
  {
    title: "A step in memory",
    baseline: "atomic",
    engines: [
      { name: "a loop with await", job: "plain", steps: 200_000, folder: newest },
      {
        name: "atomic",
        job: "atomic memory",
        steps: 100_000,
        folder: newest,
        claims: claims(mastra, langgraph, { Node: [0.15, 0.02], Bun: [0.5, 0.03] }),
      },
      { name: mastra, job: "mastra memory", steps: 10_000, folder: newest },
      { name: olderMastra, job: "mastra memory", steps: 10_000, folder: older, notOn: "Bun" },
      { name: langgraph, job: "langgraph memory", steps: 1000, folder: newest },
    ],
  },
  {
    title: "A durable step",
    baseline: "atomic, fsync every turn",
    engines: [
      {
        name: "atomic, fsync every turn",
        job: "atomic turn",
        steps: 50_000,
        folder: newest,
        claims: claims(`${mastra}, LibSQL`, `${langgraph}, SQLite`, { Node: [0.1, 0.03], Bun: [0.12, 0.03] }),
      },
      { name: "atomic, fsync every step", job: "atomic step", steps: 2000, folder: newest },
      { name: `${mastra}, LibSQL`, job: "mastra libsql", steps: 1000, folder: newest },
      { name: `${olderMastra}, LibSQL`, job: "mastra libsql", steps: 1000, folder: older, notOn: "Bun" },
      { name: `${langgraph}, SQLite`, job: "langgraph sqlite", steps: 500, folder: newest, notOn: "Bun" },
    ],
  },
  {
    title: "A hundred parallel branches",
    baseline: "atomic",
    engines: [
      {
        name: "atomic",
        job: "atomic fan",
        steps: 50_000,
        folder: newest,
        claims: claims(mastra, langgraph, { Node: [0.2, 0.05], Bun: [0.9, 0.1] }),
      },
      { name: mastra, job: "mastra fan", steps: 5000, folder: newest },
      { name: olderMastra, job: "mastra fan", steps: 5000, folder: older, notOn: "Bun" },
      { name: langgraph, job: "langgraph fan", steps: 1000, folder: newest },
    ],
  },
  {
    title: "A map of a hundred items",
    baseline: "atomic mapNode",
    engines: [
      {
        name: "atomic mapNode",
        job: "atomic map",
        steps: 50_000,
        folder: newest,
        claims: claims(`${mastra} .foreach`, `${langgraph} Send`, { Node: [0.25, 0.05], Bun: [0.9, 0.1] }),
      },
      { name: `${mastra} .foreach`, job: "mastra fan", steps: 5000, folder: newest },
      { name: `${olderMastra} .foreach`, job: "mastra fan", steps: 5000, folder: older, notOn: "Bun" },
      { name: `${langgraph} Send`, job: "langgraph fan", steps: 1000, folder: newest },
    ],
  },
];

/** Peers that do not run here, each with the reason. */
const leftOut = new Map<string, string>();

function canRun(engine: Engine, runtime: Runtime): boolean {
  if (engine.notOn === runtime.name) return false;
  if (isOurs(engine)) return true;
  const sample = trySample({ ...engine, steps: 100 }, runtime);
  if (sample.ok) return true;
  leftOut.set(`${engine.name}, on ${runtime.name}`, reasonIn(sample.stderr));
  return false;
}

function isOurs({ job }: Engine): boolean {
  return job === "plain" || job.startsWith("atomic");
}

async function race({ title, baseline, engines }: Race, runtime: Runtime): Promise<GroupSummary> {
  const entered = engines.filter((engine) => canRun(engine, runtime));
  const samples: Sample[][] = entered.map(() => []);
  for (let round = 1 - warmups; round <= rounds; round++) {
    for (const index of shuffledOrder(entered.length, seed, round)) {
      const sample = takeSample(entered[index]!, runtime);
      if (round > 0) samples[index]!.push(sample);
    }
  }
  const names = new Set(entered.map(({ name }) => name));
  const group = (claim: number): Group => ({
    title: `${title}, on ${runtime.name}`,
    baseline,
    contestants: entered.map(({ name, claims: claimed }) => {
      const expectRatio = claimed?.[runtime.name].filter(({ of }) => names.has(of))[claim];
      const ours = name.startsWith("atomic");
      return { name, ours, command: [], ...(expectRatio && { expectRatio }) };
    }),
  });
  const summary = summarize(group(0), samples);
  return { ...summary, verdicts: [...summary.verdicts, ...summarize(group(1), samples).verdicts] };
}

function takeSample(engine: Engine, runtime: Runtime): Sample {
  const result = trySample(engine, runtime);
  if (!result.ok) throw new Error(`${engine.name} failed on ${runtime.name}:\n${result.stderr}`);
  return result.sample;
}

type Tried = { readonly ok: true; readonly sample: Sample } | { readonly ok: false; readonly stderr: string };

function trySample({ job, steps, folder }: Engine, { program }: Runtime): Tried {
  const scratch = mkdtempSync(join(tmpdir(), "atomic-bench-runs-"));
  try {
    const command = [program, join(folder, "job.mjs"), job, String(flags.quick ? steps / 10 : steps), scratch];
    const env = { ...process.env, ...quiet };
    const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: scratch, env, timeout: 300_000 });
    if (exitCode !== 0) return { ok: false, stderr: stderr.toString() };
    return { ok: true, sample: JSON.parse(stdout.toString().trim().split("\n").at(-1)!) as Sample };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const loadBefore = loadAverage();
const groups: GroupSummary[] = [];
for (const each of races) {
  for (const runtime of runtimes) {
    const summary = await race(each, runtime);
    console.log(["", summary.title, plainTable(summary), ...summary.verdicts.map(verdictLine)].join("\n"));
    groups.push(summary);
  }
}
for (const [who, why] of leftOut) console.log(`Left out: ${who} (${why}).`);
if (!flags.quick) {
  const versions = Object.fromEntries(
    ["@mastra/core", "@mastra/libsql", "@langchain/langgraph", "@langchain/langgraph-checkpoint-sqlite"].map((name) => [
      name,
      versionOf(newest, name) ?? "missing",
    ]),
  );
  const { warnings, ...described } = describeMachine(loadBefore, versions);
  const missing = [...leftOut].map(([who, why]) => `Left out: ${who} (${why}).`);
  const machine = { ...described, warnings: [...warnings, ...missing] };
  const about = `A step adds one to a number in the state; a loop continues until the number is reached. Figures are for **one step**, in a process that has
already run a tenth as many, so startup and import are not counted. Each contestant takes enough steps to work for a few tenths of a second.

- \`atomic\` keeps the run's journal in memory or on disk. One iteration of its loop writes *two* end records (the step, and whether that
  was enough) and one start record. \`fsync every turn\`: everything in one event loop turn is one write and one fsync.
  \`fsync every step\`: a step starts only after its record is on disk. For 110 steps that is 126 fsyncs; Mastra and LangGraph call
  fsync 6 times, so a power failure can lose what they were asked to keep.
- \`Mastra\`: \`.dountil\`, \`.foreach\` with a concurrency of 100, and LibSQLStore with a file. Its newest version asks for Node 22.13 but does run on
  this Node; the last version that requires only Node 20 is measured as well.
- A map is \`mapNode\` over a list of objects that is made when the map begins. Its items have names and end records of their own; all run at
  a time, as for the others.
- \`LangGraph\`: a conditional edge, \`Send\`, and SqliteSaver, which does not run on Bun.

The target was a tenth of Mastra's CPU time and a hundredth of LangGraph's. Where it is not claimed, it is missed or only just met.

Model calls are never this fast, so you will not notice the difference while waiting for one. You will notice it in tests, in loops that
mostly check, and in what a waiting process costs.`;
  const report = { bench: "run-steps", title: "What a step costs", about, rounds, warmups, seed, machine, groups };
  console.log(`wrote ${(await writeReport(join(import.meta.dirname, "results"), report)).join(", ")}`);
}
