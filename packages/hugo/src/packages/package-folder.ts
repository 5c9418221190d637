import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Hugo's own folder, from which it reads what is not code: templates, and scripts for other programs. */
export function packageFolder(): string {
  // From the source, from the build and from a bundle of it the way is of different length.
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, "templates", "workflow", "package.json"))) return folder;
  }
  throw new Error(`Hugo's installation is incomplete: no templates above ${import.meta.dirname}.`);
}
