// Starts this machine's OpenCode in the project, as a person would, and asks what it has loaded. Nothing is sent to a model.

import { HostError } from "@atomic/workflows/internal/hosts/host";
import { ServerClient } from "@atomic/workflows/internal/hosts/opencode/client";
import { startServer } from "@atomic/workflows/internal/hosts/opencode/server";
import type { PermissionRule } from "@atomic/workflows/internal/permission/rules";

interface LoadedAgent {
  readonly name: string;
  readonly prompt?: string | undefined;
  /** Resolved: the last match wins. */
  readonly permission: readonly PermissionRule[];
}

interface McpStatus {
  readonly status: string;
  readonly error?: string | undefined;
}

/** What OpenCode has loaded; undefined where this version does not say. */
interface LoadedOpencode {
  readonly version: string | undefined;
  readonly agents: readonly LoadedAgent[] | undefined;
  readonly commands: readonly string[] | undefined;
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

/** It fetches nothing but the plugins that every start fetches, and notices soon if it cannot. */
const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  npm_config_fetch_retries: "0",
};

export async function askOpencode(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
  program: string | undefined,
): Promise<OpencodeAnswer> {
  try {
    const server = await startServer({
      ...(program !== undefined && { program }),
      // OpenCode reads PWD as the folder it was started in.
      env: { ...env, ...quiet, PWD: directory },
    });
    try {
      const client = new ServerClient(server, directory);
      const get = async (path: string): Promise<unknown> => await client.call("GET", path, undefined, 404);
      // The first answer comes when all plugins are loaded.
      const agents = await get("/agent");
      const [health, commands, tools, providers, mcp] = await Promise.all(
        ["/global/health", "/command", "/experimental/tool/ids", "/config/providers", "/mcp"].map(get),
      );
      const { version } = (health ?? {}) as { readonly version?: string };
      const loaded: LoadedOpencode = {
        version,
        agents: listOf<LoadedAgent>(agents)?.map(({ name, prompt, permission }) => {
          return { name, prompt, permission: Array.isArray(permission) ? permission : [] };
        }),
        commands: listOf<{ readonly name: string }>(commands)?.map(({ name }) => name),
        tools: listOf<string>(tools),
        models: listOf<{ readonly id: string; readonly models: object }>(
          (providers as { readonly providers?: unknown } | undefined)?.providers,
        )?.flatMap(({ id, models }) => Object.keys(models).map((name) => `${id}/${name}`)),
        mcp: typeof mcp === "object" && mcp !== null ? (mcp as Record<string, McpStatus>) : undefined,
      };
      return { kind: "asked", loaded };
    } finally {
      await server.stop();
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { kind: error.code === "host-missing" ? "absent" : "silent", because: error.message };
  }
}

/** Older versions answer an unknown address with their web page. */
function listOf<Item>(value: unknown): readonly Item[] | undefined {
  return Array.isArray(value) ? (value as Item[]) : undefined;
}
