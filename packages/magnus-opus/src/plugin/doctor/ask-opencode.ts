// Starts this machine's OpenCode in the project, as a person would, and asks what it has loaded. Nothing is sent to a model.

import { HostError } from "@atomic/workflows/internal/hosts/host";
import { ServerClient } from "@atomic/workflows/internal/hosts/opencode/client";
import { startServer } from "@atomic/workflows/internal/hosts/opencode/server";
import { type OpencodeAnswer, readLoaded } from "./loaded-opencode.ts";

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
      return { kind: "asked", loaded: readLoaded(version, { agents, commands, tools, providers, mcp }) };
    } finally {
      await server.stop();
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { kind: error.code === "host-missing" ? "absent" : "silent", because: error.message };
  }
}
