// Which entries mean something to a host in the middle of a text.
import type { Entity } from "@atomic/workflows/internal/entities/entity";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import { tools } from "@atomic/workflows/internal/entities/tools/all";
import { readAs } from "@atomic/workflows/internal/entities/tools/load-verdicts";
import type { PromptHost } from "./line/host-command.ts";
import type { PromptEntry } from "./line/suggestions.ts";
import { isEntityEntry } from "./load-catalog.ts";

/** Those of the entries that the host reads. */
export type HostReader = (host: PromptHost, entries: readonly PromptEntry[]) => readonly PromptEntry[];

/** Commands, skills and agents by the name that the host knows. Their files are read when they are first asked about. */
export function hostReader(registry: EntityRegistry): HostReader {
  const known = new Map<PromptHost, Map<Entity, boolean>>();
  return (host, entries) => {
    const reads = known.get(host) ?? new Map<Entity, boolean>();
    known.set(host, reads);
    // With a namesake, an entry has a qualified name, which only `atomic` reads.
    const possible = entries.filter(isEntityEntry).filter((entry) => entry.name === entry.entity.name);
    const unknown = possible.flatMap(({ entity }) => (reads.has(entity) ? [] : [entity]));
    if (unknown.length > 0) {
      const read = readBy(host, unknown, registry);
      for (const entity of unknown) reads.set(entity, read.has(entity));
    }
    return possible.filter(({ entity }) => reads.get(entity));
  };
}

/** All at once: a tool may look at the files beside each of them. */
function readBy(host: PromptHost, entities: readonly Entity[], registry: EntityRegistry): ReadonlySet<Entity> {
  const found = new Set<Entity>();
  const tool = tools.find(({ name }) => name === host);
  const files = tool === undefined ? [] : readAs(tool, entities, registry.entries());
  for (const { file, reading } of files) {
    const alone = reading.kind === "loaded" ? (tool?.combine?.([reading.item]) ?? reading) : reading;
    if (alone.kind === "loaded") found.add(file.entity);
  }
  // OpenCode gets an installed workflow's entities from its plugin.
  const isInstalled = ({ source, type }: Entity): boolean => source.provider === "hugo" && type !== "workflow";
  for (const entity of entities) if (host === "opencode" && isInstalled(entity)) found.add(entity);
  return found;
}
