import { compareCodePoints } from "./code-point-order.ts";
import type { Entity, EntityLocation, Provider } from "./entity.ts";
import { formats } from "./formats/all.ts";

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
