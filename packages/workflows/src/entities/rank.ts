import { compareCodePoints } from "./code-point-order.ts";
import { type Entity, locations, providers } from "./entity.ts";

/**
 * The places of formats that have several for one kind of entity, in the order in which they win. Written out, so that a
 * lookup need not load the formats; a test compares the two.
 */
const places: readonly string[] = [
  ...[".opencode", ".config/opencode"].flatMap((root) =>
    ["agents", "agent", "modes", "mode", "commands", "command", "skills", "skill"].map((folder) => `${root}/${folder}`),
  ),
  ".opencode/opencode.jsonc",
  ".opencode/opencode.json",
  "opencode.jsonc",
  "opencode.json",
  ".config/opencode/opencode.jsonc",
  ".config/opencode/opencode.json",
  ".config/opencode/config.json",
];

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

function placeOf({ source: { place } }: Entity): number {
  return place === undefined ? -1 : places.indexOf(place);
}
