import type { Diagnostic } from "./diagnostic.ts";
import type { Entity } from "./entity.ts";
import { withFacts } from "./file-entity.ts";
import { combineTools } from "./normalize/combine.ts";
import { type NormalizedTools, restricted } from "./normalize/restrictions.ts";

export type MergeNamesakes = typeof mergeNamesakes;

/**
 * OpenCode merges agents of one name key by key, so what a loser forbids holds for the winner too. Here a rule of the
 * winner cannot undo one of a loser; that is narrower than OpenCode where both speak of the same tool.
 *
 * @returns the winner itself if the others restrict nothing.
 */
export function mergeNamesakes(winner: Entity, losers: readonly Entity[]): Entity {
  const restricting = losers.filter(({ restrictions, disabledBecause }) => disabledBecause ?? hasRules(restrictions));
  if (restricting.length === 0 || winner.disabledBecause !== undefined) return winner;
  const unknown = restricting.find(({ disabledBecause }) => disabledBecause !== undefined);
  if (unknown !== undefined) {
    const problem = unmergeable(unknown);
    return withFacts(winner, { diagnostics: [...winner.diagnostics, problem], disabledBecause: problem.message });
  }
  const merged = combineTools(...[winner, ...restricting].map(toolsOf));
  if (merged.kind !== "restricted") return winner;
  return withFacts(winner, { tools: merged.tools, restrictions: merged.restrictions });
}

function hasRules(restrictions: Entity["restrictions"]): boolean {
  return Object.keys(restrictions).length > 0;
}

function toolsOf({ restrictions }: Entity): NormalizedTools {
  return restricted(restrictions);
}

function unmergeable({ source, disabledBecause }: Entity): Diagnostic {
  return {
    severity: "error",
    code: "namesake-unreadable",
    message: `OpenCode merges this agent with a namesake that cannot be trusted (${disabledBecause}).`,
    ...(source.path !== undefined && { path: source.path }),
    hint: "Mend the namesake, or give one of them another name.",
  };
}
