// The tasks file of several processes and one author: read and changed under a lock, in splices, and never over an edit
// that somebody else has just made.
import { relative, resolve } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { readTextForEdit, type TextRead } from "@atomic/durable-files/files/read-for-edit";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { nodeAt } from "@atomic/durable-files/jsonc/path";
import { type FolderLock, lock } from "@atomic/durable-files/lock/lock";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { explained } from "./explained.ts";
import { parseTasks } from "./parse.ts";
import { parseSeen, type Seen, seenFile, seenText } from "./seen.ts";
import { defaultStateFolder, keptOutOfGit } from "./state-folder.ts";
import type { Task } from "./task.ts";
import { TasksError } from "./tasks-error.ts";

export interface TaskStoreOptions {
  /** Of the project. */
  readonly folder: string;
  /** Below the folder, or absolute. */
  readonly path: string;
  /** Keeps the lock. All who share a file must name the same one. Default: `.atomic/tasks` in the project. */
  readonly stateFolder?: string | undefined;
  /** How long others are waited for. Default 30,000. */
  readonly deadlineMs?: number | undefined;
  readonly now?: (() => Date) | undefined;
}

export interface TaskStore {
  /** As messages name it: from the project's folder, if it lies below. */
  readonly file: string;
  /** The tasks as they are now. Throws `TasksError`, with all that is wrong. */
  read(): Promise<readonly Task[]>;
  /**
   * Asks what to change, under the lock, and changes it. Asked again if somebody edited the file meanwhile: about the tasks
   * as they are then.
   */
  change<T>(decide: Decide<T>, signal?: AbortSignal): Promise<T>;
}

/** `seen`: how a loop last saw them. */
type Decide<T> = (tasks: readonly Task[], seen: Seen | undefined) => Promise<Decision<T>> | Decision<T>;

export interface Decision<T> {
  readonly edits: readonly Edit[];
  /** How the tasks are seen from now on. Default: as before. */
  readonly seen?: Seen | undefined;
  readonly result: T;
}

/** Nobody edits a file more often than this while it is being changed; a program that does would keep us for ever. */
const mostTries = 20;

export function taskStore(options: TaskStoreOptions): TaskStore {
  const { folder, deadlineMs = 30_000, now = () => new Date() } = options;
  const path = resolve(folder, options.path);
  const stateFolder = options.stateFolder ?? defaultStateFolder(folder);
  const seenPath = seenFile(stateFolder, path);
  const file = shownPath(folder, path);
  const load = (): TextRead & { readonly tasks: readonly Task[] } => {
    const read = readTextForEdit(path);
    if (read.hash === "absent") throw missing(file);
    return { ...read, tasks: parseTasks(read.text, file) };
  };

  const changeUnder = async <T>(held: FolderLock, decide: Decide<T>, signal: AbortSignal | undefined): Promise<T> => {
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      const { text, hash, tasks } = load();
      const memory = readTextForEdit(seenPath);
      const { edits, result, seen } = await decide(tasks, parseSeen(memory.text));
      const changes: { path: string; content: string; expect: TextRead["hash"] }[] = [];
      if (edits.length > 0) {
        const content = editJsonc(text, [...edits, ...updatedAt(text, now())], { file });
        changes.push({ path, content, expect: hash });
      }
      const remembered = seen && seenText(seen);
      if (remembered !== undefined && remembered !== memory.text) {
        changes.push({ path: seenPath, content: remembered, expect: memory.hash });
      }
      if (changes.length === 0) return result;
      try {
        await transaction(stateFolder, [...changes, ...keptOutOfGit(stateFolder)], { lock: held });
        return result;
      } catch (error) {
        const isEdited = error instanceof DurableError && error.code === "changed";
        if (!isEdited || tries === mostTries) throw error;
      }
    }
  };

  return {
    file,
    read: async () => await explained(file, () => load().tasks),
    change: async (decide, signal) =>
      await explained(file, async () => {
        const held = await lock(stateFolder, { deadlineMs, purpose: `the tasks in ${file}`, signal });
        try {
          await recover(stateFolder, { lock: held });
          return await changeUnder(held, decide, signal);
        } finally {
          held.release();
        }
      }),
  };
}

export function shownPath(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside === "" || inside.startsWith("..") ? path : inside.replaceAll("\\", "/");
}

/** A file that says when it was changed goes on to say so. */
function updatedAt(text: string, now: Date): Edit[] {
  const path = ["metadata", "updatedAt"];
  const isThere = nodeAt(parseJsonc(text), path)?.kind === "string";
  return isThere ? [{ op: "set", path, value: now.toISOString() }] : [];
}

function missing(file: string): TasksError {
  const hint = "Write it, or convert another list with `atomic tasks import <file>`.";
  return new TasksError([{ code: "missing", at: file, message: `${file} does not exist`, hint }]);
}
