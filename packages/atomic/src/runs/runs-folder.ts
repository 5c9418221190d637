import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRun } from "@atomic/terminal/find-run";
import type { LocalEngine } from "@atomic/workflows/run/engine";
import type { Context } from "../context.ts";
import { locate } from "../entities/load-entities.ts";
import type { Where } from "../report/path.ts";

export interface Runs {
  readonly where: Where;
  /** Where they lie. */
  readonly folder: string;
  /** To look at runs and to send them messages; it cannot work on them, as it knows no workflow. */
  readonly engine: LocalEngine;
  /** The full id for what somebody typed. */
  find(typed: string): Promise<string>;
}

/** Where a user who named no run, or an unknown one, reads on. */
export const runHints = {
  list: "`atomic runs --all` lists them.",
  start: "`atomic run <workflow>` starts one.",
} as const;

/** The runs of the project around the current folder. Reads nothing yet, and makes nothing. */
export async function runsOf(context: Context): Promise<Runs> {
  const [{ embeddedEngine }, where] = await Promise.all([import("@atomic/workflows/run/embedded"), locate(context)]);
  const folder = runsFolder(where.project);
  const engine = embeddedEngine(folder, { interpret: neverWorks });
  return { where, folder, engine, find: async (typed) => findRun(typed, await idsIn(engine), runHints) };
}

export function runsFolder(project: string): string {
  return join(project, ".atomic", "runs");
}

async function idsIn(engine: LocalEngine): Promise<string[]> {
  return (await engine.list()).map(({ runId }) => runId);
}

async function neverWorks(): Promise<never> {
  throw new Error("This engine only looks at runs.");
}

/** Makes the folder. What runs say is nothing to commit: it holds prompts, answers and whatever agents have read. */
export function makeRunsFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
