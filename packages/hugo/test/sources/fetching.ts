import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Project, type ProjectOptions, tmpProject } from "@atomic/testing/project";
import type { LockedDependencies } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../../src/context.ts";
import { HugoError } from "../../src/errors.ts";
import { type FetchedDependencies, fetchDependencies } from "../../src/sources/dependencies/fetch-dependencies.ts";
import { fetchPackage } from "../../src/sources/fetch-package.ts";
import type { Fetched, FetchOptions } from "../../src/sources/fetched.ts";
import type { SizeLimits } from "../../src/sources/limits.ts";
import { parsePackageSpec } from "../../src/sources/spec.ts";

export interface Fetching extends AsyncDisposable {
  readonly project: Project;
  readonly context: Context;
  /** All progress that was reported. */
  readonly progress: readonly string[];
  /** As `hugo install <spec>` would, each time into a folder of its own. */
  fetch(spec: string, options?: Partial<FetchOptions>, limits?: SizeLimits): Promise<Fetched>;
  /** The same with what its code needs. */
  fetchAll(spec: string, options?: AllOptions, limits?: SizeLimits): Promise<Fetched & FetchedDependencies>;
  refusalOfAll(spec: string, options?: AllOptions, limits?: SizeLimits): Promise<HugoError>;
  /** The error that fetching ends with; anything but a `HugoError` fails the test. */
  refusal(spec: string, options?: Partial<FetchOptions>, limits?: SizeLimits): Promise<HugoError>;
  /** A context with more in its environment. */
  withEnv(env: Readonly<Record<string, string>>): Fetching;
}

type AllOptions = Partial<FetchOptions> & {
  readonly locked?: LockedDependencies | undefined;
  readonly installed?: LockedDependencies | undefined;
};

export async function fetching(options: ProjectOptions = {}): Promise<Fetching> {
  return fetchingIn(await tmpProject({ git: false, ...options }), {});
}

function fetchingIn(project: Project, env: Readonly<Record<string, string>>): Fetching {
  const progress: string[] = [];
  const context: Context = {
    cwd: project.dir,
    home: project.home,
    env: { ...project.env, ...env },
    user: { approve: async () => "nobody", progress: (step) => progress.push(step) },
  };
  const fetch: Fetching["fetch"] = async (spec, options = {}, limits) => {
    const into = await mkdtemp(join(project.env.TMPDIR ?? "", "into-"));
    return await fetchPackage(parsePackageSpec(spec), { into, context, allowNew: false, ...options }, limits);
  };
  const fetchAll: Fetching["fetchAll"] = async (spec, { locked, installed, ...options } = {}, limits) => {
    const fetched = await fetch(spec, options, limits);
    const into = await mkdtemp(join(project.env.TMPDIR ?? "", "into-"));
    const { allowNew = false } = options;
    const needed = await fetchDependencies(fetched, { context, allowNew, into, locked, installed }, limits);
    return { ...fetched, ...needed };
  };
  return {
    project,
    context,
    progress,
    fetch,
    fetchAll,
    async refusalOfAll(spec, options, limits) {
      return await refusalOf(fetchAll(spec, options, limits));
    },
    async refusal(spec, options, limits) {
      return await refusalOf(fetch(spec, options, limits));
    },
    withEnv: (more) => fetchingIn(project, { ...env, ...more }),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

export async function refusalOf(promise: Promise<unknown>): Promise<HugoError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof HugoError) return outcome;
  throw outcome ?? new Error("It was accepted, though it must be refused.");
}

/** A file of what was fetched. */
export async function content({ folder }: Fetched, path: string): Promise<string> {
  return await readFile(join(folder, path), "utf8");
}

export function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}
