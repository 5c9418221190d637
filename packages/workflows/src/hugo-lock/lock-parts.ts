// The values of a hugo.json. It comes with the repository, so anyone may have written it: each is checked before it can
// become a path, a plugin entry or a download.
import { DurableError } from "@atomic/durable-files/errors";
import { type Hash, isHash } from "@atomic/durable-files/files/hash";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { checkName, isPlainPath, shown } from "@atomic/durable-files/safety/names";
import { sourceForm } from "./source-form.ts";

export function workflowName(name: string, part: JsonPart): string {
  const problem = name.includes("/") ? "Workflow names have no slash" : problemWithName(name);
  if (problem !== undefined) throw part.refuse(`is not a workflow. ${problem}`);
  return name;
}

/** The names of agents, commands, skills or graphs. */
export function entityNames(part: JsonPart): string[] {
  return part.items().map((item) => {
    const name = item.string();
    const problem = problemWithName(name);
    if (problem !== undefined) throw item.refuse(`cannot be a name. ${problem}`);
    return name;
  });
}

/** Why this cannot be the name of an entity; undefined if it can. Agents and commands may lie in folders. */
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

/** What nearly all names look like: to compile an expression with \p takes longer than to read a lock. */
const USUAL_PACKAGE = /^(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*$/;

/** It becomes the name of a folder. Old state may hold the spec of a repository instead. */
export function packageName(part: JsonPart): string {
  const name = part.string();
  if (name.length <= 2048 && USUAL_PACKAGE.test(name)) return name;
  if (name.length <= 2048 && !/[\p{Cc}\\]|^\/|(?:^|\/)\.{0,2}(?:\/|$)/u.test(name)) return name;
  throw part.refuse("cannot be the name of a package");
}

const VERSION = /^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z.-]{1,100})?$/i;
/** A commit, also as older state has it, and the version of a local package: `1.0` will do. */
const PLAIN_VERSION = /^\w[\w.+~-]{0,199}$/;

/**
 * The source and the version of a workflow, which end up in plugin arrays: OpenCode downloads what they name. A
 * registry source must name the workflow's own package.
 */
export function originOf(workflow: JsonPart): { readonly source: string; readonly version: string } {
  const [name, source] = [workflow.get("package"), workflow.get("source")];
  const text = source.string();
  const form = sourceForm(text);
  if (form === undefined) throw source.refuse("is not a source in the form that Hugo writes");
  if (form.kind === "registry" && form.name !== name.string()) {
    throw name.refuse("is not the package that its source names");
  }
  return { source: text, version: versionOf(workflow.get("version"), text) };
}

/** Whether Hugo writes it down as the version of a local package. */
export function isPlainVersion(text: string): boolean {
  return PLAIN_VERSION.test(text);
}

/** A version of a registry package, a commit, or what a local package calls its version. */
export function versionOf(version: JsonPart, source: string): string {
  const text = version.string();
  const kind = sourceForm(source)?.kind;
  const isRight = kind === "registry" ? VERSION.test(text) : isPlainVersion(text);
  if (!isRight) throw version.refuse(kind === "git" ? "is not a commit" : "is not a version");
  return text;
}
