import type { JsonPart } from "../json-part.ts";
import { problemWithName } from "../manifest/content.ts";
import { isPlainPath } from "../plain-path.ts";

export function workflowName(name: string, part: JsonPart): string {
  const problem = name.includes("/") ? "Workflow names have no slash" : problemWithName(name);
  if (problem !== undefined) throw part.refuse(`is no workflow. ${problem}`);
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

/** Where Hugo copies to, below `.opencode`. Nothing else is ever written or deleted because a file says so. */
export function destination(path: string, part: JsonPart): string {
  if (/^(?:agents|commands|skills|workflows)\//.test(path) && isPlainPath(path)) return path;
  throw part.refuse("is not in a folder that Hugo copies to");
}

/** It becomes the name of a folder. Old state may hold the spec of a repository instead. */
export function isPackageName(text: string): boolean {
  return text.length <= 2048 && !/[\p{Cc}\\]|^\/|(?:^|\/)\.{0,2}(?:\/|$)/u.test(text);
}

export function packageName(part: JsonPart): string {
  const name = part.string();
  if (!isPackageName(name)) throw part.refuse("cannot be the name of a package");
  return name;
}

export function plainPath(part: JsonPart): string {
  const path = part.string();
  if (!isPlainPath(path)) throw part.refuse("is not a plain relative path");
  return path;
}
