import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of this package. Sources, build and bundle lie at different depths below it. */
export function packageRoot(folder: string = import.meta.dirname): string {
  return existsSync(join(folder, "package.json")) ? folder : packageRoot(dirname(folder));
}
