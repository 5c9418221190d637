import { compareCodePoints } from "../code-point-order.ts";
import type { Entity, EntitySource, ToolName } from "../entity.ts";
import { comparePaths } from "../rank.ts";
import { tools } from "./all.ts";
import { readAs } from "./load-verdicts.ts";
import { compareToolPlaces, type ToolPlace } from "./places.ts";
import type { ToolEntry, ToolItem, ToolRefusal, ToolView } from "./tool.ts";

/**
 * What Claude Code, OpenCode or Copilot itself would list for these entities: the names, the descriptions and whose
 * file wins. The files are read again, each as the tool reads it.
 *
 * @param all More entities, which only count and are not read: Copilot limits how many files it loads.
 *
 * @example
 * const registry = await initializeWorkflowsSDK();
 * const { skills } = viewAs("claude", registry.entries());
 * // [{ name: "commit", entity, shadowed: [], decidedBy: "order", … }]
 */
export function viewAs(name: ToolName, entities: Iterable<Entity>, all: Iterable<Entity> = entities): ToolView {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined)
    throw new TypeError(`"${name}" is not one of ${tools.map((known) => known.name).join(", ")}.`);
  // Files with the same name in the same contest.
  const groups = new Map<string, Contender[]>();
  const dropped: ToolRefusal[] = [];
  const fatal: ToolRefusal[] = [];
  for (const { file, reading } of readAs(tool, [...entities], [...all])) {
    const { entity, place } = file;
    if (reading.kind !== "loaded") {
      (reading.kind === "fatal" ? fatal : dropped).push({ entity, because: reading.because });
      continue;
    }
    const key = `${place.contest} ${reading.item.key}`;
    const contender = { entity, place, source: entity.source, item: reading.item };
    const namesakes = groups.get(key);
    if (namesakes === undefined) groups.set(key, [contender]);
    else namesakes.push(contender);
  }
  const contests = fatal.length > 0 ? [] : [...groups.values()];
  const entries = contests
    .flatMap((contenders): ToolEntry[] => {
      const [winner, ...losers] = contenders.toSorted(
        (a, b) => compareToolPlaces(a, b) || comparePaths(a.entity, b.entity),
      );
      if (winner === undefined) return [];
      const combined = tool.combine?.([winner.item, ...losers.map(({ item }) => item)]);
      if (combined !== undefined && combined.kind !== "loaded") {
        for (const { entity } of contenders) dropped.push({ entity, because: combined.because });
        return [];
      }
      const { name, description, argumentHint, aliases = [], userInvocable = true } = combined?.item ?? winner.item;
      const isChance = winner.item.mayBeLeftOut === true || losers.some((loser) => tool.isLeftToChance(winner, loser));
      return [
        {
          type: winner.place.as,
          name,
          description,
          ...(argumentHint !== undefined && { argumentHint }),
          aliases,
          userInvocable,
          entity: winner.entity,
          shadowed: losers.map(({ entity }) => entity),
          decidedBy: isChance ? "chance" : "order",
        },
      ];
    })
    .sort((a, b) => compareCodePoints(a.name, b.name) || comparePaths(a.entity, b.entity));
  const of = (type: ToolEntry["type"]): ToolEntry[] => entries.filter((entry) => entry.type === type);
  return { tool: name, agents: of("agent"), commands: of("command"), skills: of("skill"), refused: dropped, fatal };
}

interface Contender {
  readonly entity: Entity;
  readonly place: ToolPlace;
  readonly source: EntitySource;
  readonly item: ToolItem;
}
