import type { Entity } from "./entity.ts";
import { compareRank, locations, providers } from "./rank.ts";
import { isToolName, type ToolPlace, toolPlaceOf, toolPlaces } from "./tools/places.ts";

/**
 * The usual rank, but between files of one tool the one wins that the tool itself prefers, for example the user's skill over
 * the project's in Claude Code. A file that its tool prefers to one of the project's counts as the project's here, so
 * that the order stays one: no circle of three can arise with the files of other tools.
 */
export function compareRankAsTool(a: Entity, b: Entity): number {
  const [left, right] = [standingOf(a), standingOf(b)];
  return (
    left.location - right.location ||
    providers.indexOf(a.source.provider) - providers.indexOf(b.source.provider) ||
    left.rank - right.rank ||
    compareRank(a, b)
  );
}

interface Standing {
  readonly location: number;
  readonly rank: number;
}

function standingOf({ source }: Entity): Standing {
  const { provider, location } = source;
  const place = isToolName(provider) ? toolPlaceOf(provider, source) : undefined;
  if (place === undefined) return { location: locations.indexOf(location), rank: Number.MAX_SAFE_INTEGER };
  return { location: Math.min(...beatenBy(place).map((other) => locations.indexOf(other.location))), rank: place.rank };
}

/** The places that the tool prefers this one to, itself included. */
function beatenBy(place: ToolPlace): readonly ToolPlace[] {
  const own = Object.values(toolPlaces).find((places) => places.includes(place)) ?? [];
  return own.filter(({ contest, rank }) => contest === place.contest && rank >= place.rank);
}
