// The MCP servers passed to OpenCode: Magnus Opus's own, each pinned to a version, and those in `.mcp.json`.
import { existsSync, readFileSync } from "node:fs";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { nodeAt } from "@atomic/durable-files/jsonc/path";
import { placeOf } from "@atomic/durable-files/jsonc/position";
import type { JsonDocument } from "@atomic/durable-files/jsonc/tree";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { didYouMean } from "@atomic/terminal/suggest";
import type { McpConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import * as z from "zod/mini";
import type { Config } from "../../config/schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What a server is missing. */
interface McpProblem {
  readonly server: string;
  /** The file that defines it, if any. */
  readonly at?: string;
  readonly message: string;
}

interface Servers {
  readonly servers: Readonly<Record<string, McpConfig>>;
  readonly problems: readonly McpProblem[];
}

interface Builtin {
  /** Without this variable the server would only fail. */
  readonly needs?: string;
  server(env: Environment): McpConfig;
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

/** The enabled servers that can work. They are off by default: they use the network, and most need a key. */
export function builtinServers(config: Pick<Config, "enabled_mcps" | "disabled_mcps">, env: Environment): Servers {
  const servers: Record<string, McpConfig> = {};
  const problems: McpProblem[] = [];
  for (const name of (config.enabled_mcps ?? []).filter((each) => !config.disabled_mcps?.includes(each))) {
    const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
    if (builtin === undefined) {
      const [best] = didYouMean(name, builtinServerNames);
      const hint = best === undefined ? `There are ${builtinServerNames.join(", ")}.` : `Did you mean ${best}?`;
      problems.push({ server: name, message: `enabled_mcps names an unknown server. ${hint}` });
    } else if (builtin.needs && !env[builtin.needs]) {
      const message = `The server is enabled, but the environment variable ${builtin.needs} is not set, so the server was ignored.`;
      problems.push({ server: name, message });
    } else {
      servers[name] = builtin.server(env);
    }
  }
  return { servers, problems };
}

function npmPackage(spec: string, ...words: readonly string[]): McpConfig {
  return { type: "local", command: ["npx", "-y", spec, ...words] };
}

const entry = z.object({
  type: z.optional(z.enum(["stdio", "http", "sse", "local", "remote"])),
  command: z.optional(z.union([z.string(), z.array(z.string())])),
  args: z.optional(z.array(z.string())),
  env: z.optional(z.record(z.string(), z.string())),
  url: z.optional(z.string()),
  headers: z.optional(z.record(z.string(), z.string())),
  disabled: z.optional(z.boolean()),
});

/** Servers from `.mcp.json`. Later files win. An incomplete server is left out and reported. */
export function mcpJsonServers(files: readonly string[], env: Environment, disabled: readonly string[] = []): Servers {
  const servers: Record<string, McpConfig> = {};
  const problems: McpProblem[] = [];
  for (const file of files.filter((each) => existsSync(each))) {
    let document: JsonDocument;
    try {
      document = parseJsonc(readFileSync(file, "utf8"), { file });
    } catch (error) {
      if (!(error instanceof DurableError)) throw error;
      problems.push({ server: "", at: file, message: `${error.message}; its servers were ignored.` });
      continue;
    }
    const listed = nodeAt(document, ["mcpServers"]);
    for (const { key, value } of listed?.kind === "object" ? listed.properties : []) {
      const at = placeOf(document.text, value, file);
      const parsed = z.safeParse(entry, toValue(value));
      const converted = parsed.success ? convert(parsed.data, env) : "A server needs a command or a url.";
      if (typeof converted === "string")
        problems.push({ server: key.value, at, message: `${converted} It was ignored.` });
      else if (converted !== undefined) servers[key.value] = converted;
    }
  }
  for (const name of disabled) delete servers[name];
  return { servers, problems: problems.filter(({ server }) => !disabled.includes(server)) };
}

/** The server, a message about what it lacks, or undefined if it is disabled. */
function convert(
  { command, args = [], env: own = {}, url, headers, disabled }: z.infer<typeof entry>,
  env: Environment,
): McpConfig | string | undefined {
  if (disabled) return undefined;
  const missing = new Set<string>();
  /** `${NAME}` and `${NAME:-default}`. */
  const expand = (text: string): string =>
    text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback: string | undefined) => {
      const value = env[name] || fallback;
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  const expandAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, expand(value)]));
  let server: McpConfig;
  if (command !== undefined) {
    const words = [...(typeof command === "string" ? [command] : command), ...args];
    server = { type: "local", command: words.map(expand), environment: expandAll(own) };
  } else if (url !== undefined) {
    server = { type: "remote", url: expand(url), ...(headers && { headers: expandAll(headers) }) };
  } else {
    return "It has neither a command nor a url.";
  }
  if (missing.size === 0) return server;
  const names = [...missing].join(", ");
  return `It needs ${names}, which ${missing.size === 1 ? "is" : "are"} not set in the environment.`;
}
