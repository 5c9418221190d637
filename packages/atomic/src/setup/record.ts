// What `atomic setup` did in a project, so it can be taken back. The record is beside the project's other state, out of git.

import { basename, join } from "node:path";
import { removeEmptyFolder } from "@atomic/durable-files/files/folder";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import { Refusal } from "@atomic/terminal/refusal";
import { readEntityNames } from "@atomic/workflows/internal/graph/entity-names-file";
import { type ProjectFile, projectPaths } from "../project/plan-files.ts";
import { type ProjectChange, removeStateFolder, stateFolder, writeFiles } from "../project/write-files.ts";
import { type WrittenFile, withoutOurs } from "./our-part.ts";

/** In the order in which they are done: the first workflow's types include the names that Magnus Opus brings. */
const stepNames = ["hugo", "magnus-opus", "opencode", "workflow"] as const;
export type StepName = (typeof stepNames)[number];

export interface SetupRecord {
  readonly steps: readonly StepName[];
  readonly files: readonly WrittenFile[];
  /** Whether the plugin is in the project's tui.json. */
  readonly isForProject: boolean;
}

export const recordPath: string = `${stateFolder}/setup.json`;
const knownPaths: readonly string[] = Object.values(projectPaths);

export function readRecord(project: string): SetupRecord | undefined {
  const { text, hash } = readTextForEdit(join(project, recordPath));
  if (hash === "absent") return undefined;
  const record = parseRecord(text);
  if (record !== undefined) return record;
  throw new Refusal("file-taken", {
    exitCode: 3,
    message: `${recordPath} is not a file that \`atomic setup\` wrote`,
    at: join(project, recordPath),
    hint: "Delete it, then run the command again. Nothing was changed.",
  });
}

/** A clone may contain such a file: it names no other files than those that `atomic setup` writes. */
function parseRecord(text: string): SetupRecord | undefined {
  const { steps, files, isForProject } = objectIn(text) ?? {};
  const isStep = (each: unknown): boolean => (stepNames as readonly unknown[]).includes(each);
  const isFile = (each: unknown): boolean => {
    const { path, before, after } = (each ?? {}) as Readonly<Record<string, unknown>>;
    const isText = before === null || typeof before === "string";
    return isText && knownPaths.includes(String(path)) && typeof after === "string";
  };
  const isRecord = Array.isArray(steps) && steps.every(isStep) && Array.isArray(files) && files.every(isFile);
  return isRecord && typeof isForProject === "boolean" ? ({ steps, files, isForProject } as SetupRecord) : undefined;
}

/** The change that writes it. */
export function recordChange(project: string, record: SetupRecord): ProjectChange {
  const { hash } = readTextForEdit(join(project, recordPath));
  return { path: recordPath, content: `${JSON.stringify(record, null, 2)}\n`, expect: hash };
}

export async function writeRecord(project: string, record: SetupRecord): Promise<void> {
  await writeFiles(project, [recordChange(project, record)], "atomic setup");
}

/** A file that an earlier call wrote, too, is undone to what it was before that, with what you have changed in between. */
export function writtenFiles(
  earlier: readonly WrittenFile[],
  files: readonly ProjectFile[],
  before: ReadonlyMap<string, string | undefined>,
): readonly WrittenFile[] {
  const written = files.flatMap(({ path, text }): WrittenFile[] => {
    if (text === undefined) return [];
    const found = before.get(path);
    const first = earlier.find((each) => each.path === path);
    if (first === undefined || found === undefined) return [{ path, before: found ?? null, after: text }];
    if (isGenerated(first, found)) return [{ path, before: null, after: text }];
    const without = withoutOurs(first, found);
    if (without.kind === "gone") return [{ path, before: null, after: text }];
    return [{ path, before: without.kind === "text" ? without.text : found, after: text }];
  });
  return [...earlier.filter((each) => !written.some(({ path }) => path === each.path)), ...written];
}

/** The file of names is brought up to date by other commands, too. */
function isGenerated({ path, before }: WrittenFile, text: string): boolean {
  return path === projectPaths.names && before === null && readEntityNames(text) !== undefined;
}

interface TakenBack {
  readonly removed: readonly string[];
  /** As they were, or with your changes and without ours. */
  readonly restored: readonly string[];
  readonly edited: readonly string[];
  /** You changed them, and nothing in them can be told to be ours, so they stay. */
  readonly kept: readonly string[];
}

/** Takes out of the project's files what was added. What you changed since stays. */
export async function takeFilesBack(
  project: string,
  record: SetupRecord,
  { dryRun }: { readonly dryRun: boolean },
): Promise<TakenBack> {
  const taken = { removed: [], restored: [], edited: [], kept: [] } as { [key in keyof TakenBack]: string[] };
  const changes: ProjectChange[] = [];
  for (const file of record.files) {
    const { path, after } = file;
    const { text, hash } = readTextForEdit(join(project, path));
    if (hash === "absent") continue;
    const without = isGenerated(file, text) ? ({ kind: "gone" } as const) : withoutOurs(file, text);
    if (without.kind === "yours") taken.kept.push(path);
    else if (without.kind === "gone") {
      taken.removed.push(path);
      changes.push({ path, delete: true, expect: hash });
    } else {
      taken[text === after ? "restored" : "edited"].push(path);
      changes.push({ path, content: without.text, expect: hash });
    }
  }
  changes.push(recordChange(project, { ...record, files: [] }));
  if (!dryRun) await writeFiles(project, changes, "atomic setup --undo");
  return taken;
}

/** With nothing left to take back. If the project has nothing else in `.atomic`, that goes, too. */
export async function forgetRecord(project: string): Promise<void> {
  // If the user deleted the workflow, its folder may still be there.
  removeEmptyFolder(join(project, projectPaths.workflows));
  await removeState(project);
}

/** The folder in which setup remembers what it did in a project, unless there is still something to take back. */
export async function removeState(project: string): Promise<void> {
  await removeStateFolder(join(project, stateFolder), basename(recordPath));
}
