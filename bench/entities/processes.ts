/** Contestants that do one job of `load.mjs` in a fresh process, and one that only starts and waits: a claim in milliseconds. */
import type { CommandContestant, Group } from "../harness/bench.ts";
import { pathOf, projectWith, scriptPath, writeScript } from "./fixtures.ts";

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

/** A budget as a contestant: a faster one did its job within that time, on this machine, in this round. */
export function startAndWait(runtime: Runtime, ms: number): CommandContestant {
  return job(runtime, budgetName(ms), ["wait", String(ms), "0"]);
}

export function budgetName(ms: number): string {
  return `start, wait ${ms} ms`;
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

export function ours(contestant: CommandContestant, claim: { of: string; atMost: number }): CommandContestant {
  return { ...contestant, ours: true, expectRatio: claim };
}

export function groupOn(runtime: Runtime, title: string, baseline: string, contestants: Group["contestants"]): Group {
  return { title: `${title}, on ${runtime.name}`, baseline, contestants };
}
