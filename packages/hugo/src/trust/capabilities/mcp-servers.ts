import { posix } from "node:path";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import { readJsonConfig } from "../../packages/json-part.ts";
import { type PackageTree, textOf } from "../../packages/tree.ts";
import type { Capability } from "./capability.ts";

type Values = Readonly<Record<string, JsonValue>>;

const PLUGIN = ".claude-plugin/plugin.json";

/** Where packages state MCP servers as data, and under which key; `""` is the whole file. */
const PLACES: readonly (readonly [file: string, key: string])[] = [
  [".mcp.json", "mcpServers"],
  [PLUGIN, "mcpServers"],
  ["opencode.json", "mcp"],
  ["opencode.jsonc", "mcp"],
  [".opencode/opencode.json", "mcp"],
  [".opencode/opencode.jsonc", "mcp"],
];

/** Each server with the command line that it is started with, or its address, and what it is given. */
export function readMcpServers(tree: PackageTree): Capability[] {
  return PLACES.flatMap(([file, key]) => serversIn(tree, file, key));
}

function serversIn(tree: PackageTree, file: string, key: string, { follow = true } = {}): Capability[] {
  const text = textOf(tree, file);
  if (text === undefined) return [];
  const root = readJsonConfig(text, { file, code: "manifest-invalid", hint: "Only the author can correct it." });
  const part = root.get(key).value();
  // `.mcp.json` may also hold the servers without the key around them.
  const servers = part ?? (key === "mcpServers" && file !== PLUGIN ? root.value() : undefined);
  return [servers].flat().flatMap((each) => {
    if (typeof each === "string") return serversElsewhere(tree, file, each, follow);
    return Object.entries(asMap(each)).map(([name, server]): Capability => {
      return { kind: "mcp", subject: name, detail: describe(asMap(server)) };
    });
  });
}

/** A plugin of Claude Code may have its servers in files of their own. */
function serversElsewhere(tree: PackageTree, file: string, path: string, follow: boolean): Capability[] {
  const found = follow ? serversIn(tree, posix.normalize(path), "mcpServers", { follow: false }) : [];
  return [{ kind: "mcp", subject: file, detail: `servers in ${path}` }, ...found];
}

function describe({ command, args, url, env, environment, headers }: Values): string {
  const line = [command, args].flat().filter((word) => typeof word === "string");
  const given = [env, environment, headers].flatMap((map) => Object.entries(asMap(map)));
  // What a variable is set to can make another program of the same command line.
  const names = given.map(([name, value]) => (typeof value === "string" ? `${name}=${value}` : name)).sort();
  const target = typeof url === "string" ? url : line.join(" ");
  return [target === "" ? "nothing known" : target, ...(names.length === 0 ? [] : [`with ${names.join(", ")}`])].join(
    " ",
  );
}

function asMap(value: JsonValue | undefined): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}
