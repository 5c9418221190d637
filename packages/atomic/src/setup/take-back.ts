// `atomic setup --undo`: takes back what the record lists, the last part first.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { recoverFiles, stateFolder } from "../project/write-files.ts";
import { forgetRecord, readRecord, removeState, type SetupRecord, writeRecord } from "./record.ts";
import { failedStep, type ReportedStep } from "./reported-steps.ts";
import type { SetupStep } from "./steps.ts";

export async function takeBack(
  project: string,
  stepsFor: (record: SetupRecord) => readonly SetupStep[],
  dryRun: boolean,
): Promise<readonly ReportedStep[]> {
  // A setup that was killed may have left a transaction and no record yet.
  const recovered = dryRun || !existsSync(join(project, stateFolder)) ? undefined : await recoverFiles(project);
  let record = readRecord(project);
  if (record === undefined) {
    if (recovered !== undefined) await removeState(project);
    return [];
  }
  const reported: ReportedStep[] = [];
  for (const step of stepsFor(record).toReversed()) {
    const { name, title, affects } = step;
    if (!record.steps.includes(name)) continue;
    const undone = await step.undo(record, dryRun).catch(failedStep);
    const did = undone.did === "failed" ? "failed" : dryRun ? "would" : "taken-back";
    reported.push({ ...undone, name, title, affects, did });
    if (did !== "taken-back") continue;
    const current: SetupRecord = readRecord(project) ?? record;
    record = { ...current, steps: current.steps.filter((each) => each !== name) };
    await writeRecord(project, record);
  }
  if (!dryRun && record.steps.length === 0) await forgetRecord(project);
  return reported;
}
