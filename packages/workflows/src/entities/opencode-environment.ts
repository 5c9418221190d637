// The general permissions that OpenCode finds elsewhere than in the project and in the home folder: in what environment
// variables name or say, in the folders above the project, and in the configs that an administrator has put there.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isPlainObject, readPermission, readPermissionRules } from "../permission/rules.ts";
import type { GeneralFile } from "./formats/format.ts";
import { type Environment, readGeneral } from "./opencode-general.ts";
import { readTextFile } from "./read-file.ts";
import { configFolders } from "./worktree.ts";

export interface OpencodeEnvironment {
  readonly env: Environment;
  readonly files: readonly GeneralFile[];
  /** Where the global configs lie instead of in `~/.config/opencode`, if somebody says so. */
  readonly globalFolder: string | undefined;
}

const names = ["opencode.json", "opencode.jsonc"];

/** `folder` is the one in which OpenCode would start. */
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
  return [
    ...(content ? generalOf({ path: place, text: content, folder, env }, place) : []),
    ...names.flatMap((name) => generalIn(join(managedFolder(env), name), `managed/${name}`, env)),
    ...(permission ? permissionVariable(permission) : []),
  ];
}

/** Those that are gone when the variable is. */
export function isVariable({ path, place }: GeneralFile): boolean {
  return path === place;
}

function managedFolder({ OPENCODE_TEST_MANAGED_CONFIG_DIR: test, ProgramData: data }: Environment): string {
  if (test) return test;
  if (process.platform === "darwin") return "/Library/Application Support/opencode";
  return process.platform === "win32" ? join(data || "C:\\ProgramData", "opencode") : "/etc/opencode";
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
