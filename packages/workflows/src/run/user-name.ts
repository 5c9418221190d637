// The name under which a person's decisions are recorded: the same in OpenCode, in a shell and in a database.
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";

/** By the user id, because Bun's `userInfo()` believes `$USER`, and says "unknown" without it. */
export function userName(passwd = "/etc/passwd"): string {
  const id = process.getuid?.();
  if (id === undefined) return userInfo().username;
  let lines: readonly string[] = [];
  try {
    lines = readFileSync(passwd, "utf8").split("\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const listed = lines.map((line) => line.split(":")).find((fields) => fields[2] === String(id))?.[0];
  return listed || runtimeName() || `uid ${id}`;
}

/** macOS and networks keep users elsewhere. In a container, a user may be nowhere. */
function runtimeName(): string | undefined {
  try {
    return userInfo().username;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_SYSTEM_ERROR" && code !== "ENOENT") throw error;
    return undefined;
  }
}
