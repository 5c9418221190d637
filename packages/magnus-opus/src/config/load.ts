import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { type Checked, type ConfigProblem, checkConfig } from "./check.ts";
import { mergeConfigs } from "./merge.ts";
import type { Config } from "./schema.ts";

export interface ConfigPlaces {
  /** OpenCode's own: `~/.config/opencode`. */
  readonly userFolder: string;
  /** The project's `.opencode`. */
  readonly projectFolder: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
  /** Those that exist, from the weakest to the strongest. */
  readonly files: readonly string[];
}

/** The settings of user and project. Never writes, and never fails: what cannot be used is named. */
export function loadConfig({ userFolder, projectFolder }: ConfigPlaces): LoadedConfig {
  const files = [userFolder, projectFolder]
    .flatMap((folder) => [join(folder, "magnus-opus.json"), join(folder, "magnus-opus.jsonc")])
    .filter((file) => existsSync(file));
  const checked = files.map((file) => readConfig(file));
  return {
    config: mergeConfigs(...checked.map(({ config }) => config)),
    problems: checked.flatMap(({ problems }) => problems),
    files,
  };
}

function readConfig(file: string): Checked {
  try {
    return checkConfig(parseJsonc(readFileSync(file, "utf8"), { file }));
  } catch (error) {
    const isSyntax = error instanceof DurableError && error.code === "syntax";
    if (!isSyntax && !(error instanceof Error && "code" in error)) throw error;
    return { config: {}, problems: [{ at: file, message: `${error.message}; the whole file is left out` }] };
  }
}

/** Where OpenCode keeps a user's config. */
export function userConfigFolder(home: string, env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}
