import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { InitializeOptions } from "@atomic/workflows/internal/entities/initialize";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import type { AtomicContext } from "../context.ts";
import type { Where } from "../report/path.ts";

export interface LoadedEntities {
  readonly registry: EntityRegistry;
  readonly where: Where;
}

/** Everything in the project, in the user's home folder and built into atomic. */
export async function loadEntities(
  context: AtomicContext,
  options: Pick<InitializeOptions, "stats"> = {},
): Promise<LoadedEntities> {
  const [{ initializeWorkflowsSDK }, where] = await Promise.all([
    import("@atomic/workflows/internal/entities/initialize"),
    locate(context),
  ]);
  const { project: projectPath, home: userPath } = where;
  const registry = await initializeWorkflowsSDK({ projectPath, userPath, env: context.env, ...options });
  return { registry, where };
}

/** Finds the project that `folder` belongs to; by default, that of the current folder. */
export async function locate({ cwd, home }: Pick<AtomicContext, "cwd" | "home">, folder: string = cwd): Promise<Where> {
  return { cwd, home, project: findProject(folder, { home, marks: await marksOfProjects() }) };
}

/** What a project's folder contains: the first part of each place in which a format keeps entities, and `.git`. */
export async function marksOfProjects(): Promise<ReadonlySet<string>> {
  const { formats } = await import("@atomic/workflows/internal/entities/formats/all");
  const places = formats.flatMap((format) => format.places).filter(({ location }) => location === "project");
  return new Set([".git", ...places.map(({ path }) => path.split("/")[0] ?? path)]);
}

/**
 * The project that a folder belongs to: the nearest folder, from here upwards, that contains one of the marks. The
 * home folder counts only as its own project, because what lies there is the user's.
 */
export function findProject(
  cwd: string,
  { home, marks }: { readonly home: string; readonly marks: Iterable<string> },
): string {
  const known = [...marks];
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (known.some((mark) => existsSync(join(folder, mark)))) return folder;
    const above = dirname(folder);
    if (folder === home || above === home || above === folder) return cwd;
  }
}
