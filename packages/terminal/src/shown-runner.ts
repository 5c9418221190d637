import { existsSync } from "node:fs";
import { delimiter, join, sep } from "node:path";
import { npm, packageManagerByAgent } from "./package-managers.ts";

interface PublishedProgram {
  /** The command that its package declares. */
  readonly program: string;
  readonly packageName: string;
}

/**
 * What has to be typed before the program's name, so a shell finds the one that is running: `npx` if it is installed in a
 * project and nowhere else, and `npx -p @atomic/cli` if it is not installed at all. `npx` itself puts such folders into the
 * PATH, but not into that of your shell.
 *
 * @param script The program's own file, as it was called.
 */
export function shownRunner(
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  { program, packageName }: PublishedProgram,
): string | undefined {
  if (!script.split(sep).includes("node_modules")) return undefined;
  const isFound = shellFolders(env).some((folder) =>
    ["", ".cmd"].some((ending) => existsSync(join(folder, `${program}${ending}`))),
  );
  if (isFound) return undefined;
  const { run, fetch, fetchFrom } = packageManagerByAgent(env.npm_config_user_agent) ?? npm;
  if (!wasFetched(script)) return run;
  return packageName === program ? fetch : fetchFrom(packageName);
}

/** The PATH without the folders that package managers add for the programs that they start. */
export function shellFolders(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env.PATH ?? "").split(delimiter).filter((each) => each !== "" && !each.endsWith(ownFolder));
}

/** npx, bunx, `dlx` and Hugo keep in such folders what no project has installed for npm. */
export function wasFetched(script: string): boolean {
  return /[\\/](?:_npx|\.?bunx-[^\\/]*|dlx(?:-[^\\/]*)?|\.hugo[\\/]store)[\\/]/.test(script);
}

const ownFolder = join("node_modules", ".bin");
