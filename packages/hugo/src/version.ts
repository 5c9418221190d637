import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./packages/package-folder.ts";

/** The package's own. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8"));
  return version;
}
