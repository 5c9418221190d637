// The values in a hugo.json. It comes with the repository, so anyone may have written it: each value is checked before it
// can become a path, a plugin entry or a download.
import { DurableError } from "@atomic/durable-files/errors";
import { type Hash, isHash } from "@atomic/durable-files/files/hash";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { checkName, isPlainPath, shown } from "@atomic/durable-files/safety/names";
import { type LockedDependency, SYSTEM_KEYS } from "./lock.ts";
import { sourceForm } from "./source-form.ts";

export function workflowName(name: string, part: JsonPart): string {
  const problem = name.includes("/") ? "A workflow name cannot contain a slash" : problemWithName(name);
  if (problem !== undefined) throw part.refuse(`is not a valid workflow name. ${problem}`);
  return name;
}

/** The names of agents, commands, skills or graphs. */
export function entityNames(part: JsonPart): string[] {
  return part.items().map((item) => {
    const name = item.string();
    const problem = problemWithName(name);
    if (problem !== undefined) throw item.refuse(`is not a valid name. ${problem}`);
    return name;
  });
}

/** Why this cannot be an entity's name; undefined if it can. Agents and commands may be in folders. */
export function problemWithName(name: string): string | undefined {
  for (const part of name.split("/")) {
    try {
      checkName(part);
    } catch (error) {
      if (!(error instanceof DurableError)) throw error;
      return error.message.replace(shown(part), () => shown(name));
    }
  }
  return undefined;
}

/** Where Hugo copies to, below `.opencode`. Nothing else is ever written or deleted because a file says so. */
export function destination(path: string, part: JsonPart): string {
  if (/^(?:agents|commands|skills|workflows)\//.test(path) && isPlainPath(path)) return path;
  throw part.refuse("is not in a folder that Hugo copies to");
}

export function plainPath(part: JsonPart): string {
  const path = part.string();
  if (!isPlainPath(path)) throw part.refuse("is not a plain relative path");
  return path;
}

export function hash(part: JsonPart): Hash {
  const text = part.string();
  if (!isHash(text)) throw part.refuse("is not a hash of the form sha256:…");
  return text;
}

/** Matches nearly all names: compiling an expression with \p takes longer than reading a lock. */
const USUAL_PACKAGE = /^(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*$/;

/** It becomes a folder's name. Old state may have a repository's spec instead. */
export function packageName(part: JsonPart): string {
  const name = part.string();
  if (name.length <= 2048 && USUAL_PACKAGE.test(name)) return name;
  if (name.length <= 2048 && !/[\p{Cc}\\]|^\/|(?:^|\/)\.{0,2}(?:\/|$)/u.test(name)) return name;
  throw part.refuse("is not a valid package name");
}

const VERSION = /^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z.-]{1,100})?$/i;
/** A commit, also as in older state, or a local package's version, such as `1.0`. */
export const PLAIN_VERSION: RegExp = /^\w[\w.+~-]{0,199}$/;

const DEPENDENCY = /^(?:@[a-z0-9~_-][a-z0-9._~-]*\/)?[a-z0-9~_-][a-z0-9._~-]*$/i;
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** A line that `printDependency` writes, under a path below `node_modules`. It becomes a folder and a download. */
export function dependency(path: string, part: JsonPart): LockedDependency {
  const isPath = path.split("/node_modules/").every((name) => DEPENDENCY.test(name)) && isPlainPath(path);
  if (!isPath) throw part.refuse("is not the path of a package below node_modules");
  const [first = "", integrity = "", ...rest] = part.string().split(" ");
  const at = first.lastIndexOf("@");
  const [name, version] = [first.slice(0, Math.max(at, 0)), first.slice(at + 1)];
  if (!VERSION.test(version) || (name !== "" && !DEPENDENCY.test(name))) throw part.refuse("does not name a version");
  if (!INTEGRITY.test(integrity)) throw part.refuse("has no integrity of the form sha512-…");
  const tree = rest[0] !== undefined && isHash(rest[0]) ? rest[0] : undefined;
  const systems = new Map(rest.slice(tree === undefined ? 0 : 1).map((text) => [text.split("=")[0], text] as const));
  const known = SYSTEM_KEYS.flatMap((key) => {
    const [, list] = /^[a-z]+=(!?[a-z0-9_]+(?:,!?[a-z0-9_]+)*)$/.exec(systems.get(key) ?? "") ?? [];
    return list === undefined ? [] : [[key, list.split(",")] as const];
  });
  if (known.length !== rest.length - (tree === undefined ? 0 : 1)) throw part.refuse("has something after its hashes");
  return { ...(name !== "" && { name }), version, integrity, ...(tree && { tree }), ...Object.fromEntries(known) };
}

/** A registry package's version, a commit, or what a local package calls its version. */
export function versionOf(version: JsonPart, source: string): string {
  const text = version.string();
  const kind = sourceForm(source)?.kind;
  const pattern = kind === "registry" ? VERSION : PLAIN_VERSION;
  if (!pattern.test(text)) throw version.refuse(kind === "git" ? "is not a commit" : "is not a version");
  return text;
}

/** What names in OpenCode may start with. */
export const NAME_PREFIX: RegExp = /^(?=.{1,30}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function namePrefix(part: JsonPart): string {
  const text = part.string();
  if (!NAME_PREFIX.test(text)) throw part.refuse("is not a prefix of names");
  return text;
}

/** As OpenCode writes a model: `anthropic/claude-opus-4-5`, `openrouter/openai/gpt-5`. It ends up in frontmatter. */
const MODEL_NAME = /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9@][\w.:@-]*)+$/;

export function modelName(part: JsonPart): string {
  const text = part.string();
  if (text.length > 200 || !MODEL_NAME.test(text)) {
    throw part.refuse(`is ${shown(text)}, which is not a model of the form provider/model`);
  }
  return text;
}
