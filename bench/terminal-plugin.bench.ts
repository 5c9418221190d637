import { fileURLToPath } from "node:url";
import { bench, type CommandContestant, type Group, type Metric } from "./harness/bench.ts";

const program = fileURLToPath(import.meta.resolve("./terminal-plugin/measure.ts"));

interface Claim {
  readonly what: "first frame" | "idle" | "keys";
  readonly title: string;
  readonly metric: Metric;
  /** What may be needed in all, or what the plugins may add to stock, in milliseconds. */
  readonly most: number;
  readonly isInAll?: boolean;
  readonly mostWords: string;
}

const claims: readonly Claim[] = [
  {
    what: "first frame",
    title: "Start OpenCode's terminal, until its prompt is there, the fastest of three",
    ...({ metric: "wall", most: 100, mostWords: "stock, and 100 ms" } as const),
  },
  {
    what: "idle",
    title: "One idle second, with a run that waits for an answer (0.5 points are 5 ms of CPU), the mean of five starts",
    ...({ metric: "cpu", most: 5, mostWords: "stock, and 0.5 points" } as const),
  },
  {
    what: "keys",
    title: "From a key to its letter on the screen, p95 of 60, while a run records about 200 events a second",
    ...({ metric: "wall", most: 20, mostWords: "20 ms", isInAll: true } as const),
  },
];

/** A contestant that takes exactly this long. */
function limit(name: string, wallMs: number): CommandContestant {
  const sample = { wallMs, cpuMs: 0, calls: 1, rssBytes: 0, rssAtMost: true };
  return { name, command: [process.execPath, "-e", `console.log('${JSON.stringify(sample)}')`], measuresItself: true };
}

function groupOf({ what, title, metric, most, mostWords, isInAll }: Claim): Group {
  const contestant = (name: string, plugins: string, added = 0): CommandContestant => ({
    name,
    command: [process.execPath, program, plugins, what, String(added)],
    measuresItself: true,
  });
  const ours = { ours: true, expectRatio: { of: mostWords, atMost: 1, metric } } as const;
  return {
    title,
    baseline: "stock",
    contestants: [
      contestant("stock", ""),
      isInAll ? limit(mostWords, most) : contestant(mostWords, "", most),
      { ...contestant("atomic", "atomic"), ...ours },
      { ...contestant("atomic and magnus-opus", "atomic,magnus-opus"), ...ours },
    ],
  };
}

export default bench({
  title: "What our plugins cost OpenCode's terminal",
  about: `OpenCode's terminal on a pty: alone (\`stock\`), with Atomic's plugin, and with Magnus Opus's beside it. Each has its own project
and home. A second row of stock has the claim added to it, so a plugin whose ratio to that row is at most 1 costs no more than claimed.
For keys the second row is the limit itself.

Nothing is drawn while nothing happens, and no timer of ours runs, so in about seven of ten starts an idle terminal costs what it costs without
the plugins. In the other three of ten starts with Atomic's plugin, Bun's garbage collector runs several times a second from the start on and the
terminal uses 25 to 35 ms of CPU a second, 0.7 to 1.7 points more; we have not seen that without it, and do not know why. The row is the mean of
five starts in each round, so these starts count like all others. Linux only: CPU time is read from \`/proc\`.`,
  rounds: 5,
  warmups: 1,
  groups: claims.map(groupOf),
});
