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

/** Takes more steps of a run that has already taken some. */
function stepsAfter(runtime: Runtime, before: number): CommandContestant {
  return job(runtime, `after ${before.toLocaleString("en")} steps`, "steps", before, steps);
}

/** Resumes a run that was detached while it waited. */
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
      baseline: "after 1,000 steps",
      contestants: [
        stepsAfter(runtime, 1000),
        stepsAfter(runtime, 10_000),
        { ...stepsAfter(runtime, 100_000), expectRatio: { of: "after 1,000 steps", atMost: 1.2, metric: "cpu" } },
      ],
    },
    {
      title: on(runtime, "Memory use of 10,000 steps"),
      baseline: "after 10,000 steps",
      contestants: [
        stepsAfter(runtime, 10_000),
        { ...stepsAfter(runtime, 100_000), expectRatio: { of: "after 10,000 steps", atMost: 1.75, metric: "rss" } },
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
  about: `A run on disk with one fsync per event loop turn, using the published package. A step is one iteration of a loop: it adds one to a number
and checks whether that was enough, three records in all. Each contestant measures itself; startup and earlier steps are not counted.

- A step costs the same however long the run is, and finished steps do not stay in memory. (A process that has run longer has
  compiled more of its code, and RSS includes memory that the garbage collector has not returned.)
- A resume reads the whole journal, checks every record, and walks the graph to where it stopped; then it takes the last step. The target
  is one second for 100,000 records. Node barely meets it, so its claim is looser.`,
  rounds: 5,
  groups: runtimes.flatMap(groupsOn),
});
