import { existsSync } from "node:fs";
import { join } from "node:path";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { configFiles } from "../opencode/config-files.ts";
import { countChange } from "./changes-made.ts";
import { CHECK_FILE } from "./check-file.ts";
import { COPIED } from "./copied-files.ts";
import { withExplainedErrors } from "./explained-errors.ts";
import { neededBy } from "./needed.ts";
import { absolutePath, inScope, portablePath, type WorkspacePlace } from "./place.ts";
import { readLock } from "./read-lock.ts";
import { boundaryOf, insideFolder, refuseUnsafePlace } from "./safe-place.ts";
import { SeenFiles, textIn } from "./seen-files.ts";
import { BaseStore, basePath } from "./store/bases.ts";
import { type GenerationFile, generationNumbers, generationPath, readGeneration } from "./store/generation.ts";
import { recoverIfNeeded } from "./store/state-folder.ts";
import { storedFolder } from "./store/store.ts";
import { listUnsettled } from "./store/unsettled.ts";
import { type LockWaitOptions, withState } from "./with-state.ts";

export interface Undone {
  /** The title of the undone change. */
  readonly title: string;
  readonly files: readonly UndoneFile[];
  readonly notices: readonly string[];
}

export interface UndoneFile {
  /** Relative to the project, or with `~/`. */
  readonly path: string;
  readonly did: "restored" | "brought-back" | "deleted";
}

/** Undoes the newest change, byte for byte. Refuses if anything that it wrote has changed since. */
export async function undo(
  place: WorkspacePlace,
  options: { readonly dryRun: boolean } & LockWaitOptions,
): Promise<Undone> {
  return await withExplainedErrors(async () => {
    refuseUnsafePlace(place);
    if (options.dryRun) {
      const recovered = await recoverIfNeeded(place.stateFolder, boundaryOf(place));
      const { title, files } = planUndo(place);
      return { title, files: files.map(verdict), notices: recovered === undefined ? [] : [recovered] };
    }
    return await withState(
      place,
      { purpose: "hugo undo", signal: options.signal },
      async ({ held, folder, notices }) => {
        const { title, files, number } = planUndo(place);
        // What the undone command brought goes with it, unless the state before it needs it, too.
        const { packages, bases } = neededBy(lockOf(place));
        const kept = files.flatMap(({ before }) => (before === undefined ? [] : [basePath(before.hash)]));
        listUnsettled(folder, [...packages, ...bases, ...kept]);
        const { keptFolders = [] } = await transaction(
          place.stateFolder,
          [
            ...files.map(({ absolute, before, content, after }) => {
              const expect = after ?? ("absent" as const);
              if (before === undefined || content === undefined)
                return { path: absolute, delete: true as const, expect };
              return { path: absolute, content, mode: before.mode, expect };
            }),
            { path: generationPath(place.stateFolder, number), delete: true },
          ],
          { lock: held, pruneEmptyUpTo: place.folder, within: boundaryOf(place) },
        );
        countChange();
        for (const folder of keptFolders)
          notices.push(`The empty folder ${folder} could not be removed, so it was kept.`);
        notices.push(...missingPackages(place));
        return { title, files: files.map(verdict), notices };
      },
    );
  });
}

/** Packages that the restored lock names and `hugo prune` has removed. */
function missingPackages(place: WorkspacePlace): string[] {
  const { workflows } = lockOf(place);
  const missing = [...workflows].filter(([name, { package: packageName, tree, dependencies }]) => {
    return (
      tree !== undefined && !existsSync(storedFolder(place.stateFolder, name, packageName, { tree, dependencies }))
    );
  });
  if (missing.length === 0) return [];
  const names = missing.map(([name]) => name).join(", ");
  return [inScope(place, `Run \`hugo ci\` to fetch what is no longer in the store: ${names}.`)];
}

function lockOf({ lockFile }: WorkspacePlace): Lock {
  return readLock(textIn(new SeenFiles(), lockFile, "lock-invalid"), lockFile);
}

interface FileBack extends GenerationFile {
  readonly absolute: string;
  readonly content?: Uint8Array;
}

function planUndo(place: WorkspacePlace): { number: number; title: string; files: FileBack[] } {
  const number = generationNumbers(place.stateFolder).at(-1);
  if (number === undefined) {
    throw new HugoError("nothing-to-undo", {
      message: "There is nothing to undo",
      at: place.folder,
      hint: "Hugo can undo only changes that it made on this machine.",
    });
  }
  const generation = readGeneration(place.stateFolder, number);
  const path = generationPath(place.stateFolder, number);
  if (generation === undefined) throw blocked("The earlier content cannot be read", [path], path);
  const bases = new BaseStore(place.stateFolder);
  const files = generation.files.map((file): FileBack => {
    const absolute = whereAllowed(place, file.path);
    if (file.before === undefined) return { ...file, absolute };
    const content = bases.get(file.before.hash);
    if (content !== undefined) return { ...file, absolute, content };
    throw blocked("The old content has been removed", [file.path], absolute);
  });
  const reads = new SeenFiles();
  const changed = files.filter(({ absolute, after }) => reads.file(absolute)?.hash !== after);
  if (changed[0] !== undefined) {
    const paths = changed.map((file) => file.path);
    throw blocked(
      `"${generation.title}" cannot be undone because files have changed since then`,
      paths,
      changed[0].absolute,
    );
  }
  return { number, title: generation.title, files };
}

/** A repository might contain this list, so it counts only for files that Hugo may change. */
function whereAllowed(place: WorkspacePlace, path: string): string {
  const absolute = absolutePath(place, path);
  const configs = configFiles(place.configs).filter(({ scope }) => scope === place.scope);
  const fixed = [place.lockFile, join(place.folder, "state.json"), ...configs.map((file) => file.path)];
  if (fixed.includes(absolute)) return absolute;
  const prefix = `${portablePath(place, place.folder)}/`;
  const below = place.scope === "global" ? path : path.startsWith(prefix) ? path.slice(prefix.length) : "";
  if (COPIED.test(below) || below === CHECK_FILE) return insideFolder(place, below);
  throw blocked("Hugo does not manage this file from here", [path], absolute);
}

function blocked(problem: string, paths: readonly string[], at: string): HugoError {
  return new HugoError("undo-blocked", {
    message: `${problem}: ${paths.join(", ")}`,
    at,
    hint: "Nothing was changed. Use version control instead, or `hugo remove` and then `hugo install`.",
  });
}

function verdict({ path, before, after }: FileBack): UndoneFile {
  if (before === undefined) return { path, did: "deleted" };
  return { path, did: after === undefined ? "brought-back" : "restored" };
}
