import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where a project's background tasks are remembered: outside the project, like a run's seal. */
export function tasksFolder(directory: string, env: NodeJS.ProcessEnv = process.env): string {
  const home = env.XDG_STATE_HOME || join(env.HOME || homedir(), ".local", "state");
  const project = createHash("sha256").update(directory).digest("hex").slice(0, 24);
  return join(home, "magnus-opus", "background", project);
}
