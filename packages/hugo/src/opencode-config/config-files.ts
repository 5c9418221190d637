import { join } from "node:path";

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
  readonly projectFolders: readonly [string, ...string[]];
}

const NAMES = ["opencode.json", "opencode.jsonc"];

/**
 * The config files that OpenCode reads, in its order: of a value that stands in several, the last counts; `plugin`
 * arrays are joined.
 */
export function configFiles({ globalFolder, custom, projectFolders }: ConfigPlaces): ConfigFile[] {
  const global = ["config.json", ...NAMES].map((name) => join(globalFolder, name));
  const own = projectFolders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const hidden = projectFolders.flatMap((folder) => NAMES.map((name) => join(folder, ".opencode", name)));
  return [
    ...[...global, ...(custom === undefined ? [] : [custom])].map((path) => ({ scope: "global", path }) as const),
    ...[...own, ...hidden].map((path) => ({ scope: "project", path }) as const),
  ];
}

export interface ConfigState {
  /** Absolute path of the file. */
  readonly file: string;
  readonly exists: boolean;
  readonly hasPlugins: boolean;
}

/**
 * Where a new plugin entry goes: to the others if there are any, else into the config that the user has, else into a
 * new file. The project's own file comes before the one in `.opencode`, as people look there first.
 */
export function placeForPlugin(
  states: readonly ConfigState[],
  places: ConfigPlaces,
  scope: ConfigFile["scope"],
): string {
  const folder = scope === "global" ? places.globalFolder : places.projectFolders[0];
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
