import { resolve } from "node:path";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import type { Edit } from "@atomic/durable-files/jsonc/edit";
import { type JsonValue, toValue } from "@atomic/durable-files/jsonc/value";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { explained } from "../explained.ts";
import { findProblems } from "../find-problems.ts";
import { inspectJson } from "../parse.ts";
import { defaultStateFolder, keptOutOfGit } from "../state-folder.ts";
import { shownPath, taskStore } from "../store.ts";
import { type TaskProblem, TasksError } from "../tasks-error.ts";
import { featureList } from "./feature-list.ts";
import { type ForeignList, type Imported, tasksFileOf } from "./foreign-list.ts";
import { prd } from "./prd.ts";

/** Every list that can be imported. */
const foreignLists: readonly ForeignList[] = [featureList, prd];

export interface ImportRequest {
  /** Of the project. */
  readonly folder: string;
  /** The list, below the folder or absolute. */
  readonly from: string;
  /** Default: `research/tasks.json`. */
  readonly to?: string;
  /** What becomes of a tasks file that is there. `merge` adds the tasks that it has not. Default: `refuse`. */
  readonly existing?: "refuse" | "merge" | "replace";
  readonly stateFolder?: string;
  readonly now?: () => Date;
}

export interface ImportResult {
  /** What kind of list it was. */
  readonly list: string;
  readonly file: string;
  readonly did: "created" | "replaced" | "merged";
  /** Ids, in the order of the list. */
  readonly added: readonly string[];
  /** Ids that the tasks file had already; these tasks are as they were. */
  readonly kept: readonly string[];
}

/**
 * Makes a tasks file of another program's list.
 * @example
 * await importTasks({ folder: ".", from: "research/feature-list.json" });
 */
export async function importTasks(request: ImportRequest): Promise<ImportResult> {
  const { folder, to = "research/tasks.json", existing = "refuse" } = request;
  const source = shownPath(folder, resolve(folder, request.from));
  const text = await explained(source, () => readSource(resolve(folder, request.from), source));
  const { list, imported } = readList(text, source);
  const path = resolve(folder, to);
  const file = shownPath(folder, path);
  const { hash } = await explained(file, () => readTextForEdit(path));
  if (hash !== "absent" && existing === "refuse") throw exists(file);
  if (hash !== "absent" && existing === "merge") return { list, file, ...(await merge(request, to, imported)) };
  const now = (request.now ?? (() => new Date()))();
  const content = `${JSON.stringify(tasksFileOf(imported, source, now), null, 2)}\n`;
  const stateFolder = request.stateFolder ?? defaultStateFolder(folder);
  const changes = [{ path, content, expect: hash }, ...keptOutOfGit(stateFolder)];
  await explained(file, () => transaction(stateFolder, changes, { purpose: "import tasks" }));
  const added = imported.tasks.map(({ id }) => id);
  return { list, file, did: hash === "absent" ? "created" : "replaced", added, kept: [] };
}

function readSource(path: string, source: string): string {
  const { text, hash } = readTextForEdit(path);
  if (hash !== "absent") return text;
  throw new TasksError([{ code: "missing", at: source, message: `${source} does not exist`, hint: "Check the path." }]);
}

/** Pure: which kind of list a text is, and its tasks. */
export function readList(text: string, source: string): { readonly list: string; readonly imported: Imported } {
  const value = parsedValue(text, source);
  const list = foreignLists.find((each) => each.matches(value));
  if (Array.isArray(value) && value.length === 0) throw emptyList(source);
  if (list === undefined) throw unknownList(source);
  const { problems } = inspectJson(text, source, list.schema);
  if (problems.length > 0) throw new TasksError(problems);
  const imported = list.convert(value);
  const found = findProblems(imported.tasks).map(({ path: _, ...each }): TaskProblem => ({ ...each, at: source }));
  if (found.length > 0) throw new TasksError(found);
  return { list: list.name, imported };
}

function parsedValue(text: string, source: string): JsonValue {
  const { document, problems } = inspectJson(text, source, {});
  if (document?.root === undefined) throw new TasksError(problems);
  return toValue(document.root);
}

/** At the end of the file, which stays as it is otherwise. */
async function merge(
  { folder, stateFolder, now }: ImportRequest,
  path: string,
  { tasks }: Imported,
): Promise<Pick<ImportResult, "did" | "added" | "kept">> {
  const store = taskStore({ folder, path, stateFolder, now });
  return await store.change((present) => {
    const ids = new Set(present.map(({ id }) => id));
    const missing = tasks.filter(({ id }) => !ids.has(id));
    const edits = missing.map((value): Edit => ({ op: "insert", path: ["tasks"], value: value as JsonValue }));
    const kept = tasks.filter(({ id }) => ids.has(id)).map(({ id }) => id);
    return { edits, result: { did: "merged", added: missing.map(({ id }) => id), kept } };
  });
}

function exists(file: string): TasksError {
  const hint = "Add to it with --merge, or overwrite it with --replace.";
  return new TasksError([{ code: "exists", at: file, message: `${file} already exists`, hint }]);
}

function emptyList(source: string): TasksError {
  return new TasksError([
    { code: "shape", at: source, message: "The list is empty.", hint: "There is nothing to import." },
  ]);
}

function unknownList(source: string): TasksError {
  const hint =
    "A feature list is [{ description, passes, … }], a prd.json { userStories: [{ id, title, passes, … }] }.";
  return new TasksError([{ code: "shape", at: source, message: "This is not a list that can be imported.", hint }]);
}
