// The kill-point sweep: run a command once for every file-system operation it makes, with a fault at that operation,
// then let the next command clean up and check what is left.
import {
  defaultFaults,
  type Fault,
  type FileOperation,
  faultsAvailable,
  formatOperation,
  runTraced,
  type TracedCommand,
  type TracedOutcome,
} from "./faults/run-traced.ts";

/** A command and the state around it. With several scenarios points run side by side, so each needs its own folder. */
export interface SweepScenario extends TracedCommand {
  /** Sets up the folder as it is before the command. Called for every point. */
  readonly prepare: () => Promise<void> | void;
  /** "The next command", which cleans up after an interrupted one. A command must end with exit code 0. */
  readonly recover?: readonly string[] | (() => Promise<void> | void);
  /** Undefined if everything is fine, else what is wrong. */
  readonly check: (run: FaultRun) => Promise<string | undefined> | string | undefined;
}

/** What `check` may want to know: how the faulty run went, as the user of the command would see it. */
export interface FaultRun {
  /** `none` is the undisturbed run, which has to pass too. */
  readonly fault: Fault | "none";
  readonly operation: FileOperation | undefined;
  readonly outcome: TracedOutcome;
}

export interface SweepOptions {
  readonly faults?: readonly Fault[];
  readonly points?: Points;
}

export interface SweepFailure {
  readonly fault: Fault | "none";
  readonly operation: FileOperation | undefined;
  readonly problem: string;
  readonly exitCode: number;
  readonly stderr: string;
}

export interface SweepReport {
  readonly command: readonly string[];
  /** Of the undisturbed run. */
  readonly operations: readonly FileOperation[];
  /** Two undisturbed runs did not make the same calls: some points may not be what they are called. */
  readonly varies: boolean;
  /** How many runs had a fault: none if the undisturbed runs already failed. */
  readonly runs: number;
  readonly failures: readonly SweepFailure[];
  /** The command ended before the fault could strike: neither passed nor failed. */
  readonly notReached: readonly Point[];
  readonly milliseconds: number;
}

export class FaultsUnavailable extends Error {
  override readonly name = "FaultsUnavailable";
}

/**
 * Sweeps one command.
 *
 * @example
 * const report = await sweep({ under: folder, command: ["bun", "save.ts", folder], prepare, recover, check });
 * expect(report.failures).toEqual([]);
 */
export function sweep(options: SweepScenario & SweepOptions): Promise<SweepReport> {
  return sweepInParallel([options], options);
}

/** Sweeps one command in several folders at once, one scenario a folder. */
export async function sweepInParallel(
  scenarios: readonly [SweepScenario, ...SweepScenario[]],
  options: SweepOptions = {},
): Promise<SweepReport> {
  const availability = await faultsAvailable();
  if (!availability.available) throw new FaultsUnavailable(`Faults cannot be injected here: ${availability.reason}`);
  const started = performance.now();
  const [first] = scenarios;
  const undisturbed = [await tryPoint(first, undefined), await tryPoint(first, undefined)] as const;
  const [one, other] = undisturbed.map((trial) => trial.outcome.operations) as [FileOperation[], FileOperation[]];
  const operations = one.length >= other.length ? one : other;

  const isHealthy = undisturbed.every((trial) => trial.failure === undefined);
  const points = isHealthy ? choosePoints(operations, options.faults ?? defaultFaults, options.points ?? "all") : [];
  // Results come in the order of the points, whichever scenario took them.
  const trials: Trial[] = [];
  let next = 0;
  await Promise.all(
    scenarios.map(async (scenario) => {
      for (let index = next++; index < points.length; index = next++) {
        trials[index] = await tryPoint(scenario, points[index]);
      }
    }),
  );
  return {
    command: first.command,
    operations,
    varies: one.map(({ call }) => call).join() !== other.map(({ call }) => call).join(),
    runs: trials.length,
    failures: [...undisturbed, ...trials].flatMap((trial) => trial.failure ?? []),
    notReached: trials.flatMap((trial) => trial.notReached ?? []),
    milliseconds: performance.now() - started,
  };
}

interface Trial {
  readonly outcome: TracedOutcome;
  readonly failure?: SweepFailure;
  readonly notReached?: Point;
}

async function tryPoint(scenario: SweepScenario, point: Point | undefined): Promise<Trial> {
  await scenario.prepare();
  const outcome = await runTraced(scenario, point && { kind: point.fault, at: point.operation.number });
  if (point !== undefined && !outcome.injected && !outcome.hung) return { outcome, notReached: point };

  const fault = point?.fault ?? "none";
  const operation = point && (outcome.operations[point.operation.number - 1] ?? point.operation);
  let problem: string | undefined;
  if (outcome.hung) problem = "the command did not end before its deadline";
  else if (outcome.operations.length === 0) problem = `the command changed nothing below ${scenario.under}`;
  else {
    try {
      problem = (await recover(scenario)) ?? (await scenario.check({ fault, operation, outcome }));
    } catch (error) {
      // A missing or unparsable file makes a checker throw: that is a finding about this point, not the end.
      problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    }
  }
  if (problem === undefined) return { outcome };
  const { exitCode, stderr } = outcome;
  return { outcome, failure: { fault, operation, problem, exitCode, stderr } };
}

async function recover({ recover, cwd, env, deadline = 30_000 }: SweepScenario): Promise<string | undefined> {
  if (recover === undefined) return undefined;
  if (typeof recover === "function") {
    await recover();
    return undefined;
  }
  const child = Bun.spawn([...recover], {
    cwd: cwd ?? process.cwd(),
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: deadline,
    killSignal: "SIGKILL",
  });
  const [exitCode, stderr] = await Promise.all([child.exited, child.stderr.text()]);
  return exitCode === 0 ? undefined : `recovery exited with ${exitCode}: ${stderr.trim()}`;
}

/** Which operations meet a fault. A sample is spread evenly, is the same in every run, and differs between faults. */
export type Points = "all" | { readonly every: number } | { readonly max: number };

export interface Point {
  readonly fault: Fault;
  /** As it was when the command ran undisturbed. */
  readonly operation: FileOperation;
}

/** `SWEEP=full` asks for every point; everyday test runs take a sample. */
export function sweepPoints(sample: Points = { max: 8 }): Points {
  return process.env.SWEEP === "full" ? "all" : sample;
}

/** How long a test of them may take, in milliseconds: several times what it takes on a machine that has nothing else to do. */
export function sweepTimeout(): number {
  return sweepPoints() === "all" ? 1_800_000 : 60_000;
}

export function choosePoints(operations: readonly FileOperation[], faults: readonly Fault[], points: Points): Point[] {
  return faults.flatMap((fault, shift) => {
    const candidates = operations.filter(({ bytes = 0 }) => fault !== "short" || bytes > 1);
    let chosen: readonly FileOperation[];
    if (points === "all") chosen = candidates;
    else if ("every" in points) chosen = candidates.filter((_, index) => (index + shift) % points.every === 0);
    else {
      const step = Math.max(1, candidates.length / points.max);
      const count = Math.min(points.max, candidates.length);
      // Each fault starts elsewhere within its step, so together they visit more operations.
      const start = ((shift * 3) % 7) / 7;
      chosen = Array.from({ length: count }, (_, index) => candidates[Math.floor((index + start) * step)]!);
    }
    return chosen.map((operation) => ({ fault, operation }));
  });
}

/** A readable report of a sweep. */
export function formatReport(report: SweepReport): string {
  const { operations, runs, failures, notReached, milliseconds } = report;
  const seconds = (milliseconds / 1000).toFixed(1);
  const counts = `${failures.length} failed, ${notReached.length} not reached`;
  const words = report.command.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : JSON.stringify(word)));
  return [
    words.join(" "),
    `  ${operations.length} operations, ${runs} runs with a fault in ${seconds} s: ${counts}`,
    ...(report.varies ? ["  the operations differ from run to run"] : []),
    ...failures.flatMap(({ fault, operation, problem, exitCode, stderr }) => {
      const where = operation === undefined ? "undisturbed" : `${fault} at ${formatOperation(operation)}`;
      // Runtimes print a piece of source and a stack around the one line that says what happened.
      const lines = stderr.split("\n").filter((line) => line.trim() !== "");
      const said = (lines.find((line) => /^\w*error\b/i.test(line)) ?? lines.at(-1))?.trim();
      return [
        `  ${where}`,
        `    ${problem} (exit code ${exitCode})`,
        ...(said === undefined ? [] : [`    it said: ${said}`]),
      ];
    }),
    ...notReached.map(({ fault, operation }) => `  not reached: ${fault} at ${formatOperation(operation)}`),
  ].join("\n");
}
