import { compareCodePoints } from "./code-point-order.ts";
import type { Entity, EntityLocation, Provider } from "./entity.ts";

// Written down here, although the formats say the same: whoever only looks things up need not load every format for it.
// A test holds the two together.
export const locations: readonly EntityLocation[] = ["project", "user", "builtin"];
export const providers: readonly Provider[] = ["atomic", "copilot", "opencode", "claude", "agent-skills", "hugo"];

/** The places of formats that have several for one kind of entity, in the order in which they win. */
const places: readonly string[] = [
  ...both(
    ".opencode",
    ".config/opencode",
    "agents",
    "agent",
    "modes",
    "mode",
    "commands",
    "command",
    "skills",
    "skill",
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

function both(first: string, second: string, ...folders: readonly string[]): string[] {
  return [first, second].flatMap((root) => folders.map((folder) => `${root}/${folder}`));
}
