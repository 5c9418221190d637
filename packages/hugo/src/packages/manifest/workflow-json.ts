import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { readJsonObject } from "../json-part.ts";
import { type PackageTree, textOf } from "../tree.ts";
import {
  type ContentEntity,
  type ContentType,
  listKey,
  refuseRepeated,
  usualPath,
  type WorkflowContent,
  workflowModules,
} from "./content.ts";

const file = "workflow.json";
const hint = "Run `hugo build` in the workflow package to write it anew.";

/** `workflow.json`: the names of what a workflow provides. The files lie in the usual folders. */
export function readWorkflowJson(tree: PackageTree): WorkflowContent | undefined {
  const text = textOf(tree, file);
  if (text === undefined) return undefined;
  const root = readJsonObject(text, { file, code: "manifest-invalid", hint });
  return {
    agents: readNames(root, "agent", tree),
    commands: readNames(root, "command", tree),
    skills: readNames(root, "skill", tree),
    ...readWorkflows(root.get("workflows"), tree),
  };
}

function readWorkflows(list: JsonPart, tree: PackageTree): Pick<WorkflowContent, "workflows"> {
  if (list.isMissing) return {};
  const modules = workflowModules(tree.keys());
  const entities = namesListed(list);
  return {
    workflows: entities.map(({ part, name }) => {
      const [module, other] = modules.filter((each) => each.name === name);
      if (module === undefined) throw part.refuse(`lists "${name}", but workflows/${name}.ts is not in the package`);
      if (other !== undefined) throw part.refuse(`lists "${name}", which is both ${module.path} and ${other.path}`);
      return module;
    }),
  };
}

function readNames(root: JsonPart, type: ContentType, tree: PackageTree): ContentEntity[] {
  return namesListed(root.get(listKey(type))).map(({ part, name }) => {
    const path = usualPath(type, name);
    const needed = type === "skill" ? `${path}/SKILL.md` : path;
    // Package managers drop links and ignored files in silence, so a name without a file is no trifle.
    if (!tree.has(needed)) throw part.refuse(`lists "${name}", but ${needed} is not in the package`);
    return { name, path };
  });
}

function namesListed(list: JsonPart): { part: JsonPart; name: string }[] {
  const entities = list.items().map((part) => ({ part, name: part.string() }));
  for (const { part, name } of entities) {
    if (name === "") throw part.refuse("is empty");
    const problem = problemWithName(name);
    if (problem !== undefined) throw part.refuse(`cannot be a name. ${problem}`);
  }
  refuseRepeated(entities);
  return entities;
}
