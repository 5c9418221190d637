/** Contestants that do one job of `load.mjs`, or run one `atomic` command, in a fresh process. */
import type { CommandContestant, Group, RatioClaim } from "../harness/bench.ts";
import { homeBeside, pathOf, projectWith, scriptPath, writeScript } from "./fixtures.ts";
import { commandPath } from "./program.ts";

export interface Runtime {
  readonly name: "Node" | "Bun";
  readonly command: readonly string[];
}

export const runtimes: readonly Runtime[] = [
  { name: "Node", command: ["node"] },
  { name: "Bun", command: [process.execPath] },
];

/** Starts the runtime and does nothing else: subtract it from the others to see what they do. */
export function onlyStart(runtime: Runtime): CommandContestant {
  return job(runtime, "startup only", ["nothing", "-", "0"]);
}

export function importing(runtime: Runtime, name: string, what: string): CommandContestant {
  return job(runtime, name, [what, "-", "0"]);
}

/** Reads, and with most jobs parses, that many entity files. */
export function loading(runtime: Runtime, count: number, name: string, what = name): CommandContestant {
  return job(runtime, name, [what, pathOf(count), String(count)], () => projectWith(count));
}

function job({ command }: Runtime, name: string, args: readonly string[], needed?: () => void): CommandContestant {
  const setup = (): void => {
    writeScript();
    needed?.();
  };
  return { name, command: [...command, scriptPath(), ...args], setup };
}

/** An `atomic` command in a project with that many entities. */
export function command({ command: start }: Runtime, count: number, args: readonly string[]): CommandContestant {
  return {
    name: `atomic ${args[0]}`,
    command: [...start, commandPath, ...args],
    cwd: pathOf(count),
    env: { HOME: homeBeside(pathOf(count)) },
    setup: () => void projectWith(count),
  };
}

/** With what we claim; the same for CPU and wall. */
export function ours(contestant: CommandContestant, ...claims: readonly RatioClaim[]): CommandContestant {
  const expectRatio = claims.flatMap((claim) => [{ ...claim, metric: "cpu" } as const, claim]);
  return { ...contestant, ours: true, expectRatio };
}

export function groupOn(runtime: Runtime, title: string, baseline: string, contestants: Group["contestants"]): Group {
  return { title: `${title}, on ${runtime.name}`, baseline, contestants };
}
