/** The commands of the package manager that a project uses. */
export interface PackageManager {
  readonly name: "npm" | "bun" | "pnpm" | "yarn";
  readonly install: string;
  /** What goes before the name of an installed program. */
  readonly run: string;
  /** The same for a program that is not installed: fetches our package. Its name alone could be that of another package. */
  readonly fetch: string;
}

const npm: PackageManager = { name: "npm", install: "npm install", run: "npx", fetch: "npx -p @atomic/cli" };
const bun: PackageManager = { name: "bun", install: "bun install", run: "bunx", fetch: "bunx -p @atomic/cli" };
const pnpm: PackageManager = {
  name: "pnpm",
  install: "pnpm install",
  run: "pnpm exec",
  fetch: "pnpm --package=@atomic/cli dlx",
};
const yarn: PackageManager = { name: "yarn", install: "yarn install", run: "yarn", fetch: "yarn dlx -p @atomic/cli" };

const byLockFile: Readonly<Record<string, PackageManager>> = {
  "bun.lock": bun,
  "bun.lockb": bun,
  "pnpm-lock.yaml": pnpm,
  "yarn.lock": yarn,
  "package-lock.json": npm,
  "npm-shrinkwrap.json": npm,
};

export const lockFiles: readonly string[] = Object.keys(byLockFile);

/**
 * By the nearest lock file, or else by `packageManager` in a package.json, or else the one that started this program.
 *
 * @param found The lock files that exist, the nearest first.
 * @param declared `packageManager` of the nearest package.json that has it: `pnpm@10.1.0`.
 * @param agent `npm_config_user_agent`: `bun/1.4.4 npm/? node/v24`.
 */
export function packageManagerOf(found: readonly string[], declared = "", agent = ""): PackageManager {
  const [lockFile = ""] = found;
  const named = [declared.split("@")[0], agent.split("/")[0]];
  const byName = named.map((name) => [npm, bun, pnpm, yarn].find((each) => each.name === name));
  return byLockFile[lockFile] ?? byName.find((each) => each !== undefined) ?? npm;
}
