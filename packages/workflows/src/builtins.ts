import { join } from "node:path";
import { atomic } from "./formats/atomic.ts";
import { loadPlace } from "./load.ts";
import type { EntityRegistry } from "./registry.ts";

/** Beside both `src` and `dist`. */
const folder = join(import.meta.dirname, "../builtin/skills");

/**
 * Registers the skills that come with this package: Markdown, as everybody's. Their bodies are read on first use.
 *
 * @example
 * const registry = createEntityRegistry();
 * registerBuiltins(registry);
 * registry.getSkill("commit")?.argumentHint; // "[message] | --amend"
 */
export function registerBuiltins(registry: EntityRegistry): void {
  const place = atomic.places.find((candidate) => candidate.kind === "folder" && candidate.type === "skill");
  if (place === undefined) throw new Error("The Atomic format has no place for skills.");
  const { entities, diagnostics } = loadPlace(place, folder, "builtin");
  for (const entity of entities) registry.register(entity);
  for (const diagnostic of diagnostics) registry.report(diagnostic);
  if (entities.length === 0) {
    registry.report({
      severity: "warning",
      code: "builtins-missing",
      message: "The skills that come with this package are not where they belong.",
      path: folder,
      hint: "A bundler must copy the folder `builtin` of @atomic/workflows beside the code.",
    });
  }
}
