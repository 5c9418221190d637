import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { formatNotFound } from "@atomic/terminal/suggest";
import { packageRoot } from "../modules/package-root.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { type Entity, locations, type Provider, providers } from "./entity.ts";
import type { Environment } from "./format.ts";
import { atomic } from "./formats/atomic.ts";
import { loadPlace } from "./load.ts";
import { opencodeEnvironment } from "./opencode-general.ts";
import { compareRank } from "./rank.ts";
import { countRegistrations, formatRegistration } from "./registration.ts";
import { createEntityRegistry, type EntityRegistry, homeFolder, type RegistryOptions } from "./registry.ts";
import type { RegistryStats } from "./registry-stats.ts";
import { type SearchedFolder, searchedFolders } from "./search-path.ts";
import { systemCode } from "./system-error.ts";
import { compareToolPlaces, isToolName, type ToolPlace, toolPlaceOf, toolPlaces } from "./tools/places.ts";

export interface InitializeOptions {
  /** Default: all of them. Their order does not matter. */
  readonly providers?: readonly Provider[];
  /** Default: the current folder. */
  readonly projectPath?: string;
  /** Default: the user's home folder. */
  readonly userPath?: string;
  /**
   * Which of one provider's files wins: by our rule (project, user, builtin), or as that tool itself decides. The order
   * between providers is the same in both.
   */
  readonly mode?: "default" | "as-tool";
  /** Called with one line for each provider: `[workflows] Registered 12 entities from claude (5 skills, 7 agents)`. */
  readonly log?: (line: string) => void;
  /** See `RegistryOptions`. */
  readonly stats?: RegistryStats;
  /**
   * For the tools' variables (`CLAUDE_CONFIG_DIR`, `COPILOT_HOME`, `XDG_CONFIG_HOME`, `OPENCODE_CONFIG`, …). Default: this
   * process's, or none with `userPath`.
   */
  readonly env?: Environment;
}

/**
 * A registry of everything in the package, the home folder and the project. The order in which files are read does not
 * matter. What cannot be read is in `diagnostics()`; nothing on disk makes it throw.
 *
 * @example
 * const registry = await initializeWorkflowsSDK({ projectPath: "/my/project" });
 * registry.searchSkills("co"); // [commit]
 */
export async function initializeWorkflowsSDK(options: InitializeOptions = {}): Promise<EntityRegistry> {
  const registry = createEntityRegistry(registryOptionsOf(options));
  await registerEverything(registry, options);
  return registry;
}

/**
 * The rank for the given mode, and what OpenCode takes from its environment.
 *
 * @example
 * createEntityRegistry({ ...registryOptionsOf({ mode: "as-tool" }), onFile: ({ path }) => console.log(path) });
 */
export function registryOptionsOf(options: InitializeOptions): Pick<RegistryOptions, "rank" | "environment" | "stats"> {
  const { mode, stats } = options;
  if (mode !== undefined && mode !== "default" && mode !== "as-tool")
    throw new TypeError(`\`mode\` must be "default" or "as-tool", not ${shown(mode)}.`);
  const environment = opencodeEnvironment(envOf(options), basesOf(options).projectPath ?? "/");
  return { environment, ...(mode === "as-tool" && { rank: compareRankAsTool }), ...(stats && { stats }) };
}

function envOf({ env, userPath }: InitializeOptions): Environment {
  return env ?? (userPath === undefined ? process.env : {});
}

/** Every folder to search, and where each format's places are in it. */
export function foldersOf(options: InitializeOptions): SearchedFolder[] {
  return searchedFolders({ ...basesOf(options), env: envOf(options) });
}

/** The same without folders above the project that have nothing to load. */
export function foldersToLoad(options: InitializeOptions): SearchedFolder[] {
  return foldersOf(options).filter(
    ({ above = 0, location, path }) =>
      location === "user" || above === 0 || marks.some((mark) => existsSync(join(path, mark))),
  );
}

/**
 * What `initializeWorkflowsSDK` does, for a registry that already exists.
 *
 * @example
 * const registry = createEntityRegistry({ onFile: ({ path }) => console.log(path) });
 * await registerEverything(registry, { projectPath: "/my/project" });
 */
export async function registerEverything(registry: EntityRegistry, options: InitializeOptions): Promise<void> {
  const { providers: wanted = providers } = options;
  const isList: boolean = Array.isArray(wanted);
  if (!isList) throw new TypeError(`\`providers\` must be a list of ${providers.join(", ")}, not ${shown(wanted)}.`);
  const unknown = wanted.find((provider) => !providers.includes(provider));
  if (unknown !== undefined) throw new TypeError(formatNotFound("Provider", String(unknown), providers));
  for (const diagnostic of basesOf(options).diagnostics) registry.report(diagnostic);
  registerBuiltins(registry);
  const folders = foldersToLoad(options);
  for (const provider of new Set(wanted)) {
    // A home folder that is also the project counts as the user's: its files apply to all their projects.
    for (const folder of folders) await registry.registerFromProvider(provider, folder.path, folder.location, folder);
    if (options.log === undefined) continue;
    for (const registration of countRegistrations(registry.entries(), [provider]))
      options.log(formatRegistration(registration));
  }
}

/** A folder above the project without any of these has none of the places. */
const marks = [".atomic", ".github", ".opencode", "opencode.json", "opencode.jsonc", ".claude", ".agents"];

function shown(value: unknown): string {
  return JSON.stringify(value) ?? typeof value;
}

export interface BaseFolders {
  readonly userPath?: string;
  readonly projectPath?: string;
  /** Why one of them is missing. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The project and home folders, given or not.
 *
 * @example
 * basesOf({ projectPath: "." }).projectPath; // the current folder, as an absolute path
 */
export function basesOf(options: Pick<InitializeOptions, "projectPath" | "userPath">): BaseFolders {
  for (const key of ["projectPath", "userPath"] as const) {
    const path: unknown = options[key];
    if (path !== undefined && (typeof path !== "string" || path === ""))
      throw new TypeError(`\`${key}\` must be the path to a folder, not ${shown(path)}.`);
  }
  const user = options.userPath ?? findFolder("home", homeFolder);
  const project = options.projectPath ?? findFolder("current", () => process.cwd());
  return {
    ...(typeof user === "string" && { userPath: resolve(user) }),
    ...(typeof project === "string" && { projectPath: resolve(project) }),
    diagnostics: [user, project].filter((found) => typeof found !== "string"),
  };
}

/** The system may not know the home folder of an unknown user, or the path of a current folder that was deleted. */
function findFolder(which: "home" | "current", find: () => string): string | Diagnostic {
  let problem: string;
  try {
    const path = find();
    // An empty HOME would make the current folder the home.
    if (isAbsolute(path)) return path;
    problem = `"${path}" is not an absolute path`;
  } catch (error) {
    problem = systemCode(error);
  }
  const [setting, skipped] = which === "home" ? ["userPath", "user's"] : ["projectPath", "project's"];
  return {
    severity: "warning",
    code: "folder-unknown",
    message: `The ${which} folder cannot be determined (${problem}); the ${skipped} files are not loaded.`,
    hint: `Pass its path as \`${setting}\`${which === "home" ? " or in HOME" : ""}.`,
  };
}

/**
 * Registers the skills and workflows that come with this package as ordinary files. Skills are read on first use, and
 * workflows run only when you run them.
 *
 * @example
 * const registry = createEntityRegistry();
 * registerBuiltins(registry);
 * registry.getSkill("commit")?.argumentHint; // "[message] | --amend"
 */
export function registerBuiltins(registry: EntityRegistry): void {
  for (const type of ["skill", "workflow"] as const) {
    const path = join(packageRoot(), "builtin", `${type}s`);
    const places = atomic.places.filter(
      (place) => place.kind === "folder" && place.type === type && place.location === "project",
    );
    let isThere = false;
    for (const place of places) {
      const { entities, diagnostics } = loadPlace(place, path, "builtin");
      for (const entity of entities) registry.register(entity);
      for (const diagnostic of diagnostics) registry.report(diagnostic);
      isThere ||= entities.length > 0;
    }
    if (isThere) continue;
    const message = `The ${type}s bundled with this package cannot be found.`;
    const hint = "If you bundle @atomic/workflows, copy its `builtin` folder next to the bundled code.";
    registry.report({ severity: "warning", code: "builtins-missing", message, path, hint });
  }
}

/**
 * The usual rank, but between one tool's files the tool's own preference decides: Claude Code, for example, prefers the
 * user's skill to the project's. A file that its tool prefers to a project's file counts as the project's here, and as
 * near as that file, so the order stays consistent and has no cycles with other tools' files.
 */
export function compareRankAsTool(a: Entity, b: Entity): number {
  const [left, right] = [standingOf(a), standingOf(b)];
  return (
    left.location - right.location ||
    left.above - right.above ||
    providers.indexOf(a.source.provider) - providers.indexOf(b.source.provider) ||
    Number(left.place === undefined) - Number(right.place === undefined) ||
    (left.place && right.place && compareToolPlaces({ place: left.place, ...a }, { place: right.place, ...b })) ||
    compareRank(a, b)
  );
}

interface Standing {
  readonly location: number;
  readonly above: number;
  readonly place?: ToolPlace;
}

function standingOf({ source }: Entity): Standing {
  const { provider, location, above = 0 } = source;
  const place = isToolName(provider) ? toolPlaceOf(provider, source) : undefined;
  const own = { location: locations.indexOf(location), above };
  if (place === undefined || !isToolName(provider)) return own;
  const { as, contest, tier, prefers } = place;
  const rivals = toolPlaces[provider].filter((other) => other.as === as && other.contest === contest);
  const beatsProject = rivals.some((other) => other.location === "project" && other.tier > tier);
  const isAmongProject = rivals.some((other) => other.location === "project" && other.tier === tier);
  if (beatsProject || (isAmongProject && prefers === "farthest")) return { location: 0, above: 0, place };
  return { ...own, place };
}
