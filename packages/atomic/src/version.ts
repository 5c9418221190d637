import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The package's own version, from the nearest package.json above this file: sources, build and bundle lie at different depths. */
export function version(folder: string = import.meta.dirname): string {
  const file = join(folder, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : version(dirname(folder));
}
