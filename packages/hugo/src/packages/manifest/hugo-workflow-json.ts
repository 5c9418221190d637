import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { isPlainPath } from "@atomic/durable-files/safety/names";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { readJsonObject } from "../json-part.ts";
import { type PackageTree, pathsBelow, textOf } from "../tree.ts";
import { type ContentEntity, type ContentType, listKey, refuseRepeated, type WorkflowContent } from "./content.ts";

const file = "hugo-workflow.json";
const hint = `Only the author of the package can correct it: paths lead from its root, such as "agents/review.md".`;

/** `hugo-workflow.json`: the paths of the files to copy. */
export function readHugoWorkflowJson(tree: PackageTree): WorkflowContent | undefined {
  const text = textOf(tree, file);
  if (text === undefined) return undefined;
  const root = readJsonObject(text, { file, code: "manifest-invalid", hint });
  const name = root.get("name");
  const problem = problemWithName(name.string());
  if (problem !== undefined) throw name.refuse(`cannot be a name. ${problem}`);
  root.get("description").string();
  return {
    agents: readPaths(root, "agent", tree),
    commands: readPaths(root, "command", tree),
    skills: readPaths(root, "skill", tree),
  };
}

function readPaths(root: JsonPart, type: ContentType, tree: PackageTree): ContentEntity[] {
  const entities = root
    .get(listKey(type))
    .items()
    .map((item) => {
      const part = item.get("path");
      const path = checkPath(part, type, tree);
      return { part, path, name: nameIn(path, type) };
    });
  for (const { part, name } of entities) {
    const problem = problemWithName(name);
    if (problem !== undefined) throw part.refuse(`cannot be installed. ${problem}`);
  }
  refuseRepeated(entities);
  return entities.map(({ name, path }) => ({ name, path }));
}

function checkPath(part: JsonPart, type: ContentType, tree: PackageTree): string {
  const written = part.string();
  const path = written.replace(/^\.\//, "").replace(/\/$/, "");
  if (!isPlainPath(path)) throw part.refuse("is no plain path inside the package");
  if (type === "skill") {
    if (tree.has(path)) throw part.refuse("is a file, but a skill is a folder with a SKILL.md");
    if (pathsBelow(tree, path).length === 0) throw part.refuse("is not in the package");
    if (!tree.has(`${path}/SKILL.md`)) throw part.refuse("has no SKILL.md");
    return path;
  }
  if (!path.endsWith(".md")) throw part.refuse(`is no Markdown file, as ${type}s are`);
  if (!tree.has(path)) throw part.refuse("is not in the package");
  return path;
}

/** `agents/git/commit.md` is `git/commit`, as OpenCode names it; elsewhere only the last part counts. */
function nameIn(path: string, type: ContentType): string {
  const stem = type === "skill" ? path : path.slice(0, -".md".length);
  const usual = `${listKey(type)}/`;
  if (type !== "skill" && stem.startsWith(usual)) return stem.slice(usual.length);
  return stem.slice(stem.lastIndexOf("/") + 1);
}
