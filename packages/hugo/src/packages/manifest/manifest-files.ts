// The manifest files, one reader each.
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { isPlainPath } from "@atomic/durable-files/safety/names";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { readJsonFile } from "../json-part.ts";
import { type PackageTree, pathsBelow } from "../tree.ts";
import {
  byName,
  type ContentEntity,
  type ContentType,
  type ListedName,
  refuseRepeated,
  usualPath,
  type WorkflowContent,
  workflowModules,
} from "./content.ts";
import { markdownBelow, readUsualFolders, skillsIn } from "./folders.ts";

/** `workflow.json`: the names of what a workflow provides. The files are in the usual folders. */
export function readWorkflowJson(tree: PackageTree): WorkflowContent | undefined {
  const root = readJsonFile(tree, "workflow.json", "Run `hugo build` in the workflow package to regenerate it.");
  if (root === undefined) return undefined;
  const namesIn = (list: JsonPart): ListedName[] => {
    const names = list.items().map((part) => ({ part, name: part.string() }));
    for (const { part, name } of names) {
      if (name === "") throw part.refuse("is empty");
      const problem = problemWithName(name);
      if (problem !== undefined) throw part.refuse(`is not a valid name. ${problem}`);
    }
    refuseRepeated(names);
    return names;
  };
  const entities = (type: ContentType): ContentEntity[] =>
    namesIn(root.get(`${type}s`)).map(({ part, name }) => {
      const path = usualPath(type, name);
      const needed = type === "skill" ? `${path}/SKILL.md` : path;
      // Package managers silently drop links and ignored files, so a listed name without a file matters.
      if (!tree.has(needed)) throw part.refuse(`lists "${name}", but ${needed} is not in the package`);
      return { name, path };
    });
  const content = { agents: entities("agent"), commands: entities("command"), skills: entities("skill") };
  const list = root.get("workflows");
  if (list.isMissing) return content;
  const modules = workflowModules(tree.keys());
  const workflows = namesIn(list).map(({ part, name }) => {
    const [module, other] = modules.filter((each) => each.name === name);
    if (module === undefined) throw part.refuse(`lists "${name}", but workflows/${name}.ts is not in the package`);
    if (other !== undefined) throw part.refuse(`lists "${name}", but both ${module.path} and ${other.path} define it`);
    return module;
  });
  return { ...content, workflows };
}

/** `hugo-workflow.json`: the paths of the files to copy. */
export function readHugoWorkflowJson(tree: PackageTree): WorkflowContent | undefined {
  const hint = `Only the package's author can fix it: paths start at its root, such as "agents/review.md".`;
  const root = readJsonFile(tree, "hugo-workflow.json", hint);
  if (root === undefined) return undefined;
  const name = root.get("name");
  const problem = problemWithName(name.string());
  if (problem !== undefined) throw name.refuse(`is not a valid name. ${problem}`);
  root.get("description").string();
  const entities = (type: ContentType): ContentEntity[] => {
    const listed = root
      .get(`${type}s`)
      .items()
      .map((item) => {
        const part = item.get("path");
        const path = pathIn(part, "package");
        return { part, path, name: checkedName(part, path, type, tree) };
      });
    for (const { part, name } of listed) refuseUninstallable(part, name);
    refuseRepeated(listed);
    return listed.map(({ name, path }) => ({ name, path }));
  };
  return { agents: entities("agent"), commands: entities("command"), skills: entities("skill") };
}

function pathIn(part: JsonPart, whole: "package" | "plugin"): string {
  const path = part.string().replace(/^\.\//, "").replace(/\/$/, "");
  if (!isPlainPath(path)) throw part.refuse(`is not a plain path inside the ${whole}`);
  return path;
}

function refuseUninstallable(part: JsonPart, name: string): void {
  const problem = problemWithName(name);
  if (problem !== undefined) throw part.refuse(`cannot be installed. ${problem}`);
}

/** `agents/git/commit.md` is `git/commit`, as OpenCode names it; elsewhere only the last part of the path counts. */
function checkedName(part: JsonPart, path: string, type: ContentType, tree: PackageTree): string {
  if (type === "skill") {
    if (tree.has(path)) throw part.refuse("is a file, but a skill must be a folder that contains a SKILL.md");
    if (pathsBelow(tree, path).length === 0) throw part.refuse("is not in the package");
    if (!tree.has(`${path}/SKILL.md`)) throw part.refuse("has no SKILL.md");
    return path.slice(path.lastIndexOf("/") + 1);
  }
  if (!path.endsWith(".md")) throw part.refuse(`is not a Markdown file, but ${type}s must be Markdown files`);
  if (!tree.has(path)) throw part.refuse("is not in the package");
  const stem = path.slice(0, -".md".length);
  const usual = `${type}s/`;
  return stem.startsWith(usual) ? stem.slice(usual.length) : stem.slice(stem.lastIndexOf("/") + 1);
}

/** A plugin made for Claude Code: the usual folders, and what its manifest adds to them. */
export function readClaudePlugin(tree: PackageTree): WorkflowContent | undefined {
  const root = readJsonFile(tree, ".claude-plugin/plugin.json", "Only the plugin's author can fix it.");
  if (root === undefined) return undefined;
  const usual = readUsualFolders(tree, "") ?? { agents: [], commands: [], skills: [] };
  const content = {
    agents: together(
      usual.agents,
      listedIn(root.get("agents"), (path) => markdownAt(tree, path)),
    ),
    commands: together(
      usual.commands,
      listedIn(root.get("commands"), (path) => markdownAt(tree, path)),
    ),
    skills: together(
      usual.skills,
      listedIn(root.get("skills"), (path) => {
        if (tree.has(`${path}/SKILL.md`)) return [{ name: path.slice(path.lastIndexOf("/") + 1), path }];
        return pathsBelow(tree, path).length === 0 ? [] : skillsIn(tree, [path]);
      }),
    ),
  };
  return Object.values(content).every((list) => list.length === 0) ? undefined : content;
}

interface ListedEntity extends ContentEntity {
  readonly part: JsonPart;
}

/** A path or a list of paths to files or folders. */
function listedIn(part: JsonPart, entitiesAt: (path: string) => ContentEntity[]): ListedEntity[] {
  const parts = part.node?.kind === "array" ? part.items() : part.isMissing ? [] : [part];
  return parts.flatMap((item) => {
    const found = entitiesAt(pathIn(item, "plugin"));
    if (found.length === 0) throw item.refuse("is not in the plugin");
    for (const { name } of found) refuseUninstallable(item, name);
    return found.map((entity) => ({ ...entity, part: item }));
  });
}

function markdownAt(tree: PackageTree, path: string): ContentEntity[] {
  if (!tree.has(path)) return markdownBelow(tree, `${path}/`);
  return path.endsWith(".md") ? [{ name: path.slice(path.lastIndexOf("/") + 1, -".md".length), path }] : [];
}

/** An item in both counts once. */
function together(usual: readonly ContentEntity[], more: readonly ListedEntity[]): ContentEntity[] {
  const paths = new Set(usual.map(({ path }) => path));
  const others = [...new Map(more.map((entity) => [entity.path, entity])).values()].filter(
    ({ path }) => !paths.has(path),
  );
  const [first] = others;
  if (first !== undefined) refuseRepeated([...usual.map(({ name }) => ({ name, part: first.part })), ...others]);
  return [...usual, ...others.map(({ name, path }) => ({ name, path }))].sort(byName);
}
