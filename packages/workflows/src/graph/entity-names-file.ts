import { compareCodePoints } from "../entities/code-point-order.ts";
import { entityTypes } from "../entities/entity.ts";
import type { EntityRegistry } from "../entities/registry.ts";

/**
 * The text of a `.d.ts` file with the names of all entities. In a project that includes it, an unknown name in a graph is a
 * type error.
 *
 * @example
 * await writeFile(".atomic/entity-names.d.ts", entityNamesFile(registry));
 */
export function entityNamesFile(registry: EntityRegistry): string {
  const members = entityTypes.map((type) => {
    const words = registry.all(type).flatMap(({ name, displayName, aliases }) => [name, displayName, ...aliases]);
    const names = [...new Set(words)].sort(compareCodePoints);
    const union = names.length === 0 ? " never" : names.map((name) => `\n      | ${JSON.stringify(name)}`).join("");
    return `    readonly ${type}:${union};\n`;
  });
  return (
    "// Generated: names of the entities of this project.\n" +
    'import "@atomic/workflows/entity-names";\n\n' +
    'declare module "@atomic/workflows/entity-names" {\n' +
    `  interface KnownEntities {\n${members.join("")}  }\n}\n`
  );
}
