import type { Hash } from "@atomic/durable-files/files/hash";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";

/** What happens to one file of a workflow that is delivered by copying. */
type Verdict =
  /** Nothing to do: the package did not change it. Local edits stay. */
  | "unchanged"
  | "added"
  | "updated"
  /** Local edits and the package's changes, put together. */
  | "merged"
  /** They contradict each other: the file stays, the new version lies beside it. */
  | "conflict"
  /** The user deleted it, so it stays away. */
  | "kept-deleted"
  | "removed"
  /** It already is what it should be, so from now on it belongs to the workflow. */
  | "adopted"
  /** Something else is in its place. */
  | "skipped"
  /** It no longer belongs to the workflow, but is not deleted. */
  | "left"
  | "parked"
  | "restored";

type Because =
  | "modified"
  | "unmanaged"
  | "shared"
  /** It was there before the workflow. */
  | "adopted";

/** A change of a file. Paths are relative to `.opencode`. */
export type FileChange =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly bytes: Uint8Array;
      /** Whoever may read the file may then run it. */
      readonly executable: boolean;
      /** All permission bits, for a file that only moves. */
      readonly mode?: number;
    }
  | { readonly kind: "delete"; readonly path: string };

export interface Step {
  readonly verdict: Verdict;
  readonly destination: string;
  readonly because?: Because;
  readonly changes: readonly FileChange[];
  /** What the lock says of the file afterwards; missing if it no longer knows it. */
  readonly record?: LockedFile;
  /** What the base of the next merge will be, and must therefore be kept. */
  readonly keep?: { readonly hash: Hash; readonly bytes: Uint8Array };
}

/** Not below the store, which is not committed: local edits must survive a clone. OpenCode does not look there. */
export const PARKING = "hugo-disabled";

/** Where the new version of a file goes that could not be merged: no tool takes it for Markdown. */
export function besideOf(destination: string): string {
  return `${destination}.hugo-new`;
}

/** The files of the workflow after the steps, for its entry in the lock. */
export function recordsOf(steps: readonly Step[]): Map<string, LockedFile> {
  return new Map(steps.flatMap(({ destination, record }) => (record === undefined ? [] : [[destination, record]])));
}

/** Folders that may be empty once the files are deleted, the deepest first. */
export function foldersToPrune(steps: readonly Step[]): string[] {
  const deleted = steps.flatMap(({ changes }) =>
    changes.filter(({ kind }) => kind === "delete").map(({ path }) => path),
  );
  const folders = deleted.flatMap((path) => {
    const parts = path.split("/").slice(0, -1);
    const all = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
    // The folders of OpenCode itself stay.
    return path.startsWith(`${PARKING}/`) ? all : all.slice(1);
  });
  return [...new Set(folders)].sort((a, b) => b.split("/").length - a.split("/").length || (a < b ? -1 : 1));
}
