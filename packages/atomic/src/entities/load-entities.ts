import type { EntityRegistry } from "@atomic/workflows/registry";
import type { Context } from "../context.ts";
import type { Where } from "../report/path.ts";
import { findProject } from "./project.ts";

export interface LoadedEntities {
  readonly registry: EntityRegistry;
  readonly where: Where;
}

/** Everything that the project, the user and atomic itself have. */
export async function loadEntities(context: Context): Promise<LoadedEntities> {
  const [{ initializeWorkflowsSDK }, where] = await Promise.all([
    import("@atomic/workflows/initialize"),
    locate(context),
  ]);
  const registry = await initializeWorkflowsSDK({ projectPath: where.project, userPath: where.home, env: context.env });
  return { registry, where };
}

/** The project is that of `folder`, which is by default the current one. */
export async function locate({ cwd, home }: Pick<Context, "cwd" | "home">, folder: string = cwd): Promise<Where> {
  const { formats } = await import("@atomic/workflows/formats/all");
  const places = formats.flatMap((format) => format.places).filter(({ location }) => location === "project");
  const marks = new Set([".git", ...places.map(({ path }) => path.split("/")[0] ?? path)]);
  return { cwd, home, project: findProject(folder, { home, marks }) };
}
