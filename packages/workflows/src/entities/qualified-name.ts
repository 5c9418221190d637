import type { Entity, EntityLocation } from "./entity.ts";

/** A name with its origin, such as `claude:project/commit`, and with the file if two files have the same name. */
export interface QualifiedName {
  readonly provider: string;
  readonly location: EntityLocation;
  /** What follows the origin. It may end in `@file`, but the name itself may contain an `@`. */
  readonly rest: string;
}

const QUALIFIED = /^([a-z][a-z-]*):(project|user|builtin)\/(.+)$/is;

export function parseQualifiedName(text: string): QualifiedName | undefined {
  const [, provider = "", location = "", rest] = QUALIFIED.exec(text) ?? [];
  if (rest === undefined) return undefined;
  return { provider: provider.toLowerCase(), location: location.toLowerCase() as EntityLocation, rest };
}

/**
 * @example
 * formatQualifiedName(entity); // "claude:project/commit"
 */
export function formatQualifiedName({ name, source: { provider, location } }: Entity): string {
  return `${provider}:${location}/${name}`;
}

/**
 * The entity's position relative to its project or home: `.opencode/agent/review.md`, `opencode.json#agent.review`,
 * `../../.claude/agents/review.md`. Where tools disagree about the home folder, its path.
 */
export function fileOf({ source: { location, place, relative, path, pointer, above = 0, readBy } }: Entity): string {
  const isConfig = pointer !== undefined;
  const up = location === "project" ? "../".repeat(above) : "";
  let file = isConfig || relative === undefined ? (place ?? path ?? "") : `${place}/${relative}`;
  file = location === "user" && readBy !== undefined ? (path ?? file) : up + file;
  return isConfig ? `${file}#${pointer}` : file;
}

/**
 * What lookups compare: names that differ only in case, or in how a file system composes their accents, are the same.
 *
 * @example
 * lookupKey("Commit") === lookupKey("commit"); // true
 */
export function lookupKey(name: string): string {
  return name.toLowerCase().normalize("NFC");
}
