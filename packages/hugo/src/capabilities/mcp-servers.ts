import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import { readJsonConfig } from "../json-part.ts";
import { type PackageTree, textOf } from "../package/tree.ts";
import type { Capability } from "./capability.ts";

type Values = Readonly<Record<string, JsonValue>>;

/** Where packages state MCP servers as data, and under which key; `""` is the whole file. */
const PLACES: readonly (readonly [file: string, key: string])[] = [
  [".mcp.json", "mcpServers"],
  [".claude-plugin/plugin.json", "mcpServers"],
  ["opencode.json", "mcp"],
  ["opencode.jsonc", "mcp"],
  [".opencode/opencode.json", "mcp"],
  [".opencode/opencode.jsonc", "mcp"],
];

/** Each server with the command line that it is started with, or its address. */
export function readMcpServers(tree: PackageTree): Capability[] {
  return PLACES.flatMap(([file, key]) => {
    const text = textOf(tree, file);
    if (text === undefined) return [];
    const root = readJsonConfig(text, { file, code: "manifest-invalid", hint: "Only the author can correct it." });
    const part = root.get(key).value();
    // `.mcp.json` may also hold the servers without the key around them.
    const servers = part ?? (file === ".mcp.json" ? root.value() : undefined);
    if (typeof servers === "string") return [{ kind: "mcp", subject: file, detail: `servers in ${servers}` } as const];
    return Object.entries(asMap(servers)).map(([name, server]): Capability => {
      return { kind: "mcp", subject: name, detail: describe(asMap(server)) };
    });
  });
}

function describe({ command, args, url, env, environment, headers }: Values): string {
  const line = [command, args].flat().filter((word) => typeof word === "string");
  const names = [env, environment, headers].flatMap((map) => Object.keys(asMap(map))).sort();
  const target = typeof url === "string" ? url : line.join(" ");
  return [target === "" ? "nothing known" : target, ...(names.length === 0 ? [] : [`with ${names.join(", ")}`])].join(
    " ",
  );
}

function asMap(value: JsonValue | undefined): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}
