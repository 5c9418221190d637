/** The commands of a package manager, for texts that show what to type. */
export interface PackageManager {
  readonly name: "npm" | "bun" | "pnpm" | "yarn";
  readonly install: string;
  /** What goes before the name of an installed program. */
  readonly run: string;
  /** The same for a program that is not installed and has its package's name. */
  readonly fetch: string;
  /** The same for a program of another name, which alone could be that of another package. */
  fetchFrom(packageName: string): string;
}

export const npm: PackageManager = {
  name: "npm",
  install: "npm install",
  run: "npx",
  fetch: "npx",
  fetchFrom: (packageName) => `npx -p ${packageName}`,
};
export const bun: PackageManager = {
  name: "bun",
  install: "bun install",
  run: "bunx",
  fetch: "bunx",
  fetchFrom: (packageName) => `bunx -p ${packageName}`,
};
export const pnpm: PackageManager = {
  name: "pnpm",
  install: "pnpm install",
  run: "pnpm exec",
  fetch: "pnpm dlx",
  fetchFrom: (packageName) => `pnpm --package=${packageName} dlx`,
};
export const yarn: PackageManager = {
  name: "yarn",
  install: "yarn install",
  run: "yarn",
  fetch: "yarn dlx",
  fetchFrom: (packageName) => `yarn dlx -p ${packageName}`,
};

export function packageManagerNamed(name: string | undefined): PackageManager | undefined {
  return [npm, bun, pnpm, yarn].find((each) => each.name === name);
}

/**
 * The one that started this program, if one did.
 *
 * @param agent `npm_config_user_agent`: `bun/1.4.4 npm/? node/v24`.
 */
export function packageManagerByAgent(agent = ""): PackageManager | undefined {
  return packageManagerNamed(agent.split("/")[0]);
}
