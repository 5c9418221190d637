import { isAbsolute, resolve } from "node:path";
import { formatNotFound } from "@atomic/terminal/suggest";
import { registerBuiltins } from "./builtins.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Provider } from "./entity.ts";
import { formats } from "./formats/all.ts";
import { homeFolder } from "./home-folder.ts";
import { opencodeEnvironment } from "./opencode-environment.ts";
import type { Environment } from "./opencode-general.ts";
import { compareRankAsTool } from "./rank-as-tool.ts";
import { createEntityRegistry, type EntityRegistry, type RegistryOptions } from "./registry.ts";
import { systemCode } from "./system-error.ts";

export interface InitializeOptions {
  /** Default: all of them. Their order does not matter. */
  readonly providers?: readonly Provider[];
  /** Default: the current folder. */
  readonly projectPath?: string;
  /** Default: the user's home folder. */
  readonly userPath?: string;
  /**
   * Who wins among files of one provider: by our rule (project, user, builtin), or as that tool itself decides. The order
   * between providers is the same in both.
   */
  readonly mode?: "default" | "as-tool";
  /** Told one line a provider, for example `[workflows] Registered 12 entities from claude (5 skills, 7 agents)`. */
  readonly log?: (line: string) => void;
  /** Where OpenCode's variables (`OPENCODE_CONFIG`, `OPENCODE_PERMISSION`, …) stand. Default: those of this process, or none with `userPath`. */
  readonly env?: Environment;
}

/**
 * A registry of everything the package, the user and the project have. The result is the same whatever order files are
 * read in. What cannot be read is in `diagnostics()`; nothing on the disk makes it throw.
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
 * How a registry ranks in the given mode, and what OpenCode takes from its environment.
 *
 * @example
 * createEntityRegistry({ ...registryOptionsOf({ mode: "as-tool" }), onFile: ({ path }) => console.log(path) });
 */
export function registryOptionsOf(options: InitializeOptions): Pick<RegistryOptions, "rank" | "environment"> {
  const { mode } = options;
  if (mode !== undefined && mode !== "default" && mode !== "as-tool")
    throw new TypeError(`\`mode\` is "default" or "as-tool", not ${shown(mode)}.`);
  const env = options.env ?? (options.userPath === undefined ? process.env : {});
  const environment = opencodeEnvironment(env, basesOf(options).projectPath ?? "/");
  return { environment, ...(mode === "as-tool" && { rank: compareRankAsTool }) };
}

/**
 * What `initializeWorkflowsSDK` does, for a registry that is there already.
 *
 * @example
 * const registry = createEntityRegistry({ onFile: ({ path }) => console.log(path) });
 * await registerEverything(registry, { projectPath: "/my/project" });
 */
export async function registerEverything(registry: EntityRegistry, options: InitializeOptions): Promise<void> {
  checkProviders(options.providers);
  const { userPath, projectPath, diagnostics } = basesOf(options);
  for (const diagnostic of diagnostics) registry.report(diagnostic);
  registerBuiltins(registry);
  for (const provider of new Set(options.providers ?? formats.map((format) => format.provider))) {
    // A home folder that is also the project is the user's: what lies there holds for all their projects.
    if (userPath !== undefined) await registry.registerFromProvider(provider, userPath, "user");
    if (projectPath !== undefined) await registry.registerFromProvider(provider, projectPath, "project");
    options.log?.(summaryOf(registry, provider));
  }
}

function checkProviders(providers: unknown): void {
  if (providers === undefined) return;
  const known = formats.map(({ provider }) => provider);
  if (!Array.isArray(providers))
    throw new TypeError(`\`providers\` is a list of ${known.join(", ")}, not ${shown(providers)}.`);
  const unknown = providers.find((provider) => !known.includes(provider));
  if (unknown !== undefined) throw new TypeError(formatNotFound("Provider", String(unknown), known));
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? typeof value;
}

export interface Bases {
  readonly userPath?: string;
  readonly projectPath?: string;
  /** Why one of them is missing. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The folders that are meant, given or not.
 *
 * @example
 * basesOf({ projectPath: "." }).projectPath; // the current folder, as an absolute path
 */
export function basesOf(options: Pick<InitializeOptions, "projectPath" | "userPath">): Bases {
  for (const key of ["projectPath", "userPath"] as const) {
    const path: unknown = options[key];
    if (path !== undefined && (typeof path !== "string" || path === ""))
      throw new TypeError(`\`${key}\` is the path of a folder, not ${shown(path)}.`);
  }
  const user = options.userPath ?? findFolder("home", homeFolder);
  const project = options.projectPath ?? findFolder("current", () => process.cwd());
  return {
    ...(typeof user === "string" && { userPath: resolve(user) }),
    ...(typeof project === "string" && { projectPath: resolve(project) }),
    diagnostics: [user, project].filter((found) => typeof found !== "string"),
  };
}

/** The system may not know the home of a user without an entry, nor the path of a folder that was deleted. */
function findFolder(which: "home" | "current", find: () => string): string | Diagnostic {
  let problem: string;
  try {
    const path = find();
    // An empty HOME would make the current folder the home.
    if (isAbsolute(path)) return path;
    problem = `"${path}" is no absolute path`;
  } catch (error) {
    problem = systemCode(error);
  }
  const [setting, skipped] = which === "home" ? ["userPath", "user's"] : ["projectPath", "project's"];
  return {
    severity: "warning",
    code: "folder-unknown",
    message: `The ${which} folder cannot be found out (${problem}); the ${skipped} files are left out.`,
    hint: `Give its path as \`${setting}\`${which === "home" ? " or in HOME" : ""}.`,
  };
}

function summaryOf(registry: EntityRegistry, provider: Provider): string {
  const own = registry.entries().filter(({ source }) => source.provider === provider && source.location !== "builtin");
  const counts = (["skill", "command", "agent", "workflow"] as const).flatMap((type) => {
    const count = own.filter((entity) => entity.type === type).length;
    return count === 0 ? [] : [`${count} ${type}${count === 1 ? "" : "s"}`];
  });
  const detail = counts.length === 0 ? "" : ` (${counts.join(", ")})`;
  return `[workflows] Registered ${own.length} ${own.length === 1 ? "entity" : "entities"} from ${provider}${detail}`;
}
