import { relative, sep } from "node:path";
import { foldName } from "../safety/names.ts";

/** Whether a path is one of the files that hold the state folder itself together. Both are real paths. */
export function isControlFile(stateDir: string, path: string): boolean {
  const first = foldName(relative(stateDir, path).split(sep, 1)[0] ?? "");
  return first === "lock" || first.startsWith("transaction.");
}
