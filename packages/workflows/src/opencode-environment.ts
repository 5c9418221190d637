// The general permissions that OpenCode takes from its environment variables, besides the files in their usual places.
import { join, resolve } from "node:path";
import type { GeneralFile } from "./formats/format.ts";
import { readOpencodeConfig } from "./formats/opencode-config.ts";
import { isPlainObject, readPermission, readPermissionRules } from "./permission/rules.ts";
import { readTextFile } from "./read-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where OpenCode's global configs lie instead of in `~/.config/opencode`, if somebody says so. */
export function globalFolderIn({ XDG_CONFIG_HOME: xdg }: Environment, folder: string): string | undefined {
  return xdg ? join(resolve(folder, xdg), "opencode") : undefined;
}

/** `folder` is the one in which OpenCode would start. */
export function generalFromEnvironment(env: Environment, folder: string): GeneralFile[] {
  const globals = globalFolderIn(env, folder);
  const { OPENCODE_CONFIG: custom, OPENCODE_CONFIG_DIR: further, OPENCODE_CONFIG_CONTENT: content } = env;
  return [
    ...["config.json", "opencode.json", "opencode.jsonc"].flatMap((name) =>
      globals === undefined ? [] : generalIn(join(globals, name), `.config/opencode/${name}`),
    ),
    ...(custom ? generalIn(resolve(folder, custom), "OPENCODE_CONFIG") : []),
    ...["opencode.json", "opencode.jsonc"].flatMap((name) =>
      further ? generalIn(resolve(folder, further, name), `OPENCODE_CONFIG_DIR/${name}`) : [],
    ),
    ...(content ? generalOfText("OPENCODE_CONFIG_CONTENT", content, "OPENCODE_CONFIG_CONTENT") : []),
    ...(env.OPENCODE_PERMISSION ? permissionVariable(env.OPENCODE_PERMISSION) : []),
  ];
}

function generalIn(path: string, place: string): GeneralFile[] {
  const read = readTextFile(path);
  if (read.kind === "text") return generalOfText(path, read.text, place);
  if (read.diagnostic.code === "file-missing") return [];
  return [{ path, place, location: "user", keys: {}, problem: read.diagnostic.message }];
}

function generalOfText(path: string, text: string, place: string): GeneralFile[] {
  const { general } = readOpencodeConfig({ path, text, place, relative: place, location: "user" });
  return general === undefined ? [] : [general];
}

/** OpenCode ignores it if it is no JSON. */
function permissionVariable(text: string): GeneralFile[] {
  const value = parsed(text);
  if (value === undefined) return [];
  const file = { path: "OPENCODE_PERMISSION", place: "OPENCODE_PERMISSION", location: "user" } as const;
  const rules = isPlainObject(value) ? readPermissionRules(value) : "it is not a map of actions";
  const problem = typeof rules === "string" && { problem: `OPENCODE_PERMISSION cannot be read: ${rules}` };
  return [{ ...file, keys: { permission: readPermission(value) }, ...problem }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
