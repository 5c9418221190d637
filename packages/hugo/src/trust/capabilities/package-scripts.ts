import { posix } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import type { Capability } from "../../packages/capability.ts";
import { readJsonConfig, readJsonFile } from "../../packages/json-part.ts";
import { type PackageTree, textOf } from "../../packages/tree.ts";

/** What package managers run when they install a package. Hugo never lets them. */
const LIFECYCLE = "preinstall install postinstall preprepare prepare postprepare prepublish".split(" ");

/** A plugin's lifecycle scripts, its programs for the PATH, and the packages whose code is loaded with it. */
export function readPackageScripts(tree: PackageTree): Capability[] {
  const root = readJsonFile(tree, "package.json", "Only the author can fix it.");
  if (root === undefined) return [];
  const list: Capability[] = [];
  for (const [name, line] of textsIn(root.get("scripts"))) {
    if (LIFECYCLE.includes(name)) list.push({ kind: "lifecycle", subject: name, detail: line });
  }
  const bin = root.get("bin");
  const programs = bin.node?.kind === "string" ? [["", bin.string()] as const] : textsIn(bin);
  for (const [, path] of programs) {
    list.push({ kind: "executable", subject: path.replace(/^\.\//, ""), detail: "a program" });
  }
  for (const key of ["dependencies", "optionalDependencies", "peerDependencies"]) {
    for (const [name, wanted] of textsIn(root.get(key))) {
      // A package name can be an alias for a different package.
      const isPlain = /^[\w.^~<>=|* +-]*$/.test(wanted);
      list.push({ kind: "dependency", subject: name, detail: isPlain ? "loaded" : `loaded as ${wanted}` });
    }
  }
  return list;
}

function textsIn(part: JsonPart): (readonly [name: string, text: string])[] {
  if (part.node?.kind !== "object") return [];
  return part
    .entries()
    .flatMap(([name, value]) => (value.node?.kind === "string" ? [[name, value.string()] as const] : []));
}

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

/** Each server with its command line or address, and what it receives. */
export function readMcpServers(tree: PackageTree): Capability[] {
  return PLACES.flatMap(([file, key]) => serversIn(tree, file, key));
}

function serversIn(tree: PackageTree, file: string, key: string, { follow = true } = {}): Capability[] {
  const text = textOf(tree, file);
  if (text === undefined) return [];
  const root = readJsonConfig(text, { file, code: "manifest-invalid", hint: "Only the author can fix it." });
  const part = root.get(key).value();
  // `.mcp.json` may also hold the servers without the key around them.
  const servers = part ?? (key === "mcpServers" && file !== PLUGIN ? root.value() : undefined);
  return [servers].flat().flatMap((each): Capability[] => {
    if (typeof each === "string") {
      // A Claude Code plugin may list its servers in separate files.
      const found = follow ? serversIn(tree, posix.normalize(each), "mcpServers", { follow: false }) : [];
      return [{ kind: "mcp", subject: file, detail: `servers in ${each}` }, ...found];
    }
    return Object.entries(asMap(each)).map(([name, server]) => {
      const { command, args, url, env, environment, headers } = asMap(server);
      const line = [command, args].flat().filter((word) => typeof word === "string");
      const target = (typeof url === "string" ? url : line.join(" ")) || "nothing known";
      // A variable's value can change what the same command line runs.
      const given = [env, environment, headers].flatMap((map) => Object.entries(asMap(map)));
      const names = given.map(([key, value]) => (typeof value === "string" ? `${key}=${value}` : key)).sort();
      const detail = names.length === 0 ? target : `${target} with ${names.join(", ")}`;
      return { kind: "mcp", subject: name, detail };
    });
  });
}

function asMap(value: JsonValue | undefined): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}
