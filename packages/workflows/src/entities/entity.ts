import type { Diagnostic } from "./diagnostic.ts";

export const entityTypes = ["agent", "command", "skill", "workflow"] as const;
export type EntityType = (typeof entityTypes)[number];

/**
 * The tools whose files are read, best first among entities with the same name and location. `formats/all.ts` has a
 * format for each; this list exists so that not all code has to load their fifty modules.
 */
export const providers = ["atomic", "copilot", "opencode", "claude", "agent-skills", "hugo"] as const;
export type Provider = (typeof providers)[number];

/** What people call them. */
export const providerTitles: Readonly<Record<Provider, string>> = {
  claude: "Claude Code",
  opencode: "OpenCode",
  copilot: "Copilot",
  "agent-skills": "Agent Skills",
  atomic: "Atomic",
  hugo: "Hugo",
};

/** Best first. */
export const locations = ["project", "user", "builtin"] as const;
export type EntityLocation = (typeof locations)[number];

/** The tools whose reading is imitated: `tools/all.ts` has a reader for each. */
export type ToolName = "claude" | "opencode" | "copilot";

export type AgentModel = "opus" | "sonnet" | "haiku" | "inherit";

/** One allowed or denied tool. `pattern` is the text in parentheses: `Bash(git:*)` is `{ tool: "bash", pattern: "git:*" }`. */
export interface ToolRule {
  readonly tool: string;
  readonly pattern?: string;
  /** OpenCode's path patterns start at the root, so `NOTES.md` is one file; all others work as in a .gitignore. */
  readonly from?: "opencode";
}

/** What an entity may use. It is not restricted to certain tools if `allow` is `undefined`. */
export interface Restrictions {
  readonly allow?: readonly ToolRule[];
  readonly deny?: readonly ToolRule[];
  /** Allowed after you approve. */
  readonly ask?: readonly ToolRule[];
}

export interface EntitySource {
  readonly provider: Provider;
  readonly location: EntityLocation;
  /** Absolute path; absent for builtins that have no file. */
  readonly path?: string;
  /** The place in its format where the file is: `.claude/commands`. */
  readonly place?: string;
  /** The path below that place, with `/` on every system. */
  readonly relative?: string;
  /** The position in a config file: `agent.reviewer` in opencode.json. */
  readonly pointer?: string;
  /** How many folders above the project its place is; absent for the project, and for a home folder that does not contain it. */
  readonly above?: number;
  /** The tools that look there; absent if all that read such a place do. */
  readonly readBy?: readonly ToolName[];
  /** The installed workflow that it is part of. */
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
   * Other names that it may have, if its own cannot be read with certainty. It is then disabled and blocks all of them:
   * otherwise a namesake without the same restrictions could take its place.
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
