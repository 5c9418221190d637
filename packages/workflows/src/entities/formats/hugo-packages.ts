import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { positionsOf, type TextPosition } from "@atomic/durable-files/jsonc/position";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { type LockedWorkflow, storeEntry } from "../../hugo-lock/lock.ts";
import { withFacts } from "../define-entity.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { type FolderPlace, joined, type Reading, type SourceFile } from "../format.ts";
import { loadPlace } from "../load.ts";
import { readTextFile } from "../read-file.ts";
import { lookOr, systemCode } from "../system-error.ts";
import { readWorkflowFile } from "./atomic.ts";
import { opencodeReaders } from "./opencode.ts";
import { parseConfig } from "./opencode-config.ts";

const { readAgent, readCommand, readSkill } = opencodeReaders("hugo");
const readWorkflow = readWorkflowFile("hugo");

/** A workflow that OpenCode loads as a plugin. */
export interface LockedPlugin extends LockedWorkflow {
  /** The workflow's name. */
  readonly name: string;
}

/** A workflow whose files were copied into OpenCode's folders, where its agents and the like are found as usual. */
export interface CopiedWorkflow {
  readonly name: string;
  /** Modules of graphs, relative to the lock's folder: `workflows/release.ts`. */
  readonly modules: readonly string[];
}

/** Where a plugin's package is. */
export type PackageLookup =
  | { readonly kind: "there"; readonly folder: string /** From the base. */; readonly place: string }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly diagnostic: Diagnostic };

export function findPackage(plugin: LockedPlugin, lock: SourceFile): PackageLookup {
  const { name, package: packageName, tree, dependencies } = plugin;
  if (tree === undefined) return { kind: "missing" };
  const way = `.hugo/store/${storeEntry(name, tree, dependencies)}/node_modules/${packageName}`;
  try {
    // Both names are untrusted, and so are links in the store.
    const folder = joinInside(dirname(lock.path), way);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return { kind: "missing" };
    return { kind: "there", folder, place: posix.join(posix.dirname(lock.place), way) };
  } catch (error) {
    const problem = error instanceof DurableError ? error.message : `The package cannot be read (${systemCode(error)})`;
    const message = `hugo.json does not refer to a package in the store. ${problem}.`;
    const hint = "Restore it from version control, then run `hugo ci`.";
    const at = { path: lock.path, ...workflowPosition(lock.text, name) };
    return { kind: "refused", diagnostic: { severity: "error", code: "hugo-lock-invalid", message, ...at, hint } };
  }
}

/** A workflow's position in a lock's text. Rarely needed, so the text is parsed again. */
export function workflowPosition(text: string, name: string): TextPosition {
  const { root } = parseJsonc(text);
  const workflows =
    root?.kind === "object" ? root.properties.find(({ key }) => key.value === "workflows")?.value : undefined;
  const properties = workflows?.kind === "object" ? workflows.properties : [];
  return positionsOf(text)(properties.find(({ key }) => key.value === name)?.start ?? 0);
}

interface Part extends Pick<FolderPlace, "type" | "pattern" | "read"> {
  readonly folder: string;
  /** Other files in the folder are not part of the workflow. */
  readonly names: readonly string[];
  readonly ending: string;
}

/** A workflow's entities, read like OpenCode's own files. */
export function loadPlugin(
  plugin: LockedPlugin,
  { folder, place }: { readonly folder: string; readonly place: string },
  { location, above }: SourceFile,
): Reading {
  const root = realpathSync.native(folder);
  const { agents, commands, skills } = plugin;
  const code = { folder: "workflows", type: "workflow", read: readWorkflow, names: listedWorkflows(folder) } as const;
  const parts: readonly Part[] = [
    { folder: "agents", type: "agent", pattern: "**/*.md", read: readAgent, names: agents, ending: ".md" },
    { folder: "commands", type: "command", pattern: "**/*.md", read: readCommand, names: commands, ending: ".md" },
    { folder: "skills", type: "skill", pattern: "**/SKILL.md", read: readSkill, names: skills, ending: "/SKILL.md" },
    { ...code, pattern: "*.ts", ending: ".ts" },
    { ...code, pattern: "*.js", ending: ".js" },
  ];
  const loads = parts.map(({ names, ending, ...part }) => {
    const files = new Set(names.map((name) => `${name}${ending}`));
    const readOwned = owned(plugin.name, root, part.read);
    const read: FolderPlace["read"] = (file) =>
      files.has(file.relative) ? readOwned(file) : { entities: [], diagnostics: [] };
    const path = join(folder, part.folder);
    const outside = linkOutside(root, path);
    if (outside !== undefined) return outside;
    return loadPlace({ ...part, kind: "folder", path: `${place}/${part.folder}`, read }, path, location, { above });
  });
  return joined(loads);
}

/** The graphs among the files that Hugo copied into the lock's folder. */
export function loadCopied({ name, modules }: CopiedWorkflow, file: SourceFile): Reading {
  const { path: lock, location, place, above } = file;
  const loads = modules.flatMap((module): Reading[] => {
    const path = join(dirname(lock), module);
    if (!existsSync(path)) return [];
    const root = realpathSync.native(dirname(lock));
    const from = posix.join(posix.dirname(place), module);
    const read = owned(name, root, readWorkflow);
    return [
      linkOutside(root, path) ??
        loadPlace({ kind: "config", types: ["workflow"], path: from, read }, path, location, { above }),
    ];
  });
  return joined(loads);
}

/** The same reader for files below `root`, whose entities also name the workflow that they belong to. */
function owned(workflow: string, root: string, read: FolderPlace["read"]): FolderPlace["read"] {
  return (file) => {
    const outside = linkOutside(root, file.path);
    if (outside !== undefined) return outside;
    const { entities, diagnostics } = read(file);
    const marked = entities.map((entity) => withFacts(entity, { source: { ...entity.source, workflow } }));
    return { entities: marked, diagnostics };
  };
}

/** What to report about a link that leads out of the folder, which Hugo did not make; a broken one is reported when it is read. */
function linkOutside(root: string, path: string): Reading | undefined {
  if (lookOr(true, () => realpathSync.native(path).startsWith(root + sep))) return undefined;
  const message = "This link points outside its installed package, so it is not followed.";
  const hint = "Run `hugo verify`.";
  return { entities: [], diagnostics: [{ severity: "error", code: "hugo-link-outside", message, path, hint }] };
}

/** The graphs that a package lists as `workflows` in its workflow.json. Other code in the folder is not loaded. */
function listedWorkflows(folder: string): readonly string[] {
  const path = join(folder, "workflow.json");
  const file = readTextFile(path);
  if (file.kind === "unreadable") return [];
  const config = parseConfig({ path, text: file.text });
  if (config.kind === "broken" || config.root?.kind !== "object") return [];
  const { workflows } = toValue(config.root) as Record<string, unknown>;
  return Array.isArray(workflows) ? workflows.filter((name) => typeof name === "string") : [];
}
