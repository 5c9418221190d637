// Servers that Magnus Opus knows, each with an exact version. None of them starts before somebody names it in
// `enabled_mcps`: they use the network, and most want a key.
import { didYouMean } from "@atomic/terminal/suggest";
import type { Config } from "../../config/schema.ts";
import type { Environment, McpProblem, McpServer, Servers } from "./server.ts";

interface Builtin {
  /** Without this variable the server would only fail. */
  readonly needs?: string;
  server(env: Environment): McpServer;
}

const builtins: Readonly<Record<string, Builtin>> = {
  websearch: {
    server: ({ EXA_API_KEY }) => ({
      type: "remote",
      url: "https://mcp.exa.ai/mcp?tools=web_search_exa",
      ...(EXA_API_KEY && { headers: { "x-api-key": EXA_API_KEY } }),
    }),
  },
  context7: { server: () => npmPackage("@upstash/context7-mcp@4.1.1") },
  figma: {
    needs: "FIGMA_ACCESS_TOKEN",
    server: ({ FIGMA_ACCESS_TOKEN = "" }) => ({
      ...npmPackage("figma-developer-mcp@0.13.2", "--stdio"),
      environment: { FIGMA_API_KEY: FIGMA_ACCESS_TOKEN },
    }),
  },
  "chrome-devtools": { server: () => npmPackage("chrome-devtools-mcp@1.11.0") },
  playwright: { server: () => npmPackage("@playwright/mcp@0.0.83") },
  grep_app: { server: () => ({ type: "remote", url: "https://mcp.grep.app" }) },
};

export const builtinServerNames: readonly string[] = Object.keys(builtins);

/** Those that the config enables and that can work. */
export function builtinServers(config: Pick<Config, "enabled_mcps" | "disabled_mcps">, env: Environment): Servers {
  const servers: Record<string, McpServer> = {};
  const problems: McpProblem[] = [];
  const disabled = new Set(config.disabled_mcps);
  for (const name of config.enabled_mcps ?? []) {
    if (disabled.has(name)) continue;
    const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
    if (builtin === undefined) problems.push({ server: name, message: unknown(name) });
    else if (builtin.needs && !env[builtin.needs]) problems.push({ server: name, message: missing(builtin.needs) });
    else servers[name] = builtin.server(env);
  }
  return { servers, problems };
}

function npmPackage(spec: string, ...words: readonly string[]): McpServer {
  return { type: "local", command: ["npx", "-y", spec, ...words] };
}

function unknown(name: string): string {
  const [best] = didYouMean(name, builtinServerNames);
  const hint = best === undefined ? `There are ${builtinServerNames.join(", ")}.` : `Did you mean ${best}?`;
  return `enabled_mcps names a server that there is not. ${hint}`;
}

function missing(variable: string): string {
  return `The server is enabled, but the environment variable ${variable} is not set, so it was left out.`;
}
