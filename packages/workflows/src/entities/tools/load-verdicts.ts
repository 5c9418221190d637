import type { Entity, EntitySource } from "../entity.ts";
import { readTextFile } from "../read-file.ts";
import { tools } from "./all.ts";
import { toolPlaceOf } from "./places.ts";
import { refused, type ToolFile, type ToolReader, type ToolReading, type ToolVerdict } from "./tool.ts";

/**
 * Which tools load this file and under which name, or why not. Namesakes are not considered: `viewAs` shows which one wins.
 *
 * @param among More entities of the same folders: some tools do not look into a folder that is itself a skill.
 *
 * @example
 * loadVerdicts(registry.require("command", "commit"));
 * // [{ tool: "claude", loads: true, as: "commit", kind: "command" },
 * //  { tool: "opencode", loads: false, because: "OpenCode does not look in .claude/commands." }, …]
 */
export function loadVerdicts(entity: Entity, among: Iterable<Entity> = []): ToolVerdict[] {
  const { provider, path, place } = entity.source;
  return tools.map((tool) => {
    const { name, title } = tool;
    // OpenCode gets what Hugo installed from the plugin of its workflow.
    if (provider === "hugo" && name === "opencode" && entity.type !== "workflow") {
      return { tool: name, loads: true, as: entity.displayName, kind: entity.type };
    }
    const [found] = readAs(tool, [entity], [entity, ...among]);
    if (found !== undefined) {
      const verdict = verdictOf(tool, found.reading);
      return verdict.loads ? { ...verdict, kind: found.file.place.as } : verdict;
    }
    if (provider === "hugo") return verdictOf(tool, refused(`${title} does not look in Hugo's store.`));
    const isFile = path !== undefined && place !== undefined;
    const because = isFile ? `${title} does not look in ${place}.` : `There is no file that ${title} could read.`;
    return verdictOf(tool, refused(because));
  });
}

function verdictOf(tool: ToolReader, alone: ToolReading): ToolVerdict {
  const reading = alone.kind === "loaded" ? (tool.combine?.([alone.item]) ?? alone) : alone;
  if (reading.kind === "loaded") {
    const { name, remark } = reading.item;
    return { tool: tool.name, loads: true, as: name, ...(remark !== undefined && { because: remark }) };
  }
  const isFatal = reading.kind === "fatal" ? ({ fatal: true } as const) : {};
  return { tool: tool.name, loads: false, because: reading.because, ...isFatal };
}

export interface ReadFile {
  readonly file: ToolFile;
  readonly reading: ToolReading;
}

/** What the tool makes of each of these entities that lies where it looks. Their files are read, the others' are not. */
export function readAs(tool: ToolReader, entities: readonly Entity[], all: Iterable<Entity> = entities): ReadFile[] {
  const known = new Set([...all].map(({ source }) => keyOf(source)));
  return entities.flatMap((entity) => {
    const { source } = entity;
    const place = toolPlaceOf(tool.name, source);
    if (place === undefined || source.path === undefined) return [];
    const hasNeighbour = (relative: string): boolean => known.has(keyOf({ ...source, relative }));
    const file: ToolFile = { entity, place, relative: source.relative ?? "", hasNeighbour };
    if (source.pointer !== undefined) return { file, reading: tool.read(file) };
    const content = readTextFile(source.path);
    if (content.kind === "unreadable") return { file, reading: refused(content.diagnostic.message) };
    return { file, reading: tool.read({ ...file, text: content.text }) };
  });
}

function keyOf({ location, place, relative }: EntitySource): string {
  return `${location} ${place}/${relative}`;
}
