import type { Entity } from "@atomic/workflows/internal/entities/entity";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import type { ToolEntry, ToolVerdict, ToolView } from "@atomic/workflows/internal/entities/tools/tool";
import type { Fact } from "../report/facts.ts";

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
    import("@atomic/workflows/internal/entities/tools/load-verdicts"),
    import("@atomic/workflows/internal/entities/tools/view-as"),
  ]);
  const all = registry.entries();
  let opencode: ToolView | undefined;
  return (entity) => {
    const names = new Set(namesIn(entity));
    const near = all.filter((other) => other.diagnostics.length > 0 || namesIn(other).some((name) => names.has(name)));
    return loadVerdicts(entity, all).map((verdict) => {
      if (!verdict.loads) return verdict;
      // Any file may keep OpenCode from starting; to the others only namesakes matter.
      if (verdict.tool === "opencode") opencode ??= viewAs("opencode", all);
      const view = verdict.tool === "opencode" && opencode ? opencode : viewAs(verdict.tool, near, all);
      return { ...verdict, ...standingIn(view, entity, registry) };
    });
  };
}

/** All that Claude or Copilot may take for a file's name: what it says, or any part of its path. */
function namesIn({ name, aliases, frontmatter, source: { relative = "" } }: Entity): string[] {
  const path = relative.toLowerCase().replace(/(?:\.agent)?\.md$/, "");
  const parts = path.split("/");
  const written = typeof frontmatter.name === "string" ? [frontmatter.name] : [];
  const names = [name, ...aliases, ...written, ...parts.slice(-2), parts.join(":"), parts.slice(0, -1).join(":")];
  return names
    .map((each) => each.trim().toLowerCase().replace(/\s+/g, "-"))
    .filter((each) => !/^(?:skill)?$/.test(each));
}

function standingIn(view: ToolView, entity: Entity, registry: EntityRegistry): Partial<Reader> {
  const { type, displayName, source } = entity;
  const [fatal] = view.fatal;
  if (fatal !== undefined) return { broken: `${registry.qualifiedName(fatal.entity)}: ${fatal.because}` };
  const isFromPackage = source.provider === "hugo";
  const off = view.refused.find(
    ({ entity: other }) =>
      other === entity ||
      (isFromPackage && type === "agent" && other.type === type && other.displayName === displayName),
  );
  if (off !== undefined) return { loads: false, because: off.because };
  const entries: readonly ToolEntry[] = [...view.agents, ...view.commands, ...view.skills];
  if (isFromPackage) {
    // A tool lists the files in its own folders. What an installed workflow brings comes below all of them.
    const own = entries.find((each) => each.type === type && each.name === displayName);
    return own === undefined ? {} : { shadowedBy: registry.qualifiedName(own.entity) };
  }
  const entry = entries.find((candidate) => candidate.entity === entity || candidate.shadowed.includes(entity));
  if (entry === undefined || entry.shadowed.length === 0) return {};
  return {
    ...(entry.entity !== entity && { shadowedBy: registry.qualifiedName(entry.entity) }),
    ...(entry.decidedBy === "chance" && { byChance: true }),
  };
}

/** What one tool makes of a file, as a line for people. */
export function readerFact({ tool, loads, kind, as, because, fatal, shadowedBy, byChance, broken }: Reader): Fact {
  if (fatal === true) return [tool, `cannot start because of this file: ${because}`, "red"];
  if (!loads) return [tool, `does not read it: ${because}`, "dim"];
  const taken = shadowedBy ?? "a namesake";
  const but =
    broken !== undefined
      ? `, but cannot start because of ${broken}`
      : byChance === true
        ? `, but may pick ${taken} instead`
        : shadowedBy === undefined
          ? ""
          : `, but uses ${taken} instead`;
  const remark = because === undefined ? "" : ` (${because})`;
  return [tool, `${but === "" ? "loads" : "would load"} it as ${kind} ${as}${remark}${but}`];
}
