import { isAbsolute } from "node:path";
import { UsageError } from "./refusal.ts";

/** Your home folder: the variable, without the time that the runtime takes to look for more; without it, what the system says. */
export function homeFolder({ HOME }: Readonly<Record<string, string | undefined>>): string {
  const home = (process.platform === "win32" ? undefined : HOME) || systemHome();
  if (home !== undefined && isAbsolute(home)) return home;
  const because = HOME ? `HOME is not an absolute path: ${JSON.stringify(HOME)}` : "HOME is not set";
  throw new UsageError(`your home folder is unknown, because ${because}`, { hint: "Set HOME to an absolute path." });
}

/** In a container, a user may have none. */
function systemHome(): string | undefined {
  try {
    return process.getBuiltinModule("node:os").userInfo().homedir;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_SYSTEM_ERROR" && code !== "ENOENT") throw error;
    return undefined;
  }
}
