/** Runs as a process of its own: prepares one contestant, measures it, and writes its sample to the assigned file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, CommandContestant, Contestant, MicroContestant, Round, RunContestant } from "./bench.ts";
import { ownPeakRss } from "./peak-rss.ts";
import type { Assignment, Failure, Sample } from "./sample.ts";

interface Measured {
  readonly sample: Sample;
  readonly result?: unknown;
}

const assignment = JSON.parse(process.argv[2]!) as Assignment;
const { default: definition } = (await import(assignment.file)) as { default: Bench };
const contestant = definition.groups[assignment.group]!.contestants[assignment.contestant]!;
const round: Round = { dir: assignment.dir };

await contestant.setup?.(round);
try {
  const measured = await measure(contestant);
  if (measured && "failure" in measured) {
    writeFileSync(assignment.out, JSON.stringify(measured));
  } else if (measured) {
    await contestant.check?.(round, measured.result);
    writeFileSync(assignment.out, JSON.stringify(measured.sample));
  }
} finally {
  await contestant.teardown?.(round);
}
process.exit(); // not before teardown, and not waiting for what the contestant left open

/** Undefined after a command that failed: then the exit code is set to that of the command. */
async function measure(contestant: Contestant): Promise<Measured | Failure | undefined> {
  if ("command" in contestant) return contestant.measuresItself === true ? ask(contestant) : launch(contestant);
  return "micro" in contestant ? callOften(contestant) : callOnce(contestant);
}

/** Starts the command from a small process, because a child's peak RSS can never read lower than its parent's. */
function launch(contestant: CommandContestant): Measured | Failure | undefined {
  const { command, env = {}, cwd = round.dir } = contestant;
  const launcher = [process.execPath, join(import.meta.dirname, "launch.ts"), JSON.stringify({ command, env, cwd })];
  const { exitCode, stdout } = Bun.spawnSync(launcher, { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  if (exitCode !== 0) {
    process.exitCode = exitCode ?? 1;
    return undefined;
  }
  const result = JSON.parse(stdout.toString()) as Sample | Failure;
  return "failure" in result ? result : { sample: result };
}

function ask({ command, env = {}, cwd = round.dir }: CommandContestant): Measured | undefined {
  const { exitCode, stdout } = Bun.spawnSync([...command], {
    cwd,
    env: { ...process.env, PWD: cwd, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  if (exitCode === 0) return { sample: JSON.parse(stdout.toString().trimEnd().split("\n").at(-1)!) as Sample };
  process.exitCode = exitCode ?? 1;
  return undefined;
}

async function callOnce(contestant: RunContestant): Promise<Measured> {
  const clock = startClock();
  const result = await contestant.run(round);
  return { sample: clock.stop(1), result };
}

async function callOften(contestant: MicroContestant): Promise<Measured> {
  const first = contestant.micro(round);
  const loop = first instanceof Promise ? callAsync : callSync;
  await first;

  // The loop grows until it is long enough twice in a row: once may be a stall of the machine, and the first time
  // is the warm-up of the second.
  let wasLongEnough = false;
  for (let calls = 1; ; ) {
    const clock = startClock();
    const result = await loop(contestant, calls);
    const sample = clock.stop(calls);
    const wall = sample.wallMs * calls;
    const isLongEnough = wall >= assignment.microMs / 2;
    if (isLongEnough && wasLongEnough) return { sample, result };
    if (!isLongEnough) calls = Math.ceil(calls * Math.min(Math.max(assignment.microMs / wall, 2), 10));
    wasLongEnough = isLongEnough;
  }
}

function callSync(contestant: MicroContestant, calls: number): unknown {
  let last: unknown;
  for (let call = 0; call < calls; call++) last = contestant.micro(round);
  return last;
}

async function callAsync(contestant: MicroContestant, calls: number): Promise<unknown> {
  let last: unknown;
  for (let call = 0; call < calls; call++) last = await contestant.micro(round);
  return last;
}

function startClock(): { stop(calls: number): Sample } {
  const cpu = process.cpuUsage();
  const start = performance.now();
  return {
    stop(calls) {
      const wall = performance.now() - start;
      const { user, system } = process.cpuUsage(cpu);
      const rssAtMost = process.platform !== "linux";
      return { wallMs: wall / calls, cpuMs: (user + system) / 1000 / calls, rssBytes: ownPeakRss(), rssAtMost, calls };
    },
  };
}
