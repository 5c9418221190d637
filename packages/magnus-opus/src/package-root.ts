import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with `agents`, `commands`, `skills` and `words`, seen from a source file as well as from the bundle. */
export const packageRoot: string = nearestPackage(dirname(fileURLToPath(import.meta.url)));

function nearestPackage(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : nearestPackage(dirname(folder));
}
