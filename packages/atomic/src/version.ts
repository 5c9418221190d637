import { readFileSync } from "node:fs";

/** The package's own version; its package.json lies beside both `src` and `dist`. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version;
}
