import { realpathSync, statSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import type { Diagnostic } from "../../diagnostic.ts";
import { withFacts } from "../../file-entity.ts";
import { loadPlace } from "../../load.ts";
import { systemCode } from "../../system-error.ts";
import { readWorkflowFile } from "../atomic.ts";
import type { FolderPlace, Reading, SourceFile } from "../format.ts";
import { opencodeReaders } from "../opencode.ts";
import { leadsOut } from "./leads-out.ts";
import { listedWorkflows } from "./listed-workflows.ts";
import { type LockedPlugin, workflowProblem } from "./lock.ts";

const { readAgent, readCommand, readSkill } = opencodeReaders("hugo");
const readWorkflow = readWorkflowFile("hugo");

/** Where the package of a plugin lies. */
export type StoredPackage =
  | { readonly kind: "there"; readonly folder: string /** From the base. */; readonly place: string }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly diagnostic: Diagnostic };

export function findPackage({ name, package: packageName, tree }: LockedPlugin, lock: SourceFile): StoredPackage {
  if (tree === undefined) return { kind: "missing" };
  const entry = `${name}-${tree.slice("sha256:".length, "sha256:".length + 16)}`;
  const way = `.hugo/store/${entry}/node_modules/${packageName}`;
  try {
    // Both names may come from anybody, and so may links in the store.
    const folder = joinInside(dirname(lock.path), way);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return { kind: "missing" };
    return { kind: "there", folder, place: posix.join(posix.dirname(lock.place), way) };
  } catch (error) {
    const problem = error instanceof DurableError ? error.message : `It cannot be read (${systemCode(error)})`;
    return { kind: "refused", diagnostic: workflowProblem(lock, name, `names no package in the store. ${problem}.`) };
  }
}

interface Part extends Pick<FolderPlace, "type" | "pattern" | "read"> {
  readonly folder: string;
  /** Whether it is a part of the workflow, and no document beside one. */
  readonly counts: (relative: string) => boolean;
}

/** The entities of a workflow, read as OpenCode's own files are. */
export function loadPlugin(
  plugin: LockedPlugin,
  { folder, place }: { readonly folder: string; readonly place: string },
  { location }: SourceFile,
): Reading {
  const root = realpathSync.native(folder);
  const loads = partsOf(plugin, listedWorkflows(folder)).map(({ counts, ...part }) => {
    const read = (file: SourceFile): Reading => {
      if (!counts(file.relative)) return { entities: [], diagnostics: [] };
      if (!isInside(root, file.path)) return { entities: [], diagnostics: [leadsOut(file.path)] };
      const { entities, diagnostics } = part.read(file);
      const owned = entities.map((entity) =>
        withFacts(entity, { source: { ...entity.source, workflow: plugin.name } }),
      );
      return { entities: owned, diagnostics };
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

function partsOf({ agents, commands, skills }: LockedPlugin, workflows: readonly string[]): Part[] {
  const code = { folder: "workflows", type: "workflow", read: readWorkflow } as const;
  return [
    { folder: "agents", type: "agent", pattern: "**/*.md", read: readAgent, counts: among(agents, ".md") },
    { folder: "commands", type: "command", pattern: "**/*.md", read: readCommand, counts: among(commands, ".md") },
    { folder: "skills", type: "skill", pattern: "**/SKILL.md", read: readSkill, counts: among(skills, "/SKILL.md") },
    { ...code, pattern: "*.ts", counts: among(workflows, ".ts") },
    { ...code, pattern: "*.js", counts: among(workflows, ".js") },
  ];
}

function among(names: readonly string[], ending: string): Part["counts"] {
  const files = new Set(names.map((name) => `${name}${ending}`));
  return (relative) => files.has(relative);
}

/** Whether it is in the folder once links are followed, or not there at all. */
function isInside(root: string, path: string): boolean {
  try {
    return realpathSync.native(path).startsWith(root + sep);
  } catch (error) {
    // Reading it says what is wrong.
    systemCode(error);
    return true;
  }
}
