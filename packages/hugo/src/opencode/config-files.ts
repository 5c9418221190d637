import { basename, join, resolve } from "node:path";
import type { PluginPart } from "@atomic/workflows/internal/hugo-lock/lock";
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

const NAMES = { server: ["opencode.json", "opencode.jsonc"], tui: ["tui.json", "tui.jsonc"] } as const;

/** Which part of OpenCode reads the file. */
export function partOf(file: string): PluginPart {
  return NAMES.tui.some((name) => name === basename(file)) ? "tui" : "server";
}

/**
 * The config files that OpenCode reads, in its order: if several set a value, the last counts; `plugin`
 * arrays are joined. Those of the terminal follow those of the server.
 */
export function configFiles(places: ConfigPlaces): ConfigFile[] {
  const { globalFolder, custom, env, start } = places;
  const customTui = env.OPENCODE_TUI_CONFIG ? [resolve(start, env.OPENCODE_TUI_CONFIG)] : [];
  const general = ["config.json", ...NAMES.server].map((name) => join(globalFolder, name));
  const all = [
    ...filesOf(places, [...general, ...(custom === undefined ? [] : [custom])], NAMES.server),
    ...filesOf(
      places,
      [...NAMES.tui.map((name) => join(globalFolder, name)), ...customTui.filter((file) => partOf(file) === "tui")],
      NAMES.tui,
    ),
  ];
  // Started in the home folder, OpenCode finds `~/.opencode` twice.
  const seen = new Set<string>();
  return all.filter(({ path }) => !seen.has(path) && seen.add(path));
}

function filesOf(
  { projectFolders, furtherFolders }: ConfigPlaces,
  global: readonly string[],
  names: readonly string[],
): ConfigFile[] {
  const namedIn = (folders: readonly string[]): string[] =>
    folders.flatMap((folder) => names.map((name) => join(folder, name)));
  // OpenCode reads the outermost of the hidden folders last, in reverse order of the others.
  const hidden = namedIn(projectFolders.map((folder) => join(folder, ".opencode")).reverse());
  return [
    ...global.map((path) => ({ scope: "global", path }) as const),
    ...[...namedIn(projectFolders), ...hidden].map((path) => ({ scope: "project", path }) as const),
    ...namedIn(furtherFolders).map((path) => ({ scope: "global", path }) as const),
  ];
}

export interface ConfigState {
  /** Absolute path of the file. */
  readonly file: string;
  readonly exists: boolean;
  readonly hasPlugins: boolean;
  /** It has settings that OpenCode moves to a new tui.json, unless there is one. */
  readonly hasTuiSettings?: boolean;
}

const CANDIDATES = {
  server: {
    global: ["opencode.jsonc", "opencode.json", "config.json"],
    project: ["opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"],
    created: { global: "opencode.jsonc", project: "opencode.json" },
  },
  tui: {
    global: ["tui.jsonc", "tui.json"],
    project: ["tui.jsonc", "tui.json", ".opencode/tui.jsonc", ".opencode/tui.json"],
    // OpenCode's own `opencode plugin` writes it there.
    created: { global: "tui.json", project: ".opencode/tui.json" },
  },
} as const;

/**
 * Where a new plugin entry goes: next to the others if there are any, else into the user's existing config, else into a
 * new file. The project's own file comes before the one in `.opencode`, because people look there first.
 */
export function placeForPlugin(
  states: readonly ConfigState[],
  places: ConfigPlaces,
  scope: ConfigFile["scope"],
  part: PluginPart,
): string {
  const folder = scope === "global" ? places.globalFolder : places.projectFolder;
  const candidates = CANDIDATES[part][scope];
  const paths = candidates.map((name) => join(folder, name));
  const stateOf = (path: string) => states.find(({ file }) => file === path);
  return (
    paths.find((path) => stateOf(path)?.hasPlugins) ??
    paths.find((path) => stateOf(path)?.exists) ??
    join(folder, CANDIDATES[part].created[scope])
  );
}
