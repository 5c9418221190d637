import type { Entity } from "../entity.ts";
import { tools } from "./all.ts";
import { readAs } from "./read-as.ts";
import { refused, type Tool, type ToolReading, type ToolVerdict } from "./tool.ts";

/**
 * Which tools load this file and under which name, or why not. Namesakes are not considered: `viewAs` tells who wins.
 *
 * @param among More entities of the same folders: some tools do not look into a folder that is itself a skill.
 *
 * @example
 * loadVerdicts(registry.require("command", "commit"));
 * // [{ tool: "claude", loads: true, as: "commit", kind: "command" },
 * //  { tool: "opencode", loads: false, because: "OpenCode does not look into .claude/commands." }, …]
 */
export function loadVerdicts(entity: Entity, among: Iterable<Entity> = []): ToolVerdict[] {
  return tools.map((tool) => {
    const brought = broughtTo(tool, entity);
    if (brought !== undefined) return brought;
    const [found] = readAs(tool, [entity], [entity, ...among]);
    if (found === undefined) return verdictOf(tool, refused(whyNotRead(tool, entity)));
    const kind = found.file.place.as;
    const verdict = verdictOf(tool, found.reading);
    return verdict.loads ? { ...verdict, kind } : verdict;
  });
}

function verdictOf(tool: Tool, alone: ToolReading): ToolVerdict {
  const reading = alone.kind === "loaded" ? (tool.combine?.([alone.item]) ?? alone) : alone;
  if (reading.kind === "loaded") {
    const { name, remark } = reading.item;
    return { tool: tool.name, loads: true, as: name, ...(remark !== undefined && { because: remark }) };
  }
  const isFatal = reading.kind === "fatal" ? ({ fatal: true } as const) : {};
  return { tool: tool.name, loads: false, because: reading.because, ...isFatal };
}

/** OpenCode gets what Hugo installed from the plugin of its workflow. */
function broughtTo({ name: tool }: Tool, { type, displayName, source }: Entity): ToolVerdict | undefined {
  if (source.provider !== "hugo" || tool !== "opencode" || type === "workflow") return undefined;
  return { tool, loads: true, as: displayName, kind: type };
}

function whyNotRead({ title }: Tool, { source: { path, place, provider } }: Entity): string {
  if (provider === "hugo") return `${title} does not look into Hugo's store.`;
  if (path === undefined || place === undefined) return `There is no file that ${title} could read.`;
  return `${title} does not look into ${place}.`;
}
