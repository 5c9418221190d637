// What a person has set, and what of it cannot be used. Read when OpenCode starts, never written.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentConfig, PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { loadConfig, userConfigFolder } from "../../config/load.ts";
import type { Category, Config } from "../../config/schema.ts";
import { packageRoot } from "../../package-root.ts";
import type { MagnusRunOptions } from "../../run/run-options.ts";
import type { UnableAgents } from "../../words/help-words.ts";

/** OpenCode would send these to a provider as they stand in an agent's options, under names that it may not know. */
export interface ModelParameters {
  readonly maxTokens?: number;
  readonly thinking?: NonNullable<Category["thinking"]>;
  readonly reasoningEffort?: NonNullable<Category["reasoningEffort"]>;
}

export class MagnusSettings {
  readonly config: Config;
  readonly files: readonly string[];
  readonly userFolder: string;
  readonly projectFolder: string;
  /** Of the settings themselves; what the agents and servers make of them comes on top. */
  problems: readonly string[];
  /** As OpenCode was given them. */
  agents: Readonly<Record<string, AgentConfig>> = {};
  /** Names of the package's own, as far as OpenCode has them. */
  skills: readonly string[] = [];
  /** Found when OpenCode has merged everything. */
  unable: UnableAgents = {};
  parameters: Readonly<Record<string, ModelParameters>> = {};
  roles: MagnusRunOptions["roles"] = {};
  /** As many reviews as there are models for them. */
  quorum: number | undefined;

  constructor({ directory, worktree }: Pick<PluginContext, "directory" | "worktree">) {
    this.userFolder = userConfigFolder(process.env.HOME || homedir(), process.env);
    // OpenCode looks from where it was started up to the root of the repository; the nearest folder is the project's.
    const own = join(directory, ".opencode");
    this.projectFolder = existsSync(own) || dirname(worktree) === worktree ? own : join(worktree, ".opencode");
    const loaded = loadConfig({ userFolder: this.userFolder, projectFolder: this.projectFolder });
    this.config = loaded.config;
    this.files = loaded.files;
    this.problems = loaded.problems.map(({ at, message }) => `${at} ${message}.`);
  }

  get userFile(): string {
    return join(this.userFolder, "magnus-opus.json");
  }

  get projectFile(): string {
    return join(this.projectFolder, "magnus-opus.json");
  }

  get schemaFile(): string {
    return join(packageRoot, "schema", "magnus-opus.schema.json");
  }
}
