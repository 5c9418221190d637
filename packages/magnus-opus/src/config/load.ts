import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { type Checked, type ConfigProblem, checkConfig } from "./check.ts";
import type { Config } from "./schema.ts";

interface ConfigPlaces {
  /** OpenCode's own: `~/.config/opencode`. */
  readonly userFolder: string;
  /** The project's `.opencode`. */
  readonly projectFolder: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
  /** The files that exist, from the weakest to the strongest. */
  readonly files: readonly string[];
}

/** The user's and the project's settings. Never writes and never fails: invalid settings are reported. */
export function loadConfig({ userFolder, projectFolder }: ConfigPlaces): LoadedConfig {
  const files = [userFolder, projectFolder]
    .flatMap((folder) => [join(folder, "magnus-opus.json"), join(folder, "magnus-opus.jsonc")])
    .filter((file) => existsSync(file));
  const checked = files.map((file): Checked => {
    try {
      return checkConfig(parseJsonc(readFileSync(file, "utf8"), { file }));
    } catch (error) {
      const isSyntax = error instanceof DurableError && error.code === "syntax";
      if (!isSyntax && !(error instanceof Error && "code" in error)) throw error;
      // A syntax error begins with its position.
      const at = isSyntax && error.at !== undefined ? error.at : file;
      const message = `${error.message.replace(`${at}: `, "")}; the whole file is ignored`;
      return { config: {}, problems: [{ at, message }] };
    }
  });
  return {
    config: checked.reduce((merged, { config }) => mergeObjects(merged, config) as Config, {}),
    problems: checked.flatMap(({ problems }) => problems),
    files,
  };
}

/** Where OpenCode keeps a user's config. */
export function userConfigFolder(home: string, env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}

/** Lists to which both the user and the project can add. */
const unions: ReadonlySet<string> = new Set([
  "disabled_agents",
  "disabled_mcps",
  "disabled_skills",
  "disabled_hooks",
  "enabled_mcps",
]);

/** The later one wins, setting by setting. */
function mergeObjects(under: object, over: object): object {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    if (isObject(before) && isObject(value)) merged[key] = mergeObjects(before, value);
    else if (unions.has(key) && Array.isArray(before)) merged[key] = [...new Set([...before, ...(value as unknown[])])];
    else merged[key] = value;
  }
  return merged;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
