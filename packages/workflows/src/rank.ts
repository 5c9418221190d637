import { compareCodePoints } from "./code-point-order.ts";
import type { Entity, EntityLocation, Provider } from "./entity.ts";
import { formats } from "./formats/all.ts";
import { isToolName, type ToolPlace, toolPlaceOf, toolPlaces } from "./tools/places.ts";

const locations: readonly EntityLocation[] = ["project", "user", "builtin"];
const providers: readonly Provider[] = formats.map(({ provider }) => provider);

/**
 * Which of two entities of one name wins: the project's over the user's over the builtin; then the provider, in the
 * order of `formats`; then the place within the provider, as registered; then the path, so that the order in which
 * files are read never decides.
 */
export function compareRank(a: Entity, b: Entity): number {
  return (
    locations.indexOf(a.source.location) - locations.indexOf(b.source.location) ||
    providers.indexOf(a.source.provider) - providers.indexOf(b.source.provider) ||
    placeOf(a) - placeOf(b) ||
    compareCodePoints(a.source.path ?? "", b.source.path ?? "") ||
    compareCodePoints(a.source.pointer ?? "", b.source.pointer ?? "")
  );
}

const places: ReadonlyMap<string, number> = new Map(
  formats.flatMap((format) =>
    format.places.map(({ location, path }, index) => [`${format.provider} ${location} ${path}`, index] as const),
  ),
);

function placeOf({ source: { provider, location, place } }: Entity): number {
  return places.get(`${provider} ${location} ${place}`) ?? -1;
}

/**
 * The same, but between files of one tool the one wins that the tool itself prefers, for example the user's skill over
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
