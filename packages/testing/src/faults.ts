// The kill-point sweep: run a command once for every file-system operation it makes, with a fault at that operation,
// then let the next command tidy up and look whether what is left is right.
import { type Availability, faultsAvailable } from "./faults/availability.ts";
import { defaultFaults, type Fault, formatOperation, type Operation } from "./faults/operation.ts";
import { choosePoints, type Point, type Points } from "./faults/points.ts";
import { type Outcome, runTraced, type TracedCommand } from "./faults/run-traced.ts";

/** A command and the state around it. With several scenarios points run side by side, so each needs its own folder. */
export interface Scenario extends TracedCommand {
  /** Puts the folder into its state before the command. Called for every point. */
  readonly prepare: () => Promise<void> | void;
  /** "The next command": what tidies up after an interrupted one. As a command it has to end with exit code 0. */
  readonly recover?: readonly string[] | (() => Promise<void> | void);
  /** Undefined if all is well, else what is wrong. */
  readonly check: (run: FaultRun) => Promise<string | undefined> | string | undefined;
}

/** What `check` may want to know: how the faulty run went, as the user of the command would see it. */
export interface FaultRun {
  /** `none` is the undisturbed run, which has to pass too. */
  readonly fault: Fault | "none";
  readonly operation: Operation | undefined;
  readonly outcome: Outcome;
}

export interface SweepOptions {
  readonly faults?: readonly Fault[];
  readonly points?: Points;
}

export interface Failure {
  readonly fault: Fault | "none";
  readonly operation: Operation | undefined;
  readonly problem: string;
  readonly exitCode: number;
  readonly stderr: string;
}

export interface SweepReport {
  readonly command: readonly string[];
  /** Of the undisturbed run. */
  readonly operations: readonly Operation[];
  /** Two undisturbed runs did not make the same calls: some points may not be what they are called. */
  readonly varies: boolean;
  /** How many runs with a fault were made. */
  readonly runs: number;
  readonly failures: readonly Failure[];
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
export function sweep(options: Scenario & SweepOptions): Promise<SweepReport> {
  return sweepInParallel([options], options);
}

/** Sweeps one command in several folders at once. */
export async function sweepInParallel(
  scenarios: readonly Scenario[],
  options: SweepOptions = {},
): Promise<SweepReport> {
  requireFaults(await faultsAvailable());
  const started = performance.now();
  const first = scenarios[0];
  if (first === undefined) throw new Error("A sweep needs a scenario.");

  const undisturbed = await tryPoint(first, undefined);
  const again = await tryPoint(first, undefined);
  const operations = longer(undisturbed.outcome.operations, again.outcome.operations);
  const points = choosePoints(operations, options.faults ?? defaultFaults, options.points ?? "all");
  const trials = await inParallel(scenarios, points, tryPoint);
  return {
    command: first.command,
    operations,
    varies: !sameCalls(undisturbed.outcome.operations, again.outcome.operations),
    runs: trials.length,
    failures: [undisturbed, ...trials].flatMap((trial) => trial.failure ?? []),
    notReached: trials.flatMap((trial) => trial.notReached ?? []),
    milliseconds: performance.now() - started,
  };
}

interface Trial {
  readonly outcome: Outcome;
  readonly failure?: Failure;
  readonly notReached?: Point;
}

async function tryPoint(scenario: Scenario, point: Point | undefined): Promise<Trial> {
  await scenario.prepare();
  const outcome = await runTraced(scenario, point && { kind: point.fault, at: point.operation.number });
  if (point !== undefined && !outcome.injected && !outcome.hung) return { outcome, notReached: point };

  const fault = point?.fault ?? "none";
  const operation = point && (outcome.operations[point.operation.number - 1] ?? point.operation);
  const problem = outcome.hung
    ? "the command did not end before its deadline"
    : ((await recover(scenario)) ?? (await scenario.check({ fault, operation, outcome })));
  if (problem === undefined) return { outcome };
  const { exitCode, stderr } = outcome;
  return { outcome, failure: { fault, operation, problem, exitCode, stderr } };
}

async function recover({ recover, cwd, env }: Scenario): Promise<string | undefined> {
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
  });
  const [exitCode, stderr] = await Promise.all([child.exited, child.stderr.text()]);
  return exitCode === 0 ? undefined : `recovery exited with ${exitCode}: ${stderr.trim()}`;
}

/** Results come in the order of the points, whichever worker took them. */
async function inParallel<W, P, R>(
  workers: readonly W[],
  points: readonly P[],
  work: (worker: W, point: P) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const takePoints = async (worker: W): Promise<void> => {
    for (let index = next++; index < points.length; index = next++) {
      results[index] = await work(worker, points[index]!);
    }
  };
  await Promise.all(workers.map(takePoints));
  return results;
}

function longer(one: readonly Operation[], other: readonly Operation[]): readonly Operation[] {
  return one.length >= other.length ? one : other;
}

function sameCalls(one: readonly Operation[], other: readonly Operation[]): boolean {
  return one.map(({ call }) => call).join() === other.map(({ call }) => call).join();
}

function requireFaults(availability: Availability): void {
  if (!availability.available) throw new FaultsUnavailable(`Faults cannot be injected here: ${availability.reason}`);
}

/** What a person wants to read when a sweep fails. */
export function formatReport(report: SweepReport): string {
  const { command, operations, varies, runs, failures, notReached, milliseconds } = report;
  const lines = [
    `${command.join(" ")}: ${operations.length} operations, ${runs} runs with a fault in ${(milliseconds / 1000).toFixed(1)} s, ` +
      `${failures.length} failed, ${notReached.length} not reached`,
  ];
  if (varies) lines.push("  The operations differ from run to run.");
  for (const failure of failures) lines.push(...formatFailure(failure));
  for (const { fault, operation } of notReached) lines.push(`  not reached: ${fault} at ${formatOperation(operation)}`);
  return lines.join("\n");
}

function formatFailure({ fault, operation, problem, exitCode, stderr }: Failure): string[] {
  const where = operation === undefined ? "undisturbed" : `${fault} at ${formatOperation(operation)}`;
  const said =
    stderr.trim() === ""
      ? []
      : stderr
          .trim()
          .split("\n")
          .slice(0, 5)
          .map((line) => `      ${line}`);
  return [`  ${where}`, `    ${problem} (exit code ${exitCode})`, ...said];
}
