// The name under which a person's decisions are recorded: the same in OpenCode and in a shell.
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
  // macOS and networks keep users elsewhere.
  return lines.map((line) => line.split(":")).find((fields) => fields[2] === String(id))?.[0] || userInfo().username;
}
