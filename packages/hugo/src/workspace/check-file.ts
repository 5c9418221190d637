// `plugins/hugo-check.js` tells people who have only OpenCode that a clone lacks its plugins. OpenCode loads it by itself.
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@atomic/durable-files/files/hash";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { isWithin } from "../opencode/is-within.ts";
import { hashOf } from "../packages/hash.ts";
import { packageFolder } from "../packages/package-folder.ts";
import type { DiskFile, FileChange } from "./copied-files.ts";
import { withExplainedErrorsSync } from "./explained-errors.ts";
import { portablePath, type WorkspacePlace } from "./place.ts";
import type { WorkspaceSnapshot } from "./snapshot.ts";
import { unlessMissing, unlessNowhere } from "./store/disk.ts";

/** Below `.opencode`. */
export const CHECK_FILE = "plugins/hugo-check.js";

type CheckView = Pick<WorkspaceSnapshot, "place" | "lock" | "disk">;

export interface CheckStatus {
  /** Relative to the project. */
  readonly path: string;
  readonly state:
    | "clean"
    | "modified"
    | "deleted"
    /** Hugo did not write the file. */
    | "foreign"
    /** A link, a folder or the like is in its way, so Hugo cannot write it. */
    | "blocked";
  /** What is in its way: `.opencode/plugins is a broken link`. */
  readonly because?: string;
}

/** Undefined if no plugin needs it. */
export function checkStatus(view: CheckView): CheckStatus | undefined {
  const { place, lock } = view;
  if (!isNeeded(place, lock)) return undefined;
  const path = portablePath(place, join(place.folder, CHECK_FILE));
  const obstacle = blockedBy(place);
  if (obstacle !== undefined) {
    return { path, state: "blocked", because: `${portablePath(place, obstacle.at)} ${obstacle.what}` };
  }
  const now = view.disk([CHECK_FILE]).get(CHECK_FILE);
  if (now === undefined) return { path, state: "deleted" };
  if (isOurs(now, lock)) return { path, state: "clean" };
  return { path, state: lock.check === undefined ? "foreign" : "modified" };
}

/** What a change does to the file. */
export interface CheckChange {
  readonly path: string;
  readonly did:
    | "added"
    | "updated"
    | "removed"
    /** It has local edits, or is not Hugo's, so a newer version of it was not written. */
    | "kept"
    /** The last plugin is gone, but the file has local edits. */
    | "left";
  /** Why it was kept or left. */
  readonly because?: "modified" | "foreign";
}

export interface CheckPlan {
  /** What hugo.json records afterwards. */
  readonly recorded: Hash | undefined;
  readonly files: readonly FileChange[];
  /** Missing if there is nothing to say. */
  readonly change?: CheckChange;
}

/** @param workflows Those that will be installed. */
export function planCheck(view: CheckView, workflows: Lock["workflows"]): CheckPlan {
  const { place, lock } = view;
  const path = portablePath(place, join(place.folder, CHECK_FILE));
  if (!isNeeded(place, { workflows })) {
    const now = isNeeded(place, lock) || lock.check !== undefined ? present(view) : undefined;
    const nothing = { recorded: undefined, files: [] };
    if (now === undefined || (!isOurs(now, lock) && lock.check === undefined)) return nothing;
    if (now === "blocked") {
      const isThere = blockedBy(place)?.at === join(place.folder, CHECK_FILE);
      return isThere ? { ...nothing, change: { path, did: "left", because: "foreign" } } : nothing;
    }
    if (!isOurs(now, lock)) return { ...nothing, change: { path, did: "left", because: "modified" } };
    return { ...nothing, files: [{ kind: "delete", path: CHECK_FILE }], change: { path, did: "removed" } };
  }
  refuseBlockedCheck(place);
  const bytes = template();
  const wanted = hashOf(bytes);
  const now = present(view);
  const write: FileChange = { kind: "write", path: CHECK_FILE, bytes, executable: false };
  if (now === undefined) return { recorded: wanted, files: [write], change: { path, did: "added" } };
  if (now !== "blocked" && hashOf(now.bytes) === wanted) return { recorded: wanted, files: [] };
  if (isOurs(now, lock)) return { recorded: wanted, files: [write], change: { path, did: "updated" } };
  if (lock.check === wanted) return { recorded: wanted, files: [] };
  const because = lock.check === undefined ? "foreign" : "modified";
  return { recorded: lock.check, files: [], change: { path, did: "kept", because } };
}

/**
 * Before anything is fetched, so nothing is fetched in vain.
 *
 * @param lock Missing if a package that is not known yet may be a plugin.
 */
export function refuseBlockedCheck(place: WorkspacePlace, lock?: Lock): void {
  const isRelevant = lock === undefined ? place.scope === "project" : isNeeded(place, lock);
  const problem = isRelevant ? blockedBy(place) : undefined;
  if (problem === undefined) return;
  throw new HugoError("file-taken", {
    message: `${problem.at} ${problem.what}, but Hugo needs ${problem.at.endsWith(".js") ? "a file" : "a folder"} there`,
    at: problem.at,
    hint: `Plugins need .opencode/${CHECK_FILE}, which warns about missing plugins in a clone. Move what is in its way somewhere else, then run the command again. Nothing was changed.`,
  });
}

function isNeeded({ scope }: WorkspacePlace, { workflows }: Pick<Lock, "workflows">): boolean {
  const plugins = [...workflows.values()].filter(({ delivery }) => delivery.kind === "plugin");
  return scope === "project" && plugins.some(({ tree }) => tree !== undefined);
}

function present(view: CheckView): DiskFile | "blocked" | undefined {
  return blockedBy(view.place) === undefined ? view.disk([CHECK_FILE]).get(CHECK_FILE) : "blocked";
}

/** As hugo.json records it, or as this version of Hugo writes it. */
function isOurs(now: DiskFile | "blocked", { check }: Lock): boolean {
  return now !== "blocked" && [check, hashOf(template())].includes(hashOf(now.bytes));
}

function template(): Buffer {
  return readFileSync(join(packageFolder(), "templates", "hugo-check.js"));
}

function blockedBy({ folder }: WorkspacePlace): { readonly at: string; readonly what: string } | undefined {
  const [plugins, file] = [join(folder, "plugins"), join(folder, CHECK_FILE)];
  return withExplainedErrorsSync(() => {
    const kindOf = (path: string) => unlessNowhere(() => lstatSync(path, { throwIfNoEntry: false }));
    const [above, itself] = [kindOf(plugins), kindOf(file)];
    if (above?.isSymbolicLink()) {
      // As for copied files, a link to another folder in `.opencode` is a folder.
      const real = unlessNowhere(() => realpathSync.native(plugins));
      if (real === undefined) return { at: plugins, what: "is a broken link" };
      if (!isWithin(realpathSync.native(folder), real)) return { at: plugins, what: "is a link that leads elsewhere" };
    }
    const isFolder = unlessMissing(() => statSync(plugins, { throwIfNoEntry: false }))?.isDirectory();
    if (isFolder === false) return { at: plugins, what: "is not a folder" };
    if (itself === undefined || itself.isFile()) return undefined;
    return {
      at: file,
      what: itself.isSymbolicLink() ? "is a link" : itself.isDirectory() ? "is a folder" : "is not a regular file",
    };
  });
}
