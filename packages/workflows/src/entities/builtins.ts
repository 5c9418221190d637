import { join } from "node:path";
import { packageRoot } from "../modules/package-root.ts";
import type { EntityType } from "./entity.ts";
import { atomic } from "./formats/atomic.ts";
import { loadPlace } from "./load.ts";
import type { EntityRegistry } from "./registry.ts";

/**
 * Registers the skills and workflows that come with this package: files, as everybody's. Skills are read on first use,
 * workflows run only when somebody runs them.
 *
 * @example
 * const registry = createEntityRegistry();
 * registerBuiltins(registry);
 * registry.getSkill("commit")?.argumentHint; // "[message] | --amend"
 */
export function registerBuiltins(registry: EntityRegistry): void {
  const folder = join(packageRoot(), "builtin");
  registerFolder(registry, "skill", join(folder, "skills"));
  registerFolder(registry, "workflow", join(folder, "workflows"));
}

function registerFolder(registry: EntityRegistry, type: EntityType, path: string): void {
  const places = atomic.places.filter((place) => place.kind === "folder" && place.type === type);
  const loads = places
    .filter(({ location }) => location === "project")
    .map((place) => loadPlace(place, path, "builtin"));
  const entities = loads.flatMap((load) => load.entities);
  for (const entity of entities) registry.register(entity);
  for (const diagnostic of loads.flatMap(({ diagnostics }) => diagnostics)) registry.report(diagnostic);
  if (entities.length === 0) {
    registry.report({
      severity: "warning",
      code: "builtins-missing",
      message: `The ${type}s that come with this package are not where they belong.`,
      path,
      hint: "A bundler must copy the folder `builtin` of @atomic/workflows beside the code.",
    });
  }
}
