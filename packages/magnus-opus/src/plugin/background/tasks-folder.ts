import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { homeFolder } from "@atomic/terminal/home-folder";
import type { Workplace } from "../../sessions/workplace.ts";

/** Where a project's background tasks are remembered: outside the project, like a run's seal. */
export function tasksFolder(directory: string, env: NodeJS.ProcessEnv = process.env): string {
  const home = env.XDG_STATE_HOME || join(homeFolder(env), ".local", "state");
  const project = createHash("sha256").update(directory).digest("hex").slice(0, 24);
  return join(home, "magnus-opus", "background", project);
}

/** Whether an earlier process left something to report. */
export function hasLeftTasks({ directory }: Workplace): boolean {
  const folder = tasksFolder(directory);
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".jsonl"));
}
