// Brings a project into the state that a crash in the middle of the installation leaves behind, without a crash.
import * as fs from "node:fs";
import { planEntries } from "../../src/transaction/plan-entries.ts";
import { advance, type RecordEntry, writeIntent } from "../../src/transaction/record.ts";
import { stage } from "../../src/transaction/stage.ts";
import { before, installChanges, pruneUpTo, stateDir, writeProject } from "./project-files.ts";

/** Stops after `applied` files were put in place; "prepared" stops before the point of no return. */
export async function interrupt(project: string, applied: number | "prepared"): Promise<RecordEntry[]> {
  writeProject(project, before);
  const state = stateDir(project);
  fs.mkdirSync(state);
  const plan = planEntries(state, installChanges(project), pruneUpTo(project));
  writeIntent(state, plan.record);
  await stage(plan);
  const { entries } = plan.record;
  if (applied === "prepared") return entries;
  advance(state, "intent", "commit");
  for (const entry of entries.slice(0, applied)) {
    if (entry.kind === "delete") fs.unlinkSync(entry.target);
    else fs.renameSync(entry.temp, entry.target);
  }
  return entries;
}
