import {
  bun,
  npm,
  type PackageManager,
  packageManagerByAgent,
  packageManagerNamed,
  pnpm,
  yarn,
} from "@atomic/terminal/package-managers";

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
  return byLockFile[lockFile] ?? packageManagerNamed(declared.split("@")[0]) ?? packageManagerByAgent(agent) ?? npm;
}
