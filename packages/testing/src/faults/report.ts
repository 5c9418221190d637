import type { SweepFailure, SweepReport } from "../faults.ts";
import { formatOperation } from "./operation.ts";

/** What a person wants to read when a sweep fails. */
export function formatReport(report: SweepReport): string {
  return [
    formatCommand(report.command),
    summary(report),
    ...(report.varies ? ["  the operations differ from run to run"] : []),
    ...report.failures.flatMap(formatFailure),
    ...report.notReached.map(({ fault, operation }) => `  not reached: ${fault} at ${formatOperation(operation)}`),
  ].join("\n");
}

function summary({ operations, runs, failures, notReached, milliseconds }: SweepReport): string {
  const seconds = (milliseconds / 1000).toFixed(1);
  const counts = `${failures.length} failed, ${notReached.length} not reached`;
  return `  ${operations.length} operations, ${runs} runs with a fault in ${seconds} s: ${counts}`;
}

function formatFailure({ fault, operation, problem, exitCode, stderr }: SweepFailure): string[] {
  const where = operation === undefined ? "undisturbed" : `${fault} at ${formatOperation(operation)}`;
  const said = tellingLine(stderr);
  return [
    `  ${where}`,
    `    ${problem} (exit code ${exitCode})`,
    ...(said === undefined ? [] : [`    it said: ${said}`]),
  ];
}

/** Runtimes print a piece of source and a stack around the one line that says what happened. */
function tellingLine(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => /^\w*error\b/i.test(line)) ?? lines.at(-1))?.trim();
}

function formatCommand(command: readonly string[]): string {
  return command.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
