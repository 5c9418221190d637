/** The commands of the package manager that a project uses. */
export interface PackageManager {
  readonly name: "npm" | "bun" | "pnpm" | "yarn";
  readonly install: string;
  /** What goes before the name of an installed program. */
  readonly run: string;
}

const npm: PackageManager = { name: "npm", install: "npm install", run: "npx" };
const bun: PackageManager = { name: "bun", install: "bun install", run: "bunx" };
const pnpm: PackageManager = { name: "pnpm", install: "pnpm install", run: "pnpm exec" };
const yarn: PackageManager = { name: "yarn", install: "yarn install", run: "yarn" };

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
