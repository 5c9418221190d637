import type { Diagnostic } from "./diagnostic.ts";

export const entityTypes = ["agent", "command", "skill", "workflow"] as const;
export type EntityType = (typeof entityTypes)[number];

/**
 * Whose files they are. In this order they win among entities of one name and location. The list is all there is to know
 * without loading the formats, which are fifty modules; `formats/all.ts` has one for each.
 */
export const providers = ["atomic", "copilot", "opencode", "claude", "agent-skills", "hugo"] as const;
export type Provider = (typeof providers)[number];

/** In this order they win. */
export const locations = ["project", "user", "builtin"] as const;
export type EntityLocation = (typeof locations)[number];

export type AgentModel = "opus" | "sonnet" | "haiku" | "inherit";

/** One allowed or denied tool. `pattern` is what stood in parentheses: `Bash(git:*)` is `{ tool: "bash", pattern: "git:*" }`. */
export interface ToolRule {
  readonly tool: string;
  readonly pattern?: string;
  /** Whose path the pattern is. OpenCode's count from the root, `NOTES.md` being that one file; others' are as in a .gitignore. */
  readonly from?: "opencode";
}

/** What an entity may use. `undefined` for `allow` means that the file does not restrict it. */
export interface Restrictions {
  readonly allow?: readonly ToolRule[];
  readonly deny?: readonly ToolRule[];
  /** Allowed after a person said yes. */
  readonly ask?: readonly ToolRule[];
}

export interface EntitySource {
  readonly provider: Provider;
  readonly location: EntityLocation;
  /** Absolute path; absent for builtins that have no file. */
  readonly path?: string;
  /** Which of its format's places the file lies in: `.claude/commands`. */
  readonly place?: string;
  /** The path below that place, with `/` on every system. */
  readonly relative?: string;
  /** Where inside a config file: `agent.reviewer` in opencode.json. */
  readonly pointer?: string;
  /** Of what Hugo installed: the workflow that it is a part of. */
  readonly workflow?: string;
}

/** One agent, skill, command or workflow in any tool's format. Immutable. */
export interface Entity {
  readonly type: EntityType;
  /** Lower-case; what lookups compare. */
  readonly name: string;
  /** As the file or its tool writes it. */
  readonly displayName: string;
  readonly description: string;
  readonly aliases: readonly string[];
  /**
   * Other names that it may have, where its own cannot be read for sure. It is disabled then, and holds them all: a namesake
   * that takes its place could be one that its author did not restrict.
   */
  readonly possibleNames?: readonly string[];
  /** The body, read from disk on first use. */
  readonly prompt: string;
  /** Canonical names of the allowed tools; absent means no restriction. */
  readonly tools?: readonly string[];
  readonly restrictions: Restrictions;
  readonly model?: AgentModel;
  /** The model as written, for hosts that know more models than the four classes. */
  readonly modelId?: string;
  readonly argumentHint?: string;
  /** Named arguments (`arguments:` of a Claude command), in order. */
  readonly argumentNames: readonly string[];
  readonly source: EntitySource;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly Diagnostic[];
  /** Why this entity must not run, e.g. because its tool restriction cannot be parsed. */
  readonly disabledBecause?: string;
}
