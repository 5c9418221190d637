import { type Entity, type EntityType, type Provider, providers } from "./entity.ts";

/** How many entities were registered from one source. */
export interface Registration {
  /** `builtin` stands for what comes with this package. */
  readonly from: Provider | "builtin";
  /** Winners and those that are shadowed. */
  readonly entities: number;
  readonly byType: Readonly<Record<EntityType, number>>;
}

/** For each source, with or without entities. */
export function countRegistrations(
  entries: readonly Entity[],
  sources: readonly Registration["from"][] = [...providers, "builtin"],
): Registration[] {
  return sources.map((from) => {
    const byType = { skill: 0, command: 0, agent: 0, workflow: 0 };
    let entities = 0;
    for (const { type, source } of entries) {
      if (from !== (source.location === "builtin" ? "builtin" : source.provider)) continue;
      byType[type] += 1;
      entities += 1;
    }
    return { from, entities, byType };
  });
}

/**
 * @example
 * formatRegistration({ from: "claude", entities: 12, byType: { skill: 5, command: 0, agent: 7, workflow: 0 } });
 * // "[workflows] Registered 12 entities from claude (5 skills, 7 agents)"
 */
export function formatRegistration({ from, entities, byType }: Registration): string {
  const counts = Object.entries(byType).flatMap(([type, amount]) =>
    amount === 0 ? [] : `${amount} ${type}${amount === 1 ? "" : "s"}`,
  );
  const total = `${entities}${from === "builtin" ? " builtin" : ""} ${entities === 1 ? "entity" : "entities"}`;
  const source = from === "builtin" ? "" : ` from ${from}`;
  return `[workflows] Registered ${total}${source}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}`;
}
