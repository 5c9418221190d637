import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Hugo's own folder, with templates and scripts for other programs. */
export function packageFolder(): string {
  // The path differs between the source, the build and the bundle.
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, "templates", "workflow", "package.json"))) return folder;
  }
  throw new Error(`Hugo's installation is incomplete: no templates found above ${import.meta.dirname}.`);
}

/** Hugo's own version. */
export function version(): string {
  return JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")).version;
}
