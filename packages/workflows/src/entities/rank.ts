import { compareCodePoints } from "./code-point-order.ts";
import { type Entity, locations, providers } from "./entity.ts";

/**
 * The places of formats that have several for one type of entity, best first. They are repeated here so a lookup does
 * not have to load the formats; a test compares the two lists.
 */
const places: readonly string[] = [
  ...["OPENCODE_CONFIG_DIR", ".opencode", ".config/opencode"].flatMap((root) =>
    ["agents", "agent", "modes", "mode", "commands", "command", "skills", "skill"].map((folder) => `${root}/${folder}`),
  ),
  "OPENCODE_CONFIG_DIR/opencode.jsonc",
  "OPENCODE_CONFIG_DIR/opencode.json",
  ".opencode/opencode.jsonc",
  ".opencode/opencode.json",
  "opencode.jsonc",
  "opencode.json",
  "OPENCODE_CONFIG",
  ".config/opencode/opencode.jsonc",
  ".config/opencode/opencode.json",
  ".config/opencode/config.json",
];

/**
 * Which of two entities with the same name wins: the project's over the user's over the builtin; a nearer folder's over
 * one farther up; then by provider, in the order of `formats`; then by place within the provider; then by path, so the
 * order of reading never decides.
 */
export function compareRank(a: Entity, b: Entity): number {
  return (
    locations.indexOf(a.source.location) - locations.indexOf(b.source.location) ||
    (a.source.above ?? 0) - (b.source.above ?? 0) ||
    providers.indexOf(a.source.provider) - providers.indexOf(b.source.provider) ||
    places.indexOf(a.source.place ?? "") - places.indexOf(b.source.place ?? "") ||
    comparePaths(a, b)
  );
}

export function comparePaths({ source: a }: Entity, { source: b }: Entity): number {
  return compareCodePoints(a.path ?? "", b.path ?? "") || compareCodePoints(a.pointer ?? "", b.pointer ?? "");
}
