import { resolve } from "node:path";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import type { Edit } from "@atomic/durable-files/jsonc/edit";
import { type JsonValue, toValue } from "@atomic/durable-files/jsonc/value";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { findProblems, inspectJson } from "../parse.ts";
import { defaultStateFolder, keptOutOfGit, shownPath, taskStore } from "../store.ts";
import type { TasksFile } from "../task.ts";
import { explained, type TaskProblem, TasksError } from "../tasks-error.ts";
import { foreignLists, type Imported } from "./foreign-list.ts";

export interface ImportRequest {
  /** The project's folder. */
  readonly folder: string;
  /** The list, below the folder or absolute. */
  readonly from: string;
  /** Default: `research/tasks.json`. */
  readonly to?: string;
  /** What to do if the tasks file exists. `merge` adds the tasks that it lacks. Default: `refuse`. */
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
  /** Ids that the tasks file already had; these tasks are unchanged. */
  readonly kept: readonly string[];
}

/** Makes a tasks file from another program's list. */
export async function importTasks(request: ImportRequest): Promise<ImportResult> {
  const { folder, to = "research/tasks.json", existing = "refuse", now = () => new Date() } = request;
  const { stateFolder = resolve(folder, defaultStateFolder) } = request;
  const from = resolve(folder, request.from);
  const source = shownPath(folder, from);
  const read = await explained(source, () => readTextForEdit(from));
  if (read.hash === "absent") {
    const message = `${source} does not exist`;
    throw new TasksError([{ code: "missing", at: source, message, hint: "Check the path." }]);
  }
  const { list, imported } = readList(read.text, source);
  const { tasks } = imported;
  const path = resolve(folder, to);
  const file = shownPath(folder, path);
  const { hash } = await explained(file, () => readTextForEdit(path));
  if (hash !== "absent" && existing === "refuse") {
    const hint = "Add to it with --merge, or overwrite it with --replace.";
    throw new TasksError([{ code: "exists", at: file, message: `${file} already exists`, hint }]);
  }
  if (hash !== "absent" && existing === "merge") {
    // Added at the end of the file, which otherwise stays as it is.
    const store = taskStore({ folder, path: to, stateFolder, now });
    return await store.change((present) => {
      const ids = new Set(present.map(({ id }) => id));
      const added = tasks.filter(({ id }) => !ids.has(id));
      const edits = added.map((value): Edit => ({ op: "insert", path: ["tasks"], value: value as JsonValue }));
      const kept = tasks.filter(({ id }) => ids.has(id)).map(({ id }) => id);
      return { edits, result: { list, file, did: "merged", added: added.map(({ id }) => id), kept } };
    });
  }
  const at = now().toISOString();
  // `source` is a word, as other programs expect it.
  const metadata = { createdAt: at, updatedAt: at, ...imported.metadata, source: "migrated", migratedFrom: source };
  const content = `${JSON.stringify({ version: "1.0", tasks, metadata } satisfies TasksFile, null, 2)}\n`;
  const changes = [{ path, content, expect: hash }, ...keptOutOfGit(stateFolder)];
  await explained(file, () => transaction(stateFolder, changes, { purpose: "import tasks" }));
  const added = tasks.map(({ id }) => id);
  return { list, file, did: hash === "absent" ? "created" : "replaced", added, kept: [] };
}

/** Finds out which kind of list a text is, and reads its tasks. Pure. */
export function readList(text: string, source: string): { readonly list: string; readonly imported: Imported } {
  const { document, problems: syntax } = inspectJson(text, source, {});
  if (document?.root === undefined) throw new TasksError(syntax);
  const value = toValue(document.root);
  if (Array.isArray(value) && value.length === 0) {
    const hint = "There is nothing to import.";
    throw new TasksError([{ code: "shape", at: source, message: "The list is empty.", hint }]);
  }
  const list = foreignLists.find((each) => each.matches(value));
  if (list === undefined) {
    const hint =
      "A feature list is [{ description, passes, … }]; a prd.json is { userStories: [{ id, title, passes, … }] }.";
    throw new TasksError([{ code: "shape", at: source, message: "This is not a list that can be imported.", hint }]);
  }
  const { problems } = inspectJson(text, source, list.schema);
  if (problems.length > 0) throw new TasksError(problems);
  const imported = list.convert(value);
  const found = findProblems(imported.tasks).map(({ path: _, ...each }): TaskProblem => ({ ...each, at: source }));
  if (found.length > 0) throw new TasksError(found);
  return { list: list.name, imported };
}
