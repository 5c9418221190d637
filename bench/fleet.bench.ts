import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bench, type CommandContestant, type Group } from "./harness/bench.ts";
import { findPeers } from "./hugo/peers.ts";

const program = join(import.meta.dirname, "fleet/measure.ts");
// Installed together with the programs of the other benches.
findPeers();
const dbosFile = join(import.meta.dirname, "peers/node_modules/@dbos-inc/dbos-sdk/package.json");
const dbosVersion = existsSync(dbosFile) ? (JSON.parse(readFileSync(dbosFile, "utf8")).version as string) : undefined;
const dbos = `DBOS ${dbosVersion}`;

function job(name: string, what: string): CommandContestant {
  return { name, command: [process.execPath, program, ...what.split(" ")], measuresItself: true };
}

/** A figure to compare with. */
function scale(name: string, sample: { wallMs: number; cpuMs?: number; rssBytes?: number }): CommandContestant {
  const text = JSON.stringify({ cpuMs: 0, rssBytes: 0, rssAtMost: false, calls: 1, ...sample });
  return { name, command: [process.execPath, "-e", `console.log(${JSON.stringify(text)})`], measuresItself: true };
}

const soon = "30 ms, for scale";
const three = "3 s, for scale";
const little = "2% of a core and 100 MB, for scale";
const one = "1 worker";

const groups: readonly Group[] = [
  {
    title: "A step, with the database's share of the CPU",
    baseline: "atomic, Postgres",
    contestants: [
      { ...job("atomic, a folder", "steps folder"), ours: true },
      {
        ...job("atomic, Postgres", "steps postgres"),
        ours: true,
        ...(dbosVersion !== undefined && { expectRatio: { of: dbos, atMost: 0.8, metric: "cpu" } }),
      },
      ...(dbosVersion === undefined ? [] : [job(dbos, "steps dbos")]),
    ],
  },
  {
    title: "Steps that wait 250 ms, on workers with 8 slots: time for each step of the fleet",
    baseline: one,
    contestants: [
      { ...job(one, "scale 1"), ours: true },
      { ...job("2 workers", "scale 2"), ours: true, expectRatio: { of: one, atMost: 1 / (2 * 0.8) } },
      { ...job("4 workers", "scale 4"), ours: true, expectRatio: { of: one, atMost: 1 / (4 * 0.8) } },
    ],
  },
  {
    title: "1,000 runs that wait for an answer, in ten seconds",
    baseline: little,
    contestants: [
      scale(little, { wallMs: 10_000, cpuMs: 200, rssBytes: 100e6 }),
      ...(["waiting engine", "waiting atomic"] as const).map((what) => ({
        ...job(what === "waiting engine" ? "one process with all of them" : "atomic worker", what),
        ours: true,
        expectRatio: (["cpu", "rss"] as const).map((metric) => ({ of: little, atMost: 1, metric })),
      })),
    ],
  },
  {
    title: "From an answer to the next step",
    baseline: soon,
    contestants: [
      scale(soon, { wallMs: 30 }),
      { ...job("one process, median", "answer p50"), ours: true, expectRatio: { of: soon, atMost: 1 } },
      { ...job("one process, 95th percentile", "answer p95"), ours: true },
      { ...job("atomic worker, median", "answer atomic"), ours: true },
    ],
  },
  {
    title: "From kill -9 to the step's next attempt, with free slots",
    baseline: three,
    contestants: [
      scale(three, { wallMs: 3000 }),
      { ...job("one process with several runs", "takeover engine"), ours: true, expectRatio: { of: three, atMost: 1 } },
      { ...job("atomic worker", "takeover atomic"), ours: true, expectRatio: { of: three, atMost: 1 } },
    ],
  },
];

export default bench({
  title: "Runs in Postgres",
  about: `Postgres with fsync, the workers and what starts the runs are all on one machine. "One process" works on its runs itself, as \`run()\` in a program and
\`atomic run\` do; \`atomic worker\` (on Node) gives each run a process of its own, which ends when the run waits.

- A step: 100 runs of ten steps that do nothing, 20 at a time in one process on Bun, each from its start to its result. The CPU time is that of the
  process and of the database together. A step of ours is two records, one before it begins and one after it has ended, and each is on disk before
  the run continues; DBOS writes one, after the step.${dbosVersion === undefined ? " DBOS could not be installed and is left out." : ""}
- Steps that wait: there is always more to do than the workers can take, and what counts are 12 seconds in the middle. So the start of the workers
  and the last runs, when some slots are empty, are not in the figures; taking the next run is. Linear would be 0.5× and 0.25×.
- Waiting runs: memory is at the end of the ten seconds, when nothing happens.
- An answer: from the moment in which another process sends it until the code of the next step runs, with 1,000 waiting runs, 100 of them answered
  one after the other. \`atomic worker\` starts a process for it (10 answers).
- Kill: three times, the slowest run counts.`,
  rounds: 5,
  warmups: 0,
  ...(dbosVersion !== undefined && { versions: { "@dbos-inc/dbos-sdk": dbosVersion } }),
  groups,
});
