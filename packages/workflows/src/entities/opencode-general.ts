// What the text of one of OpenCode's configs says about every agent. OpenCode fills in {env:…} and {file:…} before it
// parses, wherever they stand.
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { placeOf } from "@atomic/durable-files/jsonc/position";
import type { JsonNode } from "@atomic/durable-files/jsonc/tree";
import { toValue } from "@atomic/durable-files/jsonc/value";
import type { GeneralKeys } from "../permission/layers.ts";
import { isPlainObject, readPermission, readPermissionRules } from "../permission/rules.ts";
import { readTextFile } from "./read-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigText {
  readonly path: string;
  readonly text: string;
  /** Where the paths of {file:…} begin. Default: the folder of `path`. */
  readonly folder?: string;
  /** For {env:…}. */
  readonly env?: Environment;
}

export interface General {
  readonly keys: GeneralKeys;
  /** Why nobody knows what else it restricts. */
  readonly problem?: string;
  /** `file:line:col` of the problem, where that is known. */
  readonly at?: string;
}

/**
 * `permission` and `tools` at the top; undefined if there is neither.
 *
 * @example
 * readGeneral({ path: "/p/opencode.json", text: '{ "permission": { "bash": "{env:BASH}" } }', env: { BASH: "ask" } });
 */
export function readGeneral(config: ConfigText): General | undefined {
  const text = filledIn(config);
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
          ? "it is not a map of switches"
          : undefined;
  if (why === undefined) return { keys };
  const [name, node] = typeof rules === "string" || tools === undefined ? ["permission", permission] : ["tools", tools];
  const at = text === config.text && node !== undefined && { at: placeOf(text, node, config.path) };
  return { keys, problem: `"${name}" cannot be read: ${why}`, ...at };
}

/** A file that cannot be read leaves its {file:…} behind: what it restricts is unknown, but the rest is not. */
function filledIn({ path, text, folder = dirname(path), env = {} }: ConfigText): string {
  const home = (process.platform === "win32" ? env.USERPROFILE : env.HOME) || homedir();
  return text
    .replace(/\{env:([^}]+)\}/g, (_, name: string) => env[name] ?? "")
    .replace(/\{file:([^}]+)\}/g, (token, name: string, at: number, all: string) => {
      const isComment = all
        .slice(all.lastIndexOf("\n", at - 1) + 1, at)
        .trimStart()
        .startsWith("//");
      if (isComment) return token;
      const file = readTextFile(name.startsWith("~/") ? join(home, name.slice(2)) : resolve(folder, name));
      return file.kind === "text" ? JSON.stringify(file.text.trim()).slice(1, -1) : token;
    });
}
