import { join } from "node:path";
import type { Context } from "../context.ts";

export interface ConfigFile {
  readonly scope: "global" | "project";
  /** Absolute. */
  readonly path: string;
}

export interface ConfigPlaces {
  /** `~/.config/opencode`. */
  readonly globalFolder: string;
  /** The file that OPENCODE_CONFIG names. */
  readonly custom?: string;
  /** From the root of the repository down to the folder in which OpenCode starts. */
  readonly projectFolders: readonly string[];
  /** The project's own folder among them: new entries go there. */
  readonly projectFolder: string;
  /** Read like a `.opencode`, after all others: `~/.opencode`, and the folder that OPENCODE_CONFIG_DIR names. */
  readonly furtherFolders: readonly string[];
  /** The folder in which OpenCode starts. */
  readonly start: string;
  /** Its variables there. */
  readonly env: Context["env"];
}

const NAMES = ["opencode.json", "opencode.jsonc"];

/**
 * The config files that OpenCode reads, in its order: if several set a value, the last counts; `plugin`
 * arrays are joined.
 */
export function configFiles({ globalFolder, custom, projectFolders, furtherFolders }: ConfigPlaces): ConfigFile[] {
  const global = ["config.json", ...NAMES].map((name) => join(globalFolder, name));
  const own = namedIn(projectFolders);
  // OpenCode reads the outermost of these last, in reverse order of the files above.
  const hidden = namedIn(projectFolders.map((folder) => join(folder, ".opencode")).reverse());
  const all: ConfigFile[] = [
    ...[...global, ...(custom === undefined ? [] : [custom])].map((path) => ({ scope: "global", path }) as const),
    ...[...own, ...hidden].map((path) => ({ scope: "project", path }) as const),
    ...namedIn(furtherFolders).map((path) => ({ scope: "global", path }) as const),
  ];
  // Started in the home folder, OpenCode finds `~/.opencode` twice.
  const seen = new Set<string>();
  return all.filter(({ path }) => !seen.has(path) && seen.add(path));
}

function namedIn(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
}

export interface ConfigState {
  /** Absolute path of the file. */
  readonly file: string;
  readonly exists: boolean;
  readonly hasPlugins: boolean;
}

/**
 * Where a new plugin entry goes: next to the others if there are any, else into the user's existing config, else into a
 * new file. The project's own file comes before the one in `.opencode`, because people look there first.
 */
export function placeForPlugin(
  states: readonly ConfigState[],
  places: ConfigPlaces,
  scope: ConfigFile["scope"],
): string {
  const folder = scope === "global" ? places.globalFolder : places.projectFolder;
  const candidates =
    scope === "global"
      ? ["opencode.jsonc", "opencode.json", "config.json"]
      : ["opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"];
  const paths = candidates.map((name) => join(folder, name));
  const stateOf = (path: string) => states.find(({ file }) => file === path);
  return (
    paths.find((path) => stateOf(path)?.hasPlugins) ??
    paths.find((path) => stateOf(path)?.exists) ??
    join(folder, scope === "global" ? "opencode.jsonc" : "opencode.json")
  );
}
