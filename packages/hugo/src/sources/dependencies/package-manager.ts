import { shown } from "@atomic/durable-files/safety/names";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { fetchTimeout } from "../limits.ts";
import { findProgram, trustedPath } from "../program/find-program.ts";
import { runProgram } from "../program/run-program.ts";
import { compareVersions } from "../registry/version.ts";
import { bun } from "./bun.ts";
import { npm } from "./npm.ts";

/** A program that installs what the package.json of a folder asks for. */
export interface PackageManager {
  readonly name: "bun" | "npm";
  /** The oldest version that keeps all promises made here. */
  readonly since: string;
  /** Scripts off, files copied, nothing asked. `before` is the moment after which nothing may have been published. */
  arguments(options: { readonly before: Date | undefined; readonly registry: string }): string[];
  /** What its lock file says that it installed. */
  readLock(folder: string): LockedPackage[];
  /** What it leaves besides `node_modules`. */
  readonly leavings: readonly string[];
}

export interface LockedPackage {
  readonly name: string;
  /** Absent if it did not come from a registry. */
  readonly version: string | undefined;
}

/** In order of preference: bun is a hundred times faster at it. */
export const packageManagers: readonly PackageManager[] = [bun, npm];

export interface FoundManager {
  readonly manager: PackageManager;
  readonly file: string;
}

/** The first that is there and new enough, or the one that `HUGO_PACKAGE_MANAGER` names. */
export async function findPackageManager(context: Context): Promise<FoundManager> {
  const { HUGO_PACKAGE_MANAGER: wanted } = context.env;
  const candidates = wanted ? packageManagers.filter(({ name }) => name === wanted) : packageManagers;
  if (candidates.length === 0) {
    throw new HugoError("setting-invalid", {
      message: "HUGO_PACKAGE_MANAGER names no package manager that Hugo knows",
      hint: `Set it to ${namesOf(packageManagers)}, or not at all.`,
    });
  }
  const outdated: string[] = [];
  for (const manager of candidates) {
    const file = findProgram(manager.name, context);
    if (file === undefined) continue;
    const version = await versionOf(file, context);
    // An older one would pass over options that it does not know, without a word.
    if (compareVersions(version, manager.since) >= 0) return { manager, file };
    outdated.push(`${file} is version ${shown(version)}, older than ${manager.since}`);
  }
  const why = outdated.length > 0 ? outdated.join(", ") : "none is on the PATH outside of this project";
  throw new HugoError("program-failed", {
    message: `The package has dependencies, which need ${namesOf(candidates)}: ${why}`,
    hint: `Install ${namesOf(candidates)}, then try again.`,
  });
}

async function versionOf(file: string, context: Context): Promise<string> {
  const env = { PATH: trustedPath(context), HOME: context.home };
  const timeout = fetchTimeout(context.env);
  const { stdout } = await runProgram({ file, args: ["--version"], cwd: "/", env, timeout, signal: context.signal });
  return stdout.trim();
}

function namesOf(managers: readonly PackageManager[]): string {
  return managers.map(({ name }) => name).join(" or ");
}
