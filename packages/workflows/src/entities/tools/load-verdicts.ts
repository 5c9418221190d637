import { dirname } from "node:path";
import type { Entity, EntitySource, ToolName } from "../entity.ts";
import { readSmallText, readTextFile, type TextFile } from "../read-file.ts";
import { tools } from "./all.ts";
import { toolPlaceLike, toolPlaceOf } from "./places.ts";
import { refused, type ToolFile, type ToolReader, type ToolReading, type ToolVerdict } from "./tool.ts";

/**
 * Which tools load this file and under which name, or why not. Namesakes are not considered: `viewAs` shows which one wins.
 *
 * @param among More entities in the same folders: some tools do not look inside a folder that is itself a skill.
 * @param read See `readOnce`.
 *
 * @example
 * loadVerdicts(registry.require("command", "commit"));
 * // [{ tool: "claude", loads: true, as: "commit", kind: "command" },
 * //  { tool: "opencode", loads: false, because: "OpenCode does not look in .claude/commands." }, …]
 */
export function loadVerdicts(entity: Entity, among: Iterable<Entity> = [], read: ReadText = readOnce()): ToolVerdict[] {
  const { provider, path, place } = entity.source;
  const all = [entity, ...among];
  return tools.map((tool) => {
    const { name, title } = tool;
    // OpenCode gets an installed workflow's entities from its plugin.
    if (provider === "hugo" && name === "opencode" && entity.type !== "workflow") {
      return verdict(name, { as: entity.displayName, kind: entity.type });
    }
    const [found] = readAs(tool, [entity], all, read);
    if (found === undefined) {
      let because = `${title} does not look in ${place}.`;
      if (path === undefined || place === undefined) because = `It has no file that ${title} can read.`;
      // Too far up, or where only other tools look since you moved its home folder.
      else if (toolPlaceLike(name, entity.source)) because = `${title} does not look in ${dirname(path)}.`;
      if (provider === "hugo") because = `${title} does not look in Hugo's store.`;
      return verdict(name, { because });
    }
    const alone = found.reading;
    const reading = alone.kind === "loaded" ? (tool.combine?.([alone.item]) ?? alone) : alone;
    if (reading.kind === "loaded") {
      const { name: as, remark: because } = reading.item;
      return verdict(name, { as, because, kind: found.file.place.as });
    }
    return verdict(name, { because: reading.because, fatal: reading.kind === "fatal" ? true : undefined });
  });
}

/** All have the same keys: reading tens of thousands of objects with different ones is slow. */
function verdict(tool: ToolName, { as, kind, because, fatal }: Partial<ToolVerdict>): ToolVerdict {
  return { tool, loads: kind !== undefined, as, kind, because, fatal };
}

/** Gives a file's text, or why it cannot be read. */
export type ReadText = (
  path: string,
) => Pick<TextFile & { kind: "text" }, "kind" | "text"> | (TextFile & { kind: "unreadable" });

/**
 * Reads a file once, if several ask for it one after the other.
 *
 * @param known The texts of files that were read before.
 */
export function readOnce(known?: ReadonlyMap<string, string>): ReadText {
  let last: { readonly path: string; readonly content: ReturnType<ReadText> } | undefined;
  return (path) => {
    if (last?.path === path) return last.content;
    const text = known?.get(path) ?? readSmallText(path);
    const content = text === undefined ? readTextFile(path) : ({ kind: "text", text } as const);
    last = { path, content };
    return content;
  };
}

export interface ReadFile {
  readonly file: ToolFile;
  readonly reading: ToolReading;
}

/** How the tool reads each of these entities that is in one of its places. Only their files are read, not those of `all`. */
export function readAs(
  tool: ToolReader,
  entities: readonly Entity[],
  all: Iterable<Entity> = entities,
  read: ReadText = readOnce(),
): ReadFile[] {
  let neighbourhood: ReturnType<typeof neighbourhoodOf> | undefined;
  const neighbours = () => (neighbourhood ??= neighbourhoodOf(all));
  return entities.flatMap((entity) => {
    const { source } = entity;
    const place = toolPlaceOf(tool.name, source);
    if (place === undefined || source.path === undefined) return [];
    const file: ToolFile = {
      entity,
      place,
      relative: source.relative ?? "",
      countFiles: () => neighbours().counts.get(`${entity.type} ${keyOf(source, "")}`) ?? 1,
      hasNeighbour: (relative) => neighbours().known.has(keyOf(source, relative)),
    };
    if (source.pointer !== undefined) return { file, reading: tool.read(file) };
    const content = read(source.path);
    if (content.kind === "unreadable") return { file, reading: refused(content.diagnostic.message) };
    return { file, reading: tool.read({ ...file, text: content.text }) };
  });
}

/** The paths of all files, and how many there are in each folder. Few readers ask for them, and gathering them takes a while. */
function neighbourhoodOf(all: Iterable<Entity>) {
  const known = new Set<string>();
  const counts = new Map<string, number>();
  for (const { type, source } of all) {
    const key = keyOf(source);
    const isHidden = /(?:^|\/)\./.test(source.relative ?? "");
    const root = `${type} ${keyOf(source, "")}`;
    if (!known.has(key) && !isHidden) counts.set(root, (counts.get(root) ?? 0) + 1);
    known.add(key);
  }
  return { known, counts };
}

/** The file's path, also for a file that may not exist. */
function keyOf({ path = "", relative = "" }: EntitySource, other: string = relative): string {
  return path.slice(0, path.length - relative.length) + other;
}
