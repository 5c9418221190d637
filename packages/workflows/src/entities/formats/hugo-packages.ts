import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { withFacts } from "../define-entity.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { FolderPlace, Reading, SourceFile } from "../format.ts";
import { loadPlace } from "../load.ts";
import { readTextFile } from "../read-file.ts";
import { lookOr, systemCode } from "../system-error.ts";
import { readWorkflowFile } from "./atomic.ts";
import { type CopiedWorkflow, type LockedPlugin, workflowProblem } from "./hugo-lock.ts";
import { opencodeReaders } from "./opencode.ts";
import { parseConfig } from "./opencode-config.ts";

const { readAgent, readCommand, readSkill } = opencodeReaders("hugo");
const readWorkflow = readWorkflowFile("hugo");

/** Where the package of a plugin lies. */
export type PackageLookup =
  | { readonly kind: "there"; readonly folder: string /** From the base. */; readonly place: string }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly diagnostic: Diagnostic };

export function findPackage({ name, package: packageName, tree }: LockedPlugin, lock: SourceFile): PackageLookup {
  if (tree === undefined) return { kind: "missing" };
  const entry = `${name}-${tree.slice("sha256:".length, "sha256:".length + 16)}`;
  const way = `.hugo/store/${entry}/node_modules/${packageName}`;
  try {
    // Both names are untrusted, and so are links in the store.
    const folder = joinInside(dirname(lock.path), way);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return { kind: "missing" };
    return { kind: "there", folder, place: posix.join(posix.dirname(lock.place), way) };
  } catch (error) {
    const problem = error instanceof DurableError ? error.message : `It cannot be read (${systemCode(error)})`;
    return {
      kind: "refused",
      diagnostic: workflowProblem(lock, name, `does not name a package in the store. ${problem}.`),
    };
  }
}

interface Part extends Pick<FolderPlace, "type" | "pattern" | "read"> {
  readonly folder: string;
  /** What is a part of the workflow, and no document beside one. */
  readonly files: ReadonlySet<string>;
}

/** The entities of a workflow, read as OpenCode's own files are. */
export function loadPlugin(
  plugin: LockedPlugin,
  { folder, place }: { readonly folder: string; readonly place: string },
  { location }: SourceFile,
): Reading {
  const root = realpathSync.native(folder);
  const { agents, commands, skills } = plugin;
  const workflows = listedWorkflows(folder);
  const filesOf = (names: readonly string[], ending: string): Set<string> =>
    new Set(names.map((name) => `${name}${ending}`));
  const code = { folder: "workflows", type: "workflow", read: readWorkflow } as const;
  const parts: readonly Part[] = [
    { folder: "agents", type: "agent", pattern: "**/*.md", read: readAgent, files: filesOf(agents, ".md") },
    { folder: "commands", type: "command", pattern: "**/*.md", read: readCommand, files: filesOf(commands, ".md") },
    { folder: "skills", type: "skill", pattern: "**/SKILL.md", read: readSkill, files: filesOf(skills, "/SKILL.md") },
    { ...code, pattern: "*.ts", files: filesOf(workflows, ".ts") },
    { ...code, pattern: "*.js", files: filesOf(workflows, ".js") },
  ];
  const loads = parts.map(({ files, ...part }) => {
    const readOwned = owned(plugin.name, part.read);
    const read = (file: SourceFile): Reading => {
      if (!files.has(file.relative)) return { entities: [], diagnostics: [] };
      if (!isInside(root, file.path)) return { entities: [], diagnostics: [leadsOut(file.path)] };
      return readOwned(file);
    };
    const path = join(folder, part.folder);
    if (!isInside(root, path)) return { entities: [], diagnostics: [leadsOut(path)] };
    return loadPlace({ ...part, kind: "folder", path: `${place}/${part.folder}`, read }, path, location);
  });
  return {
    entities: loads.flatMap(({ entities }) => entities),
    diagnostics: loads.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** Whether it is in the folder once links are followed, or not there at all: reading it says what is wrong. */
function isInside(root: string, path: string): boolean {
  return lookOr(true, () => realpathSync.native(path).startsWith(root + sep));
}

/** The graphs among the files that Hugo copied beside its lock. */
export function loadCopied({ name, modules }: CopiedWorkflow, { path: lock, location, place }: SourceFile): Reading {
  const root = dirname(lock);
  const read = owned(name, readWorkflow);
  const loads = modules.flatMap((module): Reading[] => {
    const path = join(root, module);
    if (!existsSync(path)) return [];
    if (!isInside(realpathSync.native(root), path)) {
      return [{ entities: [], diagnostics: [leadsOut(path)] }];
    }
    const from = posix.join(posix.dirname(place), module);
    return [loadPlace({ kind: "config", types: ["workflow"], path: from, read }, path, location)];
  });
  return {
    entities: loads.flatMap(({ entities }) => entities),
    diagnostics: loads.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** The same reader, whose entities say which workflow they belong to. */
function owned(workflow: string, read: FolderPlace["read"]): FolderPlace["read"] {
  return (file) => {
    const { entities, diagnostics } = read(file);
    const marked = entities.map((entity) => withFacts(entity, { source: { ...entity.source, workflow } }));
    return { entities: marked, diagnostics };
  };
}

/** A link that Hugo did not make. */
function leadsOut(path: string): Diagnostic {
  const message = "This link leads out of its installed package, so it is not followed.";
  return { severity: "error", code: "hugo-link-outside", message, path, hint: "Run `hugo verify`." };
}

/** The graphs that a package says it has: `workflows` in its workflow.json. Other code in the folder is its own affair. */
function listedWorkflows(folder: string): readonly string[] {
  const path = join(folder, "workflow.json");
  const file = readTextFile(path);
  if (file.kind === "unreadable") return [];
  const config = parseConfig({ path, text: file.text });
  if (config.kind === "broken" || config.root?.kind !== "object") return [];
  const { workflows } = toValue(config.root) as Record<string, unknown>;
  return Array.isArray(workflows) ? workflows.filter((name) => typeof name === "string") : [];
}
