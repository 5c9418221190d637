// What one of OpenCode's configs says about every agent. OpenCode replaces {env:…} and {file:…} anywhere in the text
// before it parses it.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { placeOf } from "@atomic/durable-files/jsonc/position";
import type { JsonNode } from "@atomic/durable-files/jsonc/tree";
import { toValue } from "@atomic/durable-files/jsonc/value";
import type { GeneralKeys } from "../permission/layers.ts";
import { isPlainObject, readPermission, readPermissionRules } from "../permission/rules.ts";
import type { Environment, General, GeneralFile } from "./format.ts";
import { readTextFile } from "./read-file.ts";
import { configFolders } from "./worktree.ts";

export interface ConfigText {
  readonly path: string;
  readonly text: string;
  /** The folder for relative paths in {file:…}. Default: the folder of `path`. */
  readonly folder?: string;
  /** For {env:…}. */
  readonly env?: Environment;
}

/**
 * The top-level `permission` and `tools`; undefined if the config has neither.
 *
 * @example
 * readGeneral({ path: "/p/opencode.json", text: '{ "permission": { "bash": "{env:BASH}" } }', env: { BASH: "ask" } });
 */
export function readGeneral(config: ConfigText): General | undefined {
  const { path, folder = dirname(path), env = {} } = config;
  const home = (process.platform === "win32" ? env.USERPROFILE : env.HOME) || homedir();
  // The {file:…} of a file that cannot be read stays: only what it restricts is unknown.
  const text = config.text
    .replace(/\{env:([^}]+)\}/g, (_, name: string) => env[name] ?? "")
    .replace(/\{file:([^}]+)\}/g, (token, name: string, at: number, all: string) => {
      const line = all.slice(all.lastIndexOf("\n", at - 1) + 1, at);
      if (line.trimStart().startsWith("//")) return token;
      const file = readTextFile(name.startsWith("~/") ? join(home, name.slice(2)) : resolve(folder, name));
      return file.kind === "text" ? JSON.stringify(file.text.trim()).slice(1, -1) : token;
    });
  let root: JsonNode | undefined;
  try {
    root = parseJsonc(text).root;
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return { keys: {}, problem: error.message.replace(`${error.at}: `, "") };
  }
  if (root?.kind !== "object") return undefined;
  const said = new Map(root.properties.map(({ key, value }) => [key.value, value]));
  const [permission, tools] = [said.get("permission"), said.get("tools")];
  if (permission === undefined && tools === undefined) return undefined;
  const values = { permission: permission && toValue(permission), tools: tools && toValue(tools) };
  const areSwitches = isPlainObject(values.tools) && Object.values(values.tools).every((on) => typeof on === "boolean");
  const keys: GeneralKeys = {
    permission: readPermission(values.permission),
    ...(areSwitches && { tools: values.tools as Record<string, boolean> }),
  };
  const rules = permission === undefined ? [] : readPermissionRules(values.permission);
  const [missing] = /\{file:[^}]+\}/.exec(JSON.stringify(values)) ?? [];
  const why =
    missing !== undefined
      ? `${missing} cannot be read`
      : typeof rules === "string"
        ? rules
        : tools !== undefined && !areSwitches
          ? "it is not a map of true or false values"
          : undefined;
  if (why === undefined) return { keys };
  const [name, node] = typeof rules === "string" || tools === undefined ? ["permission", permission] : ["tools", tools];
  const at = text === config.text && node !== undefined && { at: placeOf(text, node, path) };
  return { keys, problem: `"${name}" cannot be read: ${why}`, ...at };
}

/**
 * The general permissions that OpenCode finds outside of the project and the home folder: in environment variables and
 * the files that they name, in the folders above the project, and in an administrator's configs.
 */
export interface OpencodeEnvironment {
  readonly env: Environment;
  readonly files: readonly GeneralFile[];
  /** The folder that replaces `~/.config/opencode`, if one is configured. */
  readonly globalFolder: string | undefined;
}

const names = ["opencode.json", "opencode.jsonc"];

/** `folder` is where OpenCode would start. */
export function opencodeEnvironment(env: Environment, folder: string): OpencodeEnvironment {
  const { XDG_CONFIG_HOME: xdg, OPENCODE_CONFIG: custom, OPENCODE_CONFIG_DIR: further } = env;
  const globalFolder = xdg ? join(resolve(folder, xdg), "opencode") : undefined;
  const above = configFolders(folder).slice(1);
  const files = [
    ...["config.json", ...names].flatMap((name) =>
      globalFolder === undefined ? [] : generalIn(join(globalFolder, name), `.config/opencode/${name}`, env),
    ),
    ...(custom ? generalIn(resolve(folder, custom), "OPENCODE_CONFIG", env) : []),
    ...above.toReversed().flatMap((each) => names.flatMap((name) => generalIn(join(each, name), "above", env))),
    ...above.flatMap((each) =>
      names.flatMap((name) => generalIn(join(each, ".opencode", name), "above/.opencode", env)),
    ),
    ...names.flatMap((name) =>
      further ? generalIn(resolve(folder, further, name), `OPENCODE_CONFIG_DIR/${name}`, env) : [],
    ),
    ...lateGeneral(env, folder),
  ];
  return { env, files, globalFolder };
}

/** What OpenCode reads after all other config files, in its order. */
export function lateGeneral(env: Environment, folder: string): GeneralFile[] {
  const { OPENCODE_CONFIG_CONTENT: content, OPENCODE_PERMISSION: permission } = env;
  const place = "OPENCODE_CONFIG_CONTENT";
  const { OPENCODE_TEST_MANAGED_CONFIG_DIR: test, ProgramData: data } = env;
  const managed = {
    darwin: "/Library/Application Support/opencode",
    win32: join(data || "C:\\ProgramData", "opencode"),
    other: "/etc/opencode",
  };
  const { platform } = process;
  const managedFolder = test || managed[platform === "darwin" || platform === "win32" ? platform : "other"];
  const variable: GeneralFile[] = [];
  if (permission) {
    try {
      const value: unknown = JSON.parse(permission);
      const rules = isPlainObject(value) ? readPermissionRules(value) : "it is not a map of actions";
      const problem = typeof rules === "string" && { problem: `OPENCODE_PERMISSION cannot be read: ${rules}` };
      const file = { path: "OPENCODE_PERMISSION", place: "OPENCODE_PERMISSION", location: "user" } as const;
      variable.push({ ...file, keys: { permission: readPermission(value) }, ...problem });
    } catch (error) {
      // OpenCode ignores it if it is not JSON.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return [
    ...(content ? generalOf({ path: place, text: content, folder, env }, place) : []),
    ...names.flatMap((name) => generalIn(join(managedFolder, name), `managed/${name}`, env)),
    ...variable,
  ];
}

function generalIn(path: string, place: string, env: Environment): GeneralFile[] {
  if (!existsSync(path)) return [];
  const read = readTextFile(path);
  if (read.kind === "text") return generalOf({ path, text: read.text, env }, place);
  if (read.diagnostic.code === "file-missing") return [];
  return [{ path, place, location: "user", keys: {}, problem: read.diagnostic.message }];
}

function generalOf(config: Parameters<typeof readGeneral>[0], place: string): GeneralFile[] {
  const general = readGeneral(config);
  return general === undefined ? [] : [{ path: config.path, place, location: "user", ...general }];
}
