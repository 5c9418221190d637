import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of this package. Sources, build and bundle are at different depths below it. */
export function packageRoot(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  // A bundle outside any package has its files beside it.
  return import.meta.dirname;
}
