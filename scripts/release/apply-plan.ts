import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "./commands.ts";
import type { ReleasePlan } from "./plan-release.ts";

/** Writes the new versions and the changelog into a clone, commits them and tags the commit. Nothing is pushed. */
export async function applyPlan(clone: string, plan: ReleasePlan): Promise<void> {
  for (const [path, text] of Object.entries(plan.files)) await writeFile(join(clone, path), text);
  await git(["add", "--", ...Object.keys(plan.files)], { cwd: clone });
  await git(["commit", "--quiet", "--message", plan.commitMessage], { cwd: clone });
  await git(["tag", "--annotate", plan.tag, "--message", `Release ${plan.version}`], { cwd: clone });
}
