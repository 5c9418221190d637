import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a shell finds the program by its name. */
export function isOnPath(program: string, path = ""): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => ["", ".cmd"].some((ending) => existsSync(join(folder, `${program}${ending}`))));
}
