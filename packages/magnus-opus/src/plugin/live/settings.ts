// The user's settings and the problems in them. Read when OpenCode starts, never written.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeFolder } from "@atomic/terminal/home-folder";
import type { AgentConfig, PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { loadConfig, userConfigFolder } from "../../config/load.ts";
import type { Category, Config } from "../../config/schema.ts";
import { packageRoot } from "../../package-root.ts";
import { type AgentNames, ourName } from "../../run/agent-names.ts";
import type { CommandNames } from "../../run/command-names.ts";
import type { MagnusRunOptions } from "../../run/run-options.ts";
import { lookUp } from "../../run/state.ts";
import { type ChosenStack, chooseStack } from "../../stacks/choose-stack.ts";
import type { UnableAgents } from "../../words/help-words.ts";

/** A command as OpenCode got it from us. */
interface RegisteredCommand {
  readonly ours: string;
  readonly template: string;
}

/** In an agent's options, OpenCode would send these to the provider unchanged, under names that it may not know. */
export interface ModelParameters {
  readonly maxTokens?: number;
  readonly thinking?: NonNullable<Category["thinking"]>;
  readonly reasoningEffort?: NonNullable<Category["reasoningEffort"]>;
}

/** What a category says about the requests of a task that was delegated by it. */
export interface TaskParameters extends ModelParameters {
  readonly temperature?: number;
  readonly top_p?: number;
}

export class MagnusSettings {
  readonly config: Config;
  readonly files: readonly string[];
  readonly userFolder: string;
  readonly projectFolder: string;
  readonly userFile: string;
  readonly projectFile: string;
  readonly schemaFile: string = join(packageRoot, "schema", "magnus-opus.schema.json");
  readonly stack: ChosenStack;
  /** Problems in the settings; problems with agents and servers are added later. */
  problems: readonly string[];
  /** As passed to OpenCode, by their names there. */
  agents: Readonly<Record<string, AgentConfig>> = {};
  /** The names of the package's skills that are enabled. */
  skills: readonly string[] = [];
  /** Known once OpenCode has merged all settings. */
  unable: UnableAgents = {};
  /** The files that OpenCode adds to the system prompt. Known once OpenCode has merged all settings. */
  instructions: readonly string[] = [];
  /** By the agents' names in OpenCode. */
  parameters: Readonly<Record<string, ModelParameters>> = {};
  roles: MagnusRunOptions["roles"] = {};
  /** Our agents that have another name in OpenCode. */
  names: AgentNames = {};
  /** Our commands that have another name in OpenCode. */
  commandNames: CommandNames = {};
  /** Ours, as passed to OpenCode, by their names there. */
  commands: Readonly<Record<string, RegisteredCommand>> = {};

  constructor({ directory, worktree }: Pick<PluginContext, "directory" | "worktree">) {
    this.userFolder = userConfigFolder(homeFolder(process.env), process.env);
    // OpenCode searches from its start folder up to the repository root; the nearest folder is the project's.
    const own = join(directory, ".opencode");
    this.projectFolder = existsSync(own) || dirname(worktree) === worktree ? own : join(worktree, ".opencode");
    this.userFile = join(this.userFolder, "magnus-opus.json");
    this.projectFile = join(this.projectFolder, "magnus-opus.json");
    const loaded = loadConfig({ userFolder: this.userFolder, projectFolder: this.projectFolder });
    this.config = loaded.config;
    this.files = loaded.files;
    this.stack = chooseStack(this.config.stack, {
      directory,
      worktree,
      projectFolder: this.projectFolder,
      userFolder: this.userFolder,
    });
    this.problems = [...loaded.problems.map(({ at, message }) => `${at} ${message}.`), ...this.stack.problems];
  }

  /** The role of an agent of OpenCode's; undefined if it is not ours. */
  roleOf(agent: string): string | undefined {
    const ours = lookUp(this.agents, agent) === undefined ? undefined : ourName(this.names, agent);
    return ours === undefined ? undefined : (lookUp(this.roles, ours) ?? ours);
  }
}
