import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { findNameCollisions } from "@atomic/durable-files/safety/names";

export type ContentType = "agent" | "command" | "skill";

/** The names that OpenCode 1.18 uses itself. */
export const BUILTIN: Readonly<Record<ContentType, readonly string[]>> = {
  agent: ["build", "plan", "general", "explore", "compaction", "summary", "title"],
  command: ["init", "review"],
  skill: ["customize-opencode"],
};

/** An agent, command or skill of a package. */
export interface ContentEntity {
  /** `review`, or `git/commit` for a file in a subfolder. */
  readonly name: string;
  /** The Markdown file, or the folder of a skill; `""` for a skill that is the whole package. */
  readonly path: string;
  /** What its author calls it, if it has another name in OpenCode. */
  readonly was?: string;
  /** The skill whose folder contains it: both arrive together. */
  readonly within?: string;
}

/** One of the plugins that a repository offers, such as those that a marketplace of Claude Code lists. */
export interface ContentPlugin {
  readonly name: string;
  readonly description?: string;
  /** Its folder in the package; `""` if that is the package itself. Missing if it is in another repository. */
  readonly folder?: string;
  /** What belongs to it, such as `skills/pdf`. */
  readonly members: readonly string[];
  /** The spec of the repository that contains it, if that is another one. */
  readonly elsewhere?: string;
  /** Why nothing of it can be installed. */
  readonly problem?: string;
}

export interface WorkflowContent {
  readonly agents: readonly ContentEntity[];
  readonly commands: readonly ContentEntity[];
  readonly skills: readonly ContentEntity[];
  /** Graphs that Atomic runs: `workflows/release.ts`. All of them share the folders next to them. */
  readonly workflows?: readonly ContentEntity[];
  /** The plugins among which users can choose; missing if the package is not a collection of plugins. */
  readonly plugins?: readonly ContentPlugin[];
}

/** The default path in a package: `agents/review.md`, `skills/review`. */
export function usualPath(type: ContentType, name: string): string {
  return type === "skill" ? `skills/${name}` : `${type}s/${name}.md`;
}

/** The workflow modules, by name: `release` is `workflows/release.ts` or `.js`. */
export function workflowModules(paths: Iterable<string>): ContentEntity[] {
  return [...paths].flatMap((path) => {
    const [, name] = /^workflows\/([^/]+?)(?<!\.d)\.[jt]s$/.exec(path) ?? [];
    return name === undefined ? [] : [{ name, path }];
  });
}

/** A name, and where a manifest lists it. */
export interface ListedName {
  readonly name: string;
  readonly part: JsonPart;
}

/** Refuses a duplicate name, ignoring case: many disks treat `Review.md` and `review.md` as one file. */
export function refuseRepeated(entities: readonly ListedName[]): void {
  const seen = new Set<string>();
  for (const { name, part } of entities) {
    if (seen.has(name)) throw part.refuse(`repeats "${name}"`);
    seen.add(name);
  }
  const [collision] = findNameCollisions([...seen].map((name) => `${name}.md`));
  const last = collision && entities.findLast(({ name }) => collision.includes(`${name}.md`));
  if (last !== undefined)
    throw last.part.refuse(`clashes with another name on many file systems: ${collision?.join(" and ")}`);
}

export const byName = (a: ContentEntity, b: ContentEntity): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
