// Servers from `.mcp.json`, the form that Claude Code made common, as OpenCode takes them.
import { existsSync, readFileSync } from "node:fs";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { nodeAt } from "@atomic/durable-files/jsonc/path";
import { placeOf } from "@atomic/durable-files/jsonc/position";
import type { JsonDocument } from "@atomic/durable-files/jsonc/tree";
import { toValue } from "@atomic/durable-files/jsonc/value";
import * as z from "zod/mini";
import type { Environment, McpProblem, McpServer, Servers } from "./server.ts";

const entry = z.object({
  type: z.optional(z.enum(["stdio", "http", "sse", "local", "remote"])),
  command: z.optional(z.union([z.string(), z.array(z.string())])),
  args: z.optional(z.array(z.string())),
  env: z.optional(z.record(z.string(), z.string())),
  url: z.optional(z.string()),
  headers: z.optional(z.record(z.string(), z.string())),
  disabled: z.optional(z.boolean()),
});
type Entry = z.infer<typeof entry>;

/** Later files win. A server that lacks something is left out and named; the others stay. */
export function mcpJsonServers(files: readonly string[], env: Environment, disabled: readonly string[] = []): Servers {
  const servers: Record<string, McpServer> = {};
  const problems: McpProblem[] = [];
  for (const file of files.filter((each) => existsSync(each))) {
    const read = readServers(file, env);
    problems.push(...read.problems);
    Object.assign(servers, read.servers);
  }
  for (const name of disabled) delete servers[name];
  return { servers, problems: problems.filter(({ server }) => !disabled.includes(server)) };
}

function readServers(file: string, env: Environment): Servers {
  const servers: Record<string, McpServer> = {};
  const problems: McpProblem[] = [];
  const document = parse(file);
  if (document instanceof DurableError) {
    return {
      servers,
      problems: [{ server: "", at: file, message: `${document.message}; its servers were left out.` }],
    };
  }
  const listed = nodeAt(document, ["mcpServers"]);
  for (const { key, value } of listed?.kind === "object" ? listed.properties : []) {
    const at = placeOf(document.text, value, file);
    const parsed = z.safeParse(entry, toValue(value));
    const converted = parsed.success ? convert(parsed.data, env) : "It is not a server with a command or a url.";
    if (typeof converted === "string")
      problems.push({ server: key.value, at, message: `${converted} It was left out.` });
    else if (converted !== undefined) servers[key.value] = converted;
  }
  return { servers, problems };
}

function parse(file: string): JsonDocument | DurableError {
  try {
    return parseJsonc(readFileSync(file, "utf8"), { file });
  } catch (error) {
    if (error instanceof DurableError) return error;
    throw error;
  }
}

/** The server, what it lacks, or nothing if it is switched off. */
function convert({ command, args = [], env: own = {}, url, headers, disabled }: Entry, env: Environment) {
  if (disabled) return undefined;
  const expand = new Expansion(env);
  const server = serverOf(expand, { command, args, env: own, url, headers });
  if (server === undefined) return "It has neither a command nor a url.";
  if (expand.missing.size === 0) return server;
  const names = [...expand.missing].join(", ");
  return `It wants ${names} from the environment, where ${expand.missing.size === 1 ? "it is" : "they are"} not set.`;
}

function serverOf(expand: Expansion, { command, args = [], env, url, headers }: Entry): McpServer | undefined {
  if (command !== undefined) {
    const words = [...(typeof command === "string" ? [command] : command), ...args];
    return { type: "local", command: words.map((word) => expand.text(word)), environment: expand.map(env) };
  }
  if (url === undefined) return undefined;
  return { type: "remote", url: expand.text(url), ...(headers && { headers: expand.map(headers) }) };
}

/** `${NAME}` and `${NAME:-default}`. */
class Expansion {
  readonly #env: Environment;
  readonly missing: Set<string> = new Set();

  constructor(env: Environment) {
    this.#env = env;
  }

  text(text: string): string {
    return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback: string | undefined) => {
      const value = this.#env[name] || fallback;
      if (value === undefined) this.missing.add(name);
      return value ?? "";
    });
  }

  map(texts: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, this.text(value)]));
  }
}
