// The manifest files, one reader each.
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { isPlainPath } from "@atomic/durable-files/safety/names";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { readJsonFile } from "../json-part.ts";
import { type PackageTree, pathsBelow } from "../tree.ts";
import {
  type ContentEntity,
  type ContentType,
  type ListedName,
  refuseRepeated,
  usualPath,
  type WorkflowContent,
  workflowModules,
} from "./content.ts";

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
        const path = part.string().replace(/^\.\//, "").replace(/\/$/, "");
        if (!isPlainPath(path)) throw part.refuse("is not a plain path inside the package");
        return { part, path, name: checkedName(part, path, type, tree) };
      });
    for (const { part, name } of listed) {
      const problem = problemWithName(name);
      if (problem !== undefined) throw part.refuse(`cannot be installed. ${problem}`);
    }
    refuseRepeated(listed);
    return listed.map(({ name, path }) => ({ name, path }));
  };
  return { agents: entities("agent"), commands: entities("command"), skills: entities("skill") };
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
