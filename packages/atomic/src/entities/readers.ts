import type { Entity } from "@atomic/workflows/entity";
import type { EntityRegistry } from "@atomic/workflows/registry";
import type { ToolEntry, ToolVerdict, ToolView } from "@atomic/workflows/tools/tool";

/** What one tool does with an entity's file, given all the others. */
export interface Reader extends ToolVerdict {
  /** The qualified name of the namesake that the tool takes instead. */
  readonly shadowedBy?: string;
  /** The tool takes one of several namesakes, and not always the same. */
  readonly byChance?: true;
  /** Why the tool does not start at all, because of some other file. */
  readonly broken?: string;
}

/** Answers for every entity of a registry. Reads the files again, each as the tool reads it. */
export async function readersIn(registry: EntityRegistry): Promise<(entity: Entity) => readonly Reader[]> {
  const [{ loadVerdicts }, { viewAs }] = await Promise.all([
    import("@atomic/workflows/tools/load-verdicts"),
    import("@atomic/workflows/tools/view-as"),
  ]);
  const all = registry.entries();
  const views = new Map<string, ToolView>();
  const viewOf = (tool: ToolVerdict["tool"]): ToolView => {
    const view = views.get(tool) ?? viewAs(tool, all);
    views.set(tool, view);
    return view;
  };
  return (entity) =>
    loadVerdicts(entity, all).map((verdict) => {
      if (!verdict.loads) return verdict;
      return { ...verdict, ...standingIn(viewOf(verdict.tool), entity, registry) };
    });
}

function standingIn(view: ToolView, entity: Entity, registry: EntityRegistry): Partial<Reader> {
  const [fatal] = view.fatal;
  if (fatal !== undefined) return { broken: `${registry.qualifiedName(fatal.entity)}: ${fatal.because}` };
  const off = view.refused.find(({ entity: other }) => other === entity || isBelow(entity, other));
  if (off !== undefined) return { loads: false, because: off.because };
  const entries: readonly ToolEntry[] = [...view.agents, ...view.commands, ...view.skills];
  if (entity.source.provider === "hugo") return belowUsers(entries, entity, registry);
  const entry = entries.find((candidate) => candidate.entity === entity || candidate.shadowed.includes(entity));
  if (entry === undefined || entry.shadowed.length === 0) return {};
  return {
    ...(entry.entity !== entity && { shadowedBy: registry.qualifiedName(entry.entity) }),
    ...(entry.decidedBy === "chance" && { byChance: true }),
  };
}

function isBelow({ type, displayName, source }: Entity, other: Entity): boolean {
  return source.provider === "hugo" && type === "agent" && other.type === type && other.displayName === displayName;
}

/** A tool's list is of files where it looks itself. What a workflow brings comes below all of them. */
function belowUsers(entries: readonly ToolEntry[], entity: Entity, registry: EntityRegistry): Partial<Reader> {
  const own = entries.find(({ type, name }) => type === entity.type && name === entity.displayName);
  return own === undefined ? {} : { shadowedBy: registry.qualifiedName(own.entity) };
}
