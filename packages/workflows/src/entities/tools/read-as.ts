import type { Entity, EntitySource } from "../entity.ts";
import { readTextFile } from "../read-file.ts";
import { toolPlaceOf } from "./places.ts";
import { refused, type Tool, type ToolFile, type ToolReading } from "./tool.ts";

export interface ReadFile {
  readonly file: ToolFile;
  readonly reading: ToolReading;
}

/** What the tool makes of each of these entities that lies where it looks. Their files are read, the others' are not. */
export function readAs(tool: Tool, entities: readonly Entity[], all: Iterable<Entity> = entities): ReadFile[] {
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
