import { homedir } from "node:os";
import type { Provider } from "./entity.ts";
import { formats } from "./formats/all.ts";
import { registerBuiltins } from "./builtins.ts";
import { createEntityRegistry, type EntityRegistry } from "./registry.ts";

export interface InitializeOptions {
  /** Default: all of them. */
  readonly providers?: readonly Provider[];
  /** Default: the current folder. */
  readonly projectPath?: string;
  /** Default: the user's home folder. */
  readonly userPath?: string;
  /** Told one line a provider, for example `[workflows] Registered 12 entities from claude (5 skills, 7 agents)`. */
  readonly log?: (line: string) => void;
}

/**
 * A registry of everything the user and the project have. The result is the same whatever order files are read in.
 *
 * @example
 * const registry = await initializeWorkflowsSDK({ projectPath: "/my/project" });
 * registry.searchCommands("com"); // [commit, compact]
 */
export async function initializeWorkflowsSDK(options: InitializeOptions = {}): Promise<EntityRegistry> {
  const registry = createEntityRegistry();
  const providers = options.providers ?? formats.map(({ provider }) => provider);
  registerBuiltins(registry);
  for (const provider of providers) {
    await registry.registerFromProvider(provider, options.userPath ?? homedir(), "user");
    await registry.registerFromProvider(provider, options.projectPath ?? process.cwd(), "project");
    options.log?.(summaryOf(registry, provider));
  }
  return registry;
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
