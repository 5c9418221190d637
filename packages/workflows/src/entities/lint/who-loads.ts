import type { Entity } from "../entity.ts";
import { loadVerdicts } from "../tools/load-verdicts.ts";
import type { ToolVerdict } from "../tools/tool.ts";

/** What each tool does with one entity's file. */
export interface EntityVerdicts {
  readonly entity: Entity;
  readonly verdicts: readonly ToolVerdict[];
}

/**
 * For each entity: which tools load its file and under which name, or why not.
 *
 * @example
 * const registry = await initializeWorkflowsSDK();
 * for (const { entity, verdicts } of whoLoads(registry.entries())) {
 *   for (const { tool, loads, as, because } of verdicts) console.log(entity.name, tool, loads ? as : because);
 * }
 */
export function whoLoads(entities: Iterable<Entity>): EntityVerdicts[] {
  const all = [...entities];
  const skillFiles = new Map(all.flatMap((entity) => (isSkillFile(entity) ? [[keyOf(entity), entity]] : [])));
  return all.map((entity) => ({ entity, verdicts: loadVerdicts(entity, neighboursOf(entity, skillFiles)) }));
}

/** A SKILL.md in the same folder or above decides about others; to look at all entities for each would take squares. */
function neighboursOf(entity: Entity, skillFiles: ReadonlyMap<string, Entity>): Entity[] {
  const folders = (entity.source.relative ?? "").split("/").slice(0, -1);
  const candidates = [[], ...folders.map((_, depth) => folders.slice(0, depth + 1))];
  return candidates.flatMap((parts) => skillFiles.get(keyOf(entity, [...parts, "SKILL.md"].join("/"))) ?? []);
}

function isSkillFile({ source }: Entity): boolean {
  return source.relative === "SKILL.md" || source.relative?.endsWith("/SKILL.md") === true;
}

function keyOf({ source: { location, place, relative } }: Entity, file: string | undefined = relative): string {
  return `${location} ${place} ${file}`;
}
