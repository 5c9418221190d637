import { posix } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import { readJsonConfig, readJsonObject } from "../../packages/json-part.ts";
import { type PackageTree, textOf } from "../../packages/tree.ts";
import type { Capability } from "./capability.ts";

/** What package managers run on their own when a package is installed. Hugo never lets them. */
const LIFECYCLE = "preinstall install postinstall preprepare prepare postprepare prepublish".split(" ");

/** Lifecycle scripts, programs for the PATH, and for a plugin the packages whose code is loaded with it. */
export function readPackageScripts(tree: PackageTree, isPlugin: boolean): Capability[] {
  const text = textOf(tree, "package.json");
  if (text === undefined) return [];
  const file = "package.json";
  const root = readJsonObject(text, { file, code: "manifest-invalid", hint: "Only the author can correct it." });
  const scripts = objectIn(root.get("scripts")).filter(([name]) => LIFECYCLE.includes(name));
  const bin = root.get("bin");
  const programs = bin.node?.kind === "string" ? [["", bin.string()] as const] : objectIn(bin);
  const dependencies = ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((key) =>
    objectIn(root.get(key)),
  );
  return [
    ...scripts.map(([name, line]): Capability => ({ kind: "lifecycle", subject: name, detail: line })),
    ...programs.map(
      ([, path]): Capability => ({ kind: "executable", subject: path.replace(/^\.\//, ""), detail: "on the PATH" }),
    ),
    ...(isPlugin ? dependencies : []).map(
      ([name, wanted]): Capability => ({ kind: "dependency", subject: name, detail: loaded(wanted) }),
    ),
  ];
}

/** Under the name of one package another one can be loaded. */
function loaded(wanted: string): string {
  return /^[\w.^~<>=|* +-]*$/.test(wanted) ? "loaded" : `loaded as ${wanted}`;
}

function objectIn(part: JsonPart): (readonly [name: string, text: string])[] {
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
