import type { Hash } from "@atomic/durable-files/files/hash";
import type { LockedDelivery, LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { hashOf } from "../packages/hash.ts";
import { parkedPath } from "./plan-parking.ts";
import type { DiskFile } from "./snapshot.ts";
import { besideOf } from "./step.ts";

export type FileState =
  /** As the package gave it. */
  | "clean"
  /** With local edits. */
  | "modified"
  | "deleted"
  /** Never installed, as something else was in its place. */
  | "skipped"
  /** A newer version that could not be merged waits beside it. */
  | "conflict";

export interface FileStatus {
  /** Below `.opencode`, where OpenCode reads it. */
  readonly destination: string;
  /** Below `.opencode`, where it lies now; another place while the workflow is disabled. */
  readonly path: string;
  readonly state: FileState;
}

export type LockedCopy = Extract<LockedDelivery, { kind: "copy" }>;

export type Disk = ReadonlyMap<string, DiskFile>;

/** Every place at which something of the workflow may lie, below `.opencode`. */
export function placesOf(workflow: string, { files }: LockedCopy): string[] {
  return [...files.keys()].flatMap((destination) =>
    [destination, besideOf(destination)].flatMap((path) => [path, parkedPath(workflow, path)]),
  );
}

/** What became of each file since it was installed, sorted by place. */
export function fileStates(workflow: string, { parked, files }: LockedCopy, disk: Disk): FileStatus[] {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([destination, file]) => {
      const whereIs = (path: string) => (parked ? parkedPath(workflow, path) : path);
      const path = file.kind === "skipped" ? destination : whereIs(destination);
      const state = stateOf(file, disk.get(path)?.bytes, disk.has(whereIs(besideOf(destination))));
      return { destination, path, state };
    });
}

function stateOf(file: LockedFile, present: Uint8Array | undefined, hasBeside: boolean): FileState {
  if (file.kind === "skipped") return "skipped";
  if (present === undefined) return "deleted";
  if (file.pending !== undefined && hasBeside) return "conflict";
  return hashOf(present) === baseNow(file, hasBeside) ? "clean" : "modified";
}

/** Once the user has removed the version beside the file, the conflict counts as resolved. */
export function baseNow({ base, pending }: Extract<LockedFile, { kind: "installed" }>, hasBeside: boolean): Hash {
  return pending !== undefined && !hasBeside ? pending : base;
}
