import { readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { placeOf } from "@atomic/durable-files/jsonc/position";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { PackageTranslation } from "../../delivery/translate/package-translation.ts";
import { HugoError } from "../../errors.ts";
import { readJsonObject } from "../../packages/json-part.ts";
import { type ContentType, usualPath, type WorkflowContent, workflowModules } from "../../packages/manifest/content.ts";
import { defaultWithoutId, valueExports, withoutComments } from "../../packages/manifest/entry-code.ts";
import { namedLikeFiles } from "../../packages/manifest/folders.ts";
import { readPackageFacts } from "../../packages/manifest/package-json.ts";
import {
  dependenciesIn,
  error,
  hasErrors,
  type PackageProblem,
  problemOfDiagnostic,
  problemsOf,
  type SourcePackage,
  warning,
} from "./read-source.ts";

const KEYWORD = "opencode-workflow";

/** npm runs these on install; OpenCode and Hugo never do. ("prepare" runs before packing.) */
const LIFECYCLE = ["preinstall", "install", "postinstall"];

const WHY: Readonly<Record<string, string>> = {
  name: "A package without a name cannot be installed.",
  version: "A package without a version cannot be published.",
  description: "`hugo search` and `hugo info` show it.",
};

/** What package.json needs so others can find and install the package. */
export function checkPackageJson(json: JsonPart): PackageProblem[] {
  const problems = ["name", "version", "description"].flatMap((key) => {
    const part = json.get(key);
    if (part.node?.kind === "string" && part.node.value !== "") return [];
    return [warning(part.at, `package.json has no "${key}"`, `Add it. ${WHY[key]}`)];
  });
  const keywords = json.get("keywords");
  const words = keywords.node?.kind === "array" ? keywords.items().map((item) => item.value()) : [];
  if (!words.includes(KEYWORD)) {
    const hint = `Add "${KEYWORD}" to "keywords" so \`hugo search\` can find the package.`;
    problems.push(warning(keywords.at, `the keyword "${KEYWORD}" is missing`, hint));
  }
  const scripts = json.get("scripts");
  for (const [name, script] of scripts.node?.kind === "object" ? scripts.entries() : []) {
    if (!LIFECYCLE.includes(name)) continue;
    const message = `the script "${name}" will not run: neither OpenCode nor Hugo runs package scripts`;
    problems.push(warning(script.at, message, "Do that work before packing, or when the plugin starts."));
  }
  return problems;
}

/** Whether the present workflow.json is JSON at all. What it lists is written anew. */
export function checkWorkflowJson(folder: string): PackageProblem[] {
  const file = join(folder, "workflow.json");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const hint = "Fix it, or delete it: `hugo build` writes it once the package has no errors.";
  try {
    readJsonObject(readFileSync(file, "utf8"), { file: "workflow.json", code: "manifest-invalid", hint });
    return [];
  } catch (caught) {
    if (!(caught instanceof HugoError)) throw caught;
    return problemsOf(caught);
  }
}

export interface CheckedContent {
  readonly content: WorkflowContent;
  readonly problems: readonly PackageProblem[];
}

const nothing: WorkflowContent = { agents: [], commands: [], skills: [] };

/** Everything in a workflow's folders, with all problems. */
export function checkContent(source: SourcePackage, delivery: "plugin" | "copy"): CheckedContent {
  const scanned = scan(source, delivery);
  if (hasErrors(scanned.problems))
    return { ...scanned, problems: [...scanned.problems, ...found(source, delivery, nothing)] };
  const { content } = scanned;
  const lists = { agent: content.agents, command: content.commands, skill: content.skills };
  // A name in workflow.json determines the file's path, so a file elsewhere is not found.
  const misplaced = Object.entries(lists).flatMap(([type, list]) =>
    list.flatMap(({ name, path }) => {
      const usual = usualPath(type as ContentType, name);
      if (path === usual) return [];
      return [error(path, "is in the wrong folder, so workflow.json cannot list it", `Move it to ${usual}.`)];
    }),
  );
  return { content, problems: [...misplaced, ...found(source, delivery, content)] };
}

function scan({ tree }: SourcePackage, delivery: "plugin" | "copy"): CheckedContent {
  try {
    const workflows = workflowModules(tree.keys());
    const content = namedLikeFiles(tree) ?? (workflows.length > 0 ? nothing : undefined);
    if (content !== undefined)
      return {
        content: { ...content, workflows },
        problems: workflows.flatMap(({ name, path }) => {
          const problem = problemWithName(name);
          return problem === undefined
            ? []
            : [error(path, `cannot be listed in workflow.json. ${problem}`, "Rename the file.")];
        }),
      };
  } catch (caught) {
    if (!(caught instanceof HugoError)) throw caught;
    return { content: nothing, problems: problemsOf(caught) };
  }
  const hint =
    "Put Markdown files in agents/ or commands/, a folder with a SKILL.md in skills/, or a graph in workflows/.";
  const message = "this package has no agents, commands, skills or workflows";
  if (delivery === "plugin") {
    const plain = "To publish a plain OpenCode plugin, you need no workflow.json: `hugo install` takes it as it is.";
    return { content: nothing, problems: [error(undefined, message, `${plain} For a workflow: ${hint}`)] };
  }
  return { content: nothing, problems: [error(undefined, message, hint)] };
}

function found(
  { folder, tree }: SourcePackage,
  delivery: "plugin" | "copy",
  content: WorkflowContent,
): PackageProblem[] {
  if (delivery === "plugin") {
    return readWorkflow(folder, { isUnlisted: true })
      .diagnostics.filter(({ code }) => code !== "workflow-empty")
      .map((diagnostic): PackageProblem => {
        const problem = problemOfDiagnostic(folder, diagnostic);
        // OpenCode calls a skill by the name in it, workflow.json by its folder: a lookup by one would miss the other.
        return diagnostic.code === "name-mismatch" ? { ...problem, severity: "error" } : problem;
      });
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

const IMPORT = /^[ \t]*(?:import|export)\s(?!type\b)(?:[^"';]*?\sfrom\s*)?["']([^"'\n]+)["']/gm;

/** Problems for OpenCode in the text of an entry. Only loading it shows everything. */
export function checkEntryText(path: string, text: string, json: JsonPart): PackageProblem[] {
  const code = withoutComments(text);
  const problems = valueExports(code).map(({ name, start }) => {
    const message = `the export "${name}" is not a function, and OpenCode treats every export next to a function as a plugin`;
    const hint = "Do not export it, or make defineWorkflow({ … }) the default export.";
    return error(placeOf(code, { start }, path), message, hint);
  });
  const start = defaultWithoutId(code);
  if (start !== undefined) {
    const message = 'the default export has no "id", so OpenCode can load it from the registry but not from a folder';
    const hint = 'Add `id: "…"` so users can install the workflow from a repository or a folder.';
    problems.push(warning(placeOf(code, { start }, path), message, hint));
  }
  const own = json.get("name");
  const declared = [...dependenciesIn(json), ...(own.node?.kind === "string" ? [own.node.value] : [])];
  for (const match of code.matchAll(IMPORT)) {
    const [, specifier = ""] = match;
    // Files, and what is part of the runtime.
    const [first = "", second = ""] = specifier.split("/");
    if (/^(?:[./#]|[a-z]+:)/.test(specifier) || builtinModules.includes(first) || first === "bun") continue;
    // `@org/review/plugin` belongs to `@org/review`.
    const name = first.startsWith("@") ? `${first}/${second}` : first;
    if (declared.includes(name)) continue;
    const message = `"${name}" is imported, but is not in "dependencies" in package.json`;
    const at = placeOf(code, { start: match.index + match[0].lastIndexOf(specifier) }, path);
    problems.push(error(at, message, `Run \`npm install ${name}\`: OpenCode installs only what "dependencies" lists.`));
  }
  return problems;
}
