// A tasks file that several processes and one author share. It is read and changed under a lock, in small splices, and never
// over an edit that someone else has just made.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { readTextForEdit, type TextRead } from "@atomic/durable-files/files/read-for-edit";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { nodeAt } from "@atomic/durable-files/jsonc/path";
import { lock } from "@atomic/durable-files/lock/lock";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import type { LastSeen } from "./outside-edits.ts";
import { parseTasks } from "./parse.ts";
import type { Task } from "./task.ts";
import { explained, TasksError } from "./tasks-error.ts";

export interface TaskStoreOptions {
  /** The project's folder. */
  readonly folder: string;
  /** Below the folder, or absolute. */
  readonly path: string;
  /** Holds the lock. All processes that share a file must use the same folder. Default: `.atomic/tasks` in the project. */
  readonly stateFolder?: string | undefined;
  /** How long to wait for the lock. Default 30,000. */
  readonly deadlineMs?: number | undefined;
  readonly now?: (() => Date) | undefined;
}

export interface TaskStore {
  /** The path as messages show it: relative to the project's folder, if it is inside. */
  readonly file: string;
  /** The tasks as they are now. Throws a `TasksError` with all problems. */
  read(): Promise<readonly Task[]>;
  /**
   * Asks what to change, under the lock, and changes it. If someone edited the file in the meantime, asks again with the
   * tasks as they are then.
   */
  change<T>(decide: Decide<T>, signal?: AbortSignal): Promise<T>;
}

/** `seen`: how a loop last saw the tasks. */
type Decide<T> = (tasks: readonly Task[], seen: LastSeen | undefined) => Promise<TaskChange<T>> | TaskChange<T>;

/** What to change in a tasks file, and what to return to the caller. */
export interface TaskChange<T> {
  readonly edits: readonly Edit[];
  /** How the loop has now seen the tasks. Default: as before. */
  readonly seen?: LastSeen | undefined;
  readonly result: T;
}

/** Where the lock for a project's tasks files is by default. */
export const defaultStateFolder = ".atomic/tasks";

/** No one edits a file more often than this while it is being changed; a program that does would block us forever. */
const mostTries = 20;

export function taskStore(options: TaskStoreOptions): TaskStore {
  const { folder, deadlineMs = 30_000, now = () => new Date() } = options;
  const path = resolve(folder, options.path);
  const { stateFolder = resolve(folder, defaultStateFolder) } = options;
  const seenName = createHash("sha256").update(path).digest("hex").slice(0, 16);
  const seenPath = join(stateFolder, `seen-${seenName}.json`);
  const file = shownPath(folder, path);
  const load = (): TextRead & { readonly tasks: readonly Task[] } => {
    const read = readTextForEdit(path);
    if (read.hash !== "absent") return { ...read, tasks: parseTasks(read.text, file) };
    const hint = "Create it, or convert another list with `atomic tasks import <file>`.";
    throw new TasksError([{ code: "missing", at: file, message: `${file} does not exist`, hint }]);
  };

  return {
    file,
    read: async () => await explained(file, () => load().tasks),
    change: async (decide, signal) =>
      await explained(file, async () => {
        const held = await lock(stateFolder, { deadlineMs, purpose: `the tasks in ${file}`, signal });
        try {
          await recover(stateFolder, { lock: held });
          for (let tries = 1; ; tries++) {
            signal?.throwIfAborted();
            const { text, hash, tasks } = load();
            const memory = readTextForEdit(seenPath);
            const { edits, result, seen } = await decide(tasks, parseSeen(memory.text));
            const changes: { path: string; content: string; expect: TextRead["hash"] }[] = [];
            if (edits.length > 0) {
              // A file that records when it was changed is kept up to date.
              const updatedAt = ["metadata", "updatedAt"];
              const isDated = nodeAt(parseJsonc(text), updatedAt)?.kind === "string";
              const dates: Edit[] = isDated ? [{ op: "set", path: updatedAt, value: now().toISOString() }] : [];
              changes.push({ path, content: editJsonc(text, [...edits, ...dates], { file }), expect: hash });
            }
            const remembered = seen && `${JSON.stringify({ tasks: [...seen] })}\n`;
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
        } finally {
          held.release();
        }
      }),
  };
}

/** Undefined if no loop has seen the file yet. */
function parseSeen(text: string): LastSeen | undefined {
  try {
    return new Map(JSON.parse(text).tasks);
  } catch (error) {
    // It is only a record: without it, the next time counts as the first.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

export function shownPath(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside === "" || inside.startsWith("..") ? path : inside.replaceAll("\\", "/");
}

/** Comes with the first change of a tasks file: agents that commit everything must not commit locks. */
export function keptOutOfGit(stateFolder: string): { path: string; content: string; expect: "absent" }[] {
  const path = join(stateFolder, ".gitignore");
  return existsSync(path) ? [] : [{ path, content: "*\n", expect: "absent" }];
}
