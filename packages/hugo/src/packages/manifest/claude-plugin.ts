import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { isPlainPath } from "@atomic/durable-files/safety/names";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { readJsonObject } from "../json-part.ts";
import { type PackageTree, pathsBelow, textOf } from "../tree.ts";
import { byName, type ContentEntity, refuseRepeated, type WorkflowContent } from "./content.ts";
import { markdownBelow, readUsualFolders, skillsIn } from "./folders.ts";

const file = ".claude-plugin/plugin.json";
const hint = "Only the author of the plugin can correct it.";

/** A plugin made for Claude Code: the usual folders, and what its manifest adds to them. */
export function readClaudePlugin(tree: PackageTree): WorkflowContent | undefined {
  const text = textOf(tree, file);
  if (text === undefined) return undefined;
  const root = readJsonObject(text, { file, code: "manifest-invalid", hint });
  const usual = readUsualFolders(tree, "") ?? { agents: [], commands: [], skills: [] };
  const content = {
    agents: together(usual.agents, listed(root.get("agents"), tree, markdownAt)),
    commands: together(usual.commands, listed(root.get("commands"), tree, markdownAt)),
    skills: together(usual.skills, listed(root.get("skills"), tree, skillsAt)),
  };
  return Object.values(content).every((list) => list.length === 0) ? undefined : content;
}

interface Listed extends ContentEntity {
  readonly part: JsonPart;
}

type Lookup = (tree: PackageTree, path: string) => ContentEntity[];

/** A path or a list of paths, each of a file or a folder. */
function listed(part: JsonPart, tree: PackageTree, lookUp: Lookup): Listed[] {
  const parts = part.node?.kind === "array" ? part.items() : part.isMissing ? [] : [part];
  return parts.flatMap((item) => {
    const written = item.string();
    const path = written.replace(/^\.\//, "").replace(/\/$/, "");
    if (!isPlainPath(path)) throw item.refuse("is no plain path inside the plugin");
    const found = lookUp(tree, path);
    if (found.length === 0) throw item.refuse("is not in the plugin");
    for (const { name } of found) {
      const problem = problemWithName(name);
      if (problem !== undefined) throw item.refuse(`cannot be installed. ${problem}`);
    }
    return found.map((entity) => ({ ...entity, part: item }));
  });
}

function markdownAt(tree: PackageTree, path: string): ContentEntity[] {
  if (!tree.has(path)) return markdownBelow(tree, `${path}/`);
  return path.endsWith(".md") ? [{ name: path.slice(path.lastIndexOf("/") + 1, -".md".length), path }] : [];
}

function skillsAt(tree: PackageTree, path: string): ContentEntity[] {
  if (tree.has(`${path}/SKILL.md`)) return [{ name: path.slice(path.lastIndexOf("/") + 1), path }];
  return pathsBelow(tree, path).length === 0 ? [] : skillsIn(tree, [path]);
}

/** What stands in both counts once. */
function together(usual: readonly ContentEntity[], more: readonly Listed[]): ContentEntity[] {
  const paths = new Set(usual.map(({ path }) => path));
  const others = [...new Map(more.map((entity) => [entity.path, entity])).values()].filter(
    ({ path }) => !paths.has(path),
  );
  const [first] = others;
  if (first !== undefined) refuseRepeated([...usual.map(({ name }) => ({ name, part: first.part })), ...others]);
  return [...usual, ...others.map(({ name, path }) => ({ name, path }))].sort(byName);
}
