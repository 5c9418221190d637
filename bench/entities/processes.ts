/** Contestants that do one job of `load.mjs` in a fresh process, beside one that only starts and waits: a claim in milliseconds. */
import { fileURLToPath } from "node:url";
import type { CommandContestant, Group } from "../harness/bench.ts";
import { pathOf, projectWith } from "./fixtures.ts";

export interface Runtime {
  readonly name: "Node" | "Bun";
  readonly command: readonly string[];
}

export const runtimes: readonly Runtime[] = [
  { name: "Node", command: ["node"] },
  { name: "Bun", command: [process.execPath] },
];

const script = fileURLToPath(import.meta.resolve("./load.mjs"));

/** Starts the runtime and does nothing else: subtract it from the others to see what they do. */
export function onlyStart(runtime: Runtime): CommandContestant {
  return { name: "only start", command: [...runtime.command, script, "nothing", "-", "0"] };
}

/** A budget as a contestant: whoever is quicker did its job within that time, on this machine, in this round. */
export function startAndWait(runtime: Runtime, ms: number): CommandContestant {
  return { name: budgetName(ms), command: [...runtime.command, script, "wait", String(ms), "0"] };
}

export function budgetName(ms: number): string {
  return `start, wait ${ms} ms`;
}

export function importing(runtime: Runtime, name: string, job: string): CommandContestant {
  return { name, command: [...runtime.command, script, job, "-", "0"] };
}

/** Reads, and with most jobs parses, that many entity files. */
export function loading(runtime: Runtime, count: number, name: string, job = name): CommandContestant {
  return {
    name,
    command: [...runtime.command, script, job, pathOf(count), String(count)],
    setup: () => projectWith(count),
  };
}

export function ours(contestant: CommandContestant, claim: { of: string; atMost: number }): CommandContestant {
  return { ...contestant, ours: true, expectRatio: claim };
}

export function groupOn(runtime: Runtime, title: string, baseline: string, contestants: Group["contestants"]): Group {
  return { title: `${title}, on ${runtime.name}`, baseline, contestants };
}
