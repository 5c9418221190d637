import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../entities/system-error.ts";

export function runsFolder(project: string): string {
  return join(project, ".atomic", "runs");
}

/** Creates the folder. Runs should not be committed: they contain prompts, answers and whatever agents have read. */
export function makeRunsFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
