// The only place from which Atomic changes a project's own files. One command is one change: all of it, or nothing.
import { existsSync, lstatSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { removeEmptyFolder } from "@atomic/durable-files/files/folder";
import type { Hash } from "@atomic/durable-files/files/hash";
import { lock } from "@atomic/durable-files/lock/lock";
import { whyUnwritable } from "@atomic/durable-files/safety/why-unwritable";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { keptOutOfGit } from "@atomic/workflows/internal/tasks/store";

/** What a change needs while it is made, and what `atomic setup` did. Kept out of git. */
export const stateFolder = ".atomic/init";

export type ProjectChange = {
  /** From the project. */
  readonly path: string;
  /** What was read. */
  readonly expect: Hash | "absent";
} & ({ readonly content: string } | { readonly delete: true });

/** Finishes or undoes what an earlier command was killed at. Returns what was done. */
export async function recoverFiles(project: string): Promise<string | undefined> {
  refuseOddPaths(project, [".atomic"]);
  return (await explained(project, () => recover(join(project, stateFolder))))?.message;
}

/** `purpose` is shown to another process that has to wait. */
export async function writeFiles(project: string, changes: readonly ProjectChange[], purpose: string): Promise<void> {
  refuseOddPaths(
    project,
    changes.map(({ path }) => path),
  );
  const state = join(project, stateFolder);
  const targets = changes.map(({ path, ...change }) => ({ path: join(project, path), ...change }));
  await explained(project, () => {
    const within = existsSync(project) ? realpathSync.native(project) : undefined;
    return transaction(state, [...targets, ...keptOutOfGit(state)], {
      purpose,
      within,
      pruneEmptyUpTo: within ?? project,
    });
  });
}

/** Before anything is created: a link that leads out of the project, and a file in place of a folder. */
export function refuseOddPaths(project: string, paths: readonly string[]): void {
  if (!existsSync(project)) return;
  const within = realpathSync.native(project);
  const again = "then run the command again. Nothing was changed.";
  const folders = new Set([".atomic"]);
  for (const path of paths) {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) folders.add(path.slice(0, end));
  }
  for (const path of new Set([...folders, ...paths])) {
    const at = join(project, path);
    const own = lstatSync(at, { throwIfNoEntry: false });
    const target = own?.isSymbolicLink() && existsSync(at) ? realpathSync.native(at) : undefined;
    if (target !== undefined && !target.startsWith(join(within, "/"))) {
      const message = safe`${path} is a link to ${target}, which is not in the project`;
      const hint = `Replace the link with a file or folder of the project, ${again}`;
      throw new Refusal("link-out-of-project", { exitCode: 3, message, at, hint });
    }
    const isDangling = own?.isSymbolicLink() && !existsSync(at);
    if (folders.has(path) && (own?.isFile() || isDangling)) {
      const what = isDangling ? "a link to a folder that does not exist" : "a file";
      const message = safe`${path} is ${what}, and Atomic needs a folder of this name`;
      throw new Refusal("file-taken", {
        exitCode: 3,
        message,
        at,
        hint: `Move the ${isDangling ? "link" : "file"} somewhere else, ${again}`,
      });
    }
  }
}

async function explained<T>(project: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DurableError && error.code === "io") refuseUnwritable(project, [".atomic"], error);
    throw error;
  }
}

/** Before anything is written: nothing may be created or replaced in these folders of the project. */
export function refuseUnwritable(project: string, folders: readonly string[], cause?: unknown): void {
  for (const folder of folders) {
    const why = whyUnwritable(resolve(project, folder));
    if (why === undefined) continue;
    throw new Refusal("not-writable", {
      exitCode: 3,
      message: safe`${project} cannot be written (${why.code})`,
      at: project,
      hint: "Make the project writable, then run the command again. Nothing was changed.",
      cause,
    });
  }
}

/** Removes a folder of state with the folder around it, if that is empty then. Of one that is still used, only the record goes. */
export async function removeStateFolder(state: string, record = ""): Promise<void> {
  if (!existsSync(state)) return;
  // Held while its own files go: a process that waits for it finds no lock, and takes a new one.
  const held = await lock(state, { purpose: "atomic setup --undo" });
  try {
    const own = [".gitignore", "lock", record];
    const isUsed = readdirSync(state).some((name) => !own.includes(name));
    if (!isUsed) rmSync(state, { recursive: true, force: true });
    else if (record !== "") rmSync(join(state, record), { force: true });
  } finally {
    held.release();
  }
  removeEmptyFolder(dirname(state));
}
