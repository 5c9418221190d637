import { existsSync } from "node:fs";
import { delimiter, join, sep } from "node:path";
import { packageManagerOf } from "./package-manager.ts";

/**
 * What has to be typed before `atomic`, so a shell finds the one that is running: `npx` if it is installed in a project and
 * nowhere else, and `npx -p @atomic/cli` if it is not installed at all. `npx` itself puts such folders into the PATH, but not into that of your shell.
 *
 * @param script The program's own file, as it was called.
 */
export function shownRunner(script: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (!script.split(sep).includes("node_modules")) return undefined;
  const folders = (env.PATH ?? "").split(delimiter).filter((each) => each !== "" && !each.endsWith(ownFolder));
  const isFound = folders.some((folder) => ["", ".cmd"].some((ending) => existsSync(join(folder, `atomic${ending}`))));
  if (isFound) return undefined;
  const { run, fetch } = packageManagerOf([], "", env.npm_config_user_agent);
  return wasFetched.test(script) ? fetch : run;
}

/** Where npx, bunx and `dlx` keep what no project has installed. */
const wasFetched = /[\\/](?:_npx|bunx-[^\\/]*|dlx(?:-[^\\/]*)?)[\\/]/;

const ownFolder = join("node_modules", ".bin");
