import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { PackageTranslation } from "../../delivery/translate/package-translation.ts";
import { HugoError } from "../../errors.ts";
import {
  type ContentEntity,
  type ContentType,
  usualPath,
  type WorkflowContent,
  workflowModules,
} from "../../packages/manifest/content.ts";
import { readUsualFolders } from "../../packages/manifest/folders.ts";
import { readPackageFacts } from "../../packages/manifest/package-json.ts";
import { error, hasErrors, type Problem, problemOfDiagnostic, problemsOf } from "./problem.ts";
import type { SourcePackage } from "./read-source.ts";

export interface CheckedContent {
  readonly content: WorkflowContent;
  readonly problems: readonly Problem[];
}

const nothing: WorkflowContent = { agents: [], commands: [], skills: [] };

/** Everything in the folders of a workflow, with all that is wrong with it. */
export function checkContent(source: SourcePackage, delivery: "plugin" | "copy"): CheckedContent {
  const scanned = scan(source);
  if (hasErrors(scanned.problems))
    return { ...scanned, problems: [...scanned.problems, ...found(source, delivery, nothing)] };
  const { content } = scanned;
  return { content, problems: [...misplaced(content), ...found(source, delivery, content)] };
}

function scan({ tree }: SourcePackage): CheckedContent {
  try {
    const workflows = workflowModules(tree.keys());
    const content = readUsualFolders(tree, "") ?? (workflows.length > 0 ? nothing : undefined);
    if (content !== undefined) return { content: { ...content, workflows }, problems: workflows.flatMap(misnamed) };
  } catch (caught) {
    if (!(caught instanceof HugoError)) throw caught;
    return { content: nothing, problems: problemsOf(caught) };
  }
  const hint =
    "Put Markdown files into agents/ or commands/, a folder with a SKILL.md into skills/, or a graph into workflows/.";
  const message = "there are no agents, commands, skills or workflows in this package";
  return { content: nothing, problems: [error(".", message, hint)] };
}

function misnamed({ name, path }: ContentEntity): Problem[] {
  const problem = problemWithName(name);
  return problem === undefined ? [] : [error(path, `cannot be listed. ${problem}`, "Rename the file.")];
}

/** A name in workflow.json says where the file is: nothing else can be found by it. */
function misplaced({ agents, commands, skills }: WorkflowContent): Problem[] {
  const lists: readonly [ContentType, WorkflowContent["agents"]][] = [
    ["agent", agents],
    ["command", commands],
    ["skill", skills],
  ];
  return lists.flatMap(([type, list]) =>
    list.flatMap(({ name, path }) => {
      const usual = usualPath(type, name);
      if (path === usual) return [];
      return [error(path, "lies where workflow.json cannot name it", `Move it to ${usual}.`)];
    }),
  );
}

function found({ folder, tree }: SourcePackage, delivery: "plugin" | "copy", content: WorkflowContent): Problem[] {
  if (delivery === "plugin") {
    return readWorkflow(folder)
      .diagnostics.filter(({ code }) => code !== "workflow-empty")
      .map((diagnostic) => stricter(problemOfDiagnostic(folder, diagnostic), diagnostic.code));
  }
  try {
    const manifest = {
      ...content,
      from: "workflow.json",
      delivery: { kind: "copy" },
      package: readPackageFacts(tree),
    } as const;
    const { stopped } = new PackageTranslation(manifest, tree).deliver();
    return stopped.map(({ at, because, hint }) => error(at, because, hint));
  } catch (caught) {
    if (!(caught instanceof HugoError)) throw caught;
    return problemsOf(caught);
  }
}

/** OpenCode calls a skill by the name in it, workflow.json by its folder: whoever looks for one would miss the other. */
function stricter(problem: Problem, code: string): Problem {
  return code === "name-mismatch" ? { ...problem, severity: "error" } : problem;
}
