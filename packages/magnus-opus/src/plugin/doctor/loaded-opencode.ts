// What an OpenCode has loaded, from what it answers.
import type { PermissionRule } from "@atomic/workflows/internal/permission/rules";

export interface LoadedAgent {
  readonly name: string;
  readonly description?: string | undefined;
  readonly prompt?: string | undefined;
  /** Resolved: the last match wins. */
  readonly permission: readonly PermissionRule[];
}

export interface LoadedCommand {
  readonly name: string;
  readonly template?: string | undefined;
}

interface McpStatus {
  readonly status: string;
  readonly error?: string | undefined;
}

/** Undefined where this version does not say. */
export interface LoadedOpencode {
  readonly version: string | undefined;
  readonly agents: readonly LoadedAgent[] | undefined;
  readonly commands: readonly LoadedCommand[] | undefined;
  readonly tools: readonly string[] | undefined;
  /** As `provider/model`. */
  readonly models: readonly string[] | undefined;
  readonly mcp: Readonly<Record<string, McpStatus>> | undefined;
}

export type OpencodeAnswer =
  | { readonly kind: "asked"; readonly loaded: LoadedOpencode }
  | { readonly kind: "not-asked" }
  | { readonly kind: "absent"; readonly because: string }
  | { readonly kind: "silent"; readonly because: string };

/** The bodies of its answers, by what was asked. */
export type OpencodeBodies = Readonly<Record<"agents" | "commands" | "tools" | "providers" | "mcp", unknown>>;

export function readLoaded(
  version: string | undefined,
  { agents, commands, tools, providers, mcp }: OpencodeBodies,
): LoadedOpencode {
  return {
    version,
    agents: listOf<LoadedAgent>(agents)?.map(({ name, description, prompt, permission }) => {
      return { name, description, prompt, permission: Array.isArray(permission) ? permission : [] };
    }),
    commands: listOf<LoadedCommand>(commands)?.map(({ name, template }) => {
      return { name, template: typeof template === "string" ? template : undefined };
    }),
    tools: listOf<string>(tools),
    models: listOf<{ readonly id: string; readonly models: object }>(
      (providers as { readonly providers?: unknown } | undefined)?.providers,
    )?.flatMap(({ id, models }) => Object.keys(models).map((name) => `${id}/${name}`)),
    mcp: typeof mcp === "object" && mcp !== null ? (mcp as Record<string, McpStatus>) : undefined,
  };
}

/** Older versions answer an unknown address with their web page. */
function listOf<Item>(value: unknown): readonly Item[] | undefined {
  return Array.isArray(value) ? (value as Item[]) : undefined;
}
