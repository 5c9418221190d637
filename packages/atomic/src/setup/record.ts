// What `atomic setup` did in a project, so it can be taken back. The record is beside the project's other state, out of git.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { removeEmptyFolder } from "@atomic/durable-files/files/folder";
import { type Hash, isHash } from "@atomic/durable-files/files/hash";
import { hashOf } from "@atomic/durable-files/files/plain-file";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import { lock } from "@atomic/durable-files/lock/lock";
import { Refusal } from "@atomic/terminal/refusal";
import { readEntityNames } from "@atomic/workflows/internal/graph/entity-names-file";
import { type ProjectFile, projectPaths } from "../project/plan-files.ts";
import { type ProjectChange, stateFolder, writeFiles } from "../project/write-files.ts";

/** In the order in which they are done: the first workflow's types include the names that Magnus Opus brings. */
const stepNames = ["hugo", "magnus-opus", "opencode", "workflow"] as const;
export type StepName = (typeof stepNames)[number];

/** A file that was written: its text before, or null if there was none, and what it became. */
interface WrittenFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: Hash;
}

export interface SetupRecord {
  readonly steps: readonly StepName[];
  readonly files: readonly WrittenFile[];
  /** Whether the plugin is in the project's tui.json. */
  readonly isForProject: boolean;
}

const recordPath = `${stateFolder}/setup.json`;
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
    return isText && knownPaths.includes(String(path)) && typeof after === "string" && isHash(after);
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

/** Files written by an earlier call keep what they were before that. */
export function writtenFiles(
  earlier: readonly WrittenFile[],
  files: readonly ProjectFile[],
  before: ReadonlyMap<string, string | undefined>,
): readonly WrittenFile[] {
  const written = files.flatMap(({ path, text }): WrittenFile[] => {
    if (text === undefined) return [];
    const first = earlier.find((each) => each.path === path);
    const was = first === undefined ? (before.get(path) ?? null) : first.before;
    return [{ path, before: was, after: hashOf(Buffer.from(text)) }];
  });
  return [...earlier.filter((each) => !written.some(({ path }) => path === each.path)), ...written];
}

export interface TakenBack {
  readonly removed: readonly string[];
  readonly restored: readonly string[];
  /** Changed since, so they stay. */
  readonly left: readonly WrittenFile[];
}

/** Puts the files back as they were. One that was changed since stays; what was added to package.json is still removed. */
export async function takeFilesBack(
  project: string,
  record: SetupRecord,
  { dryRun }: { readonly dryRun: boolean },
): Promise<TakenBack> {
  const removed: string[] = [];
  const restored: string[] = [];
  const left: WrittenFile[] = [];
  const changes: ProjectChange[] = [];
  for (const file of record.files) {
    const { path, before, after } = file;
    const { text, hash } = readTextForEdit(join(project, path));
    if (hash === "absent") continue;
    // Generated, and brought up to date by other commands, too.
    const isGenerated = path === projectPaths.names && before === null && readEntityNames(text) !== undefined;
    if (before === null && (hash === after || isGenerated)) {
      removed.push(path);
      changes.push({ path, delete: true, expect: hash });
      continue;
    }
    const content = hash === after ? before : withoutPackages(file, text);
    if (content === null) left.push(file);
    else {
      restored.push(path);
      changes.push({ path, content, expect: hash });
    }
  }
  changes.push(recordChange(project, { ...record, files: left }));
  if (!dryRun) await writeFiles(project, changes, "atomic setup --undo");
  return { removed, restored, left };
}

/** Without the dev dependencies that were added. Null if that cannot be told from the user's own changes. */
function withoutPackages({ path, before }: WrittenFile, text: string): string | null {
  if (path !== projectPaths.packageJson || before === null) return null;
  const listed = (json: string): Readonly<Record<string, unknown>> => JSON.parse(json).devDependencies ?? {};
  try {
    const had = listed(before);
    const added = Object.keys(listed(text)).filter((name) => ourPackages.includes(name) && !(name in had));
    if (added.length === 0) return null;
    const isAll = Object.keys(listed(text)).length === added.length && JSON.parse(before).devDependencies === undefined;
    const paths = isAll ? [["devDependencies"]] : added.map((name) => ["devDependencies", name]);
    return editJsonc(
      text,
      paths.map((each) => ({ op: "remove", path: each }) as const),
      { file: path },
    );
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const ourPackages = ["@atomic/cli", "@atomic/workflows", "@types/node"];

/** With nothing left to take back. If the project has nothing else in `.atomic`, that goes, too. */
export async function forgetRecord(project: string): Promise<void> {
  // If the user deleted the workflow, its folder may still be there.
  removeEmptyFolder(join(project, projectPaths.workflows));
  await removeState(project);
}

/** The folder in which setup remembers what it did, unless there is still something to take back. */
export async function removeState(project: string): Promise<void> {
  const state = join(project, stateFolder);
  if (!existsSync(state)) return;
  // Held while its own files go: a process that waits for it finds no lock, and takes a new one.
  const held = await lock(state, { purpose: "atomic setup --undo" });
  try {
    const own = [".gitignore", "lock", basename(recordPath)];
    const isUsed = readdirSync(state).some((name) => !own.includes(name));
    rmSync(isUsed ? join(project, recordPath) : state, { recursive: true, force: true });
  } finally {
    held.release();
  }
  removeEmptyFolder(join(project, ".atomic"));
}
