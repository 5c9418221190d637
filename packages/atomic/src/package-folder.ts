import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The nearest folder above this file with a package.json: sources, build and bundle are at different depths. */
export function packageFolder(folder: string = import.meta.dirname): string {
  return existsSync(join(folder, "package.json")) ? folder : packageFolder(dirname(folder));
}
