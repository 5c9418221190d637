import { bench, type CommandContestant, type Group } from "./harness/bench.ts";
import { prepareOurs } from "./run-steps/peers.ts";

/** Child processes inherit it, so only the first process prepares something. */
process.env.RUN_BENCH_OURS ??= prepareOurs();
const program = `${process.env.RUN_BENCH_OURS}/growth.mjs`;

const runtimes = [
  { name: "Node", runtime: "node", resumeAtMost: 1.5 },
  { name: "Bun", runtime: process.execPath, resumeAtMost: 1 },
] as const;

type Runtime = (typeof runtimes)[number];

const steps = 10_000;
const second = "1 s of work, for scale";

function job({ runtime }: Runtime, name: string, ...args: readonly (string | number)[]): CommandContestant {
  return { name, ours: true, command: [runtime, program, ...args.map(String)], measuresItself: true };
}

/** This many steps of a run that has already taken some. */
function stepsAfter(runtime: Runtime, before: number): CommandContestant {
  return job(runtime, `after ${before.toLocaleString("en")} others`, "steps", before, steps);
}

/** Of a run that was detached when it waited. */
function resumeAfter(runtime: Runtime, before: number): CommandContestant {
  return job(runtime, `${(before * 3).toLocaleString("en")} records`, "resume", before);
}

function on({ name }: Runtime, title: string): string {
  return `${title}, on ${name}`;
}

function groupsOn(runtime: Runtime): Group[] {
  return [
    {
      title: on(runtime, "10,000 steps"),
      baseline: "after 1,000 others",
      contestants: [
        stepsAfter(runtime, 1000),
        stepsAfter(runtime, 10_000),
        { ...stepsAfter(runtime, 100_000), expectRatio: { of: "after 1,000 others", atMost: 1.2, metric: "cpu" } },
      ],
    },
    {
      title: on(runtime, "Memory of 10,000 steps"),
      baseline: "after 10,000 others",
      contestants: [
        stepsAfter(runtime, 10_000),
        { ...stepsAfter(runtime, 100_000), expectRatio: { of: "after 10,000 others", atMost: 1.75, metric: "rss" } },
      ],
    },
    {
      title: on(runtime, "Resume a run"),
      baseline: second,
      contestants: [
        { ...job(runtime, second, "work", 1000), ours: false },
        resumeAfter(runtime, 3_334),
        { ...resumeAfter(runtime, 33_334), expectRatio: { of: second, atMost: runtime.resumeAtMost, metric: "cpu" } },
      ],
    },
  ];
}

export default bench({
  title: "What a long run costs",
  about: `A run on disk, one fsync for each turn of the event loop, of the package as it is published. A step is a turn of a loop: it adds one to a number and
asks whether that was enough, three records in all. Each measures itself: neither its start nor what came before is counted.

- A step costs the same however long the run is, and so does the memory of the process: what has ended leaves it. (A process that has
  run for longer has more of its code compiled, and RSS includes what the garbage collector has not given back.)
- A resume reads the whole journal, checks every record of it, and goes through the graph to where it was; then it takes the last step. The aim
  is a second for 100,000 records: on Node it is met without room, so that more is claimed.`,
  rounds: 5,
  groups: runtimes.flatMap(groupsOn),
});
