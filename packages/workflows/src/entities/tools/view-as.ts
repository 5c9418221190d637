import { compareCodePoints } from "../code-point-order.ts";
import type { Entity } from "../entity.ts";
import { tools } from "./all.ts";
import { readAs } from "./load-verdicts.ts";
import type { ToolName, ToolPlace } from "./places.ts";
import type { ToolEntry, ToolItem, ToolReader, ToolRefusal, ToolView } from "./tool.ts";

/**
 * What Claude Code, OpenCode or Copilot itself would list of these entities: under which names, with which
 * descriptions, and whose file wins. The files are read again, each as the tool reads it.
 *
 * @example
 * const registry = await initializeWorkflowsSDK();
 * const { skills } = viewAs("claude", registry.entries());
 * // [{ name: "commit", entity, shadowed: [], decidedBy: "order", … }]
 */
export function viewAs(name: ToolName, entities: Iterable<Entity>): ToolView {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined)
    throw new TypeError(`"${name}" is not one of ${tools.map((known) => known.name).join(", ")}.`);
  // Files of one name within one contest.
  const groups = new Map<string, Contender[]>();
  const dropped: ToolRefusal[] = [];
  const fatal: ToolRefusal[] = [];
  for (const { file, reading } of readAs(tool, [...entities])) {
    const { entity, place } = file;
    if (reading.kind !== "loaded") {
      (reading.kind === "fatal" ? fatal : dropped).push({ entity, because: reading.because });
      continue;
    }
    const key = `${place.contest} ${reading.item.key}`;
    const contender = { entity, place, item: reading.item };
    const namesakes = groups.get(key);
    if (namesakes === undefined) groups.set(key, [contender]);
    else namesakes.push(contender);
  }
  const contests = fatal.length > 0 ? [] : [...groups.values()];
  const entries = contests
    .flatMap((namesakes) => settle(tool, namesakes, dropped) ?? [])
    .sort((a, b) => compareCodePoints(a.name, b.name) || comparePaths(a.entity, b.entity));
  const of = (type: ToolEntry["type"]): ToolEntry[] => entries.filter((entry) => entry.type === type);
  return { tool: name, agents: of("agent"), commands: of("command"), skills: of("skill"), refused: dropped, fatal };
}

interface Contender {
  readonly entity: Entity;
  readonly place: ToolPlace;
  readonly item: ToolItem;
}

function settle(tool: ToolReader, contenders: readonly Contender[], dropped: ToolRefusal[]): ToolEntry | undefined {
  const byRank = (a: Contender, b: Contender): number =>
    a.place.rank - b.place.rank || comparePaths(a.entity, b.entity);
  const [winner, ...losers] = contenders.toSorted(byRank);
  if (winner === undefined) return undefined;
  const combined = tool.combine?.([winner.item, ...losers.map(({ item }) => item)]);
  if (combined !== undefined && combined.kind !== "loaded") {
    for (const { entity } of contenders) dropped.push({ entity, because: combined.because });
    return undefined;
  }
  const item = combined?.item ?? winner.item;
  const isChance = losers.some(({ place }) => tool.isLeftToChance(winner.place, place));
  return {
    type: winner.place.as,
    name: item.name,
    description: item.description,
    ...(item.argumentHint !== undefined && { argumentHint: item.argumentHint }),
    aliases: item.aliases ?? [],
    userInvocable: item.userInvocable ?? true,
    entity: winner.entity,
    shadowed: losers.map(({ entity }) => entity),
    decidedBy: isChance ? "chance" : "order",
  };
}

function comparePaths(a: Entity, b: Entity): number {
  return (
    compareCodePoints(a.source.path ?? "", b.source.path ?? "") ||
    compareCodePoints(a.source.pointer ?? "", b.source.pointer ?? "")
  );
}
