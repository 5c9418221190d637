import type { Hash } from "@atomic/durable-files/files/hash";
import type { Lock, LockedDelivery, LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { hashOf } from "../packages/hash.ts";

export interface DiskFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
  /** All permission bits, if they were read. */
  readonly mode?: number;
}

/** What happens to one file of a workflow that is delivered by copying. */
type Verdict =
  /** Nothing to do: the package did not change it. Local edits stay. */
  | "unchanged"
  | "added"
  | "updated"
  /** Local edits and the package's changes, put together. */
  | "merged"
  /** They conflict: the file stays, and the new version is put next to it. */
  | "conflict"
  /** The user deleted it, so it stays deleted. */
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

/** A change to a file. Paths are relative to `.opencode`. */
export type FileChange =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly bytes: Uint8Array;
      /** Users who may read the file may then run it. */
      readonly executable: boolean;
      /** All permission bits, for a file that only moves. */
      readonly mode?: number;
    }
  | { readonly kind: "delete"; readonly path: string };

export interface FileStep {
  readonly verdict: Verdict;
  readonly destination: string;
  readonly because?: Because;
  readonly changes: readonly FileChange[];
  /** What the lock records about the file afterwards; missing if it no longer knows it. */
  readonly record?: LockedFile;
  /** The base of the next merge, so it must be kept. */
  readonly keep?: { readonly hash: Hash; readonly bytes: Uint8Array };
}

/** Not below the store, which is not committed: local edits must survive a clone. OpenCode does not look there. */
export const PARKING = "hugo-disabled";
/** Bases of earlier versions, by their hash. They are committed: a clone cannot fetch them. */
const OLDER_BASES = "hugo-bases";

export function olderBasePath(hash: Hash): string {
  return `${OLDER_BASES}/${hash.slice("sha256:".length)}`;
}

/** Where the content of all older bases in the lock belongs. */
export function olderBases({ workflows }: Pick<Lock, "workflows">): Map<string, Hash> {
  const found = new Map<string, Hash>();
  for (const { delivery } of workflows.values()) {
    if (delivery.kind !== "copy") continue;
    for (const file of delivery.files.values()) {
      if (file.kind === "installed" && file.older) found.set(olderBasePath(file.base), file.base);
    }
  }
  return found;
}

/** Where the new version of a file goes if it could not be merged: no tool takes it for Markdown. */
export function besideOf(destination: string): string {
  return `${destination}.hugo-new`;
}

/** The files of the workflow after the steps, for its entry in the lock. */
export function recordsOf(steps: readonly FileStep[]): Map<string, LockedFile> {
  return new Map(steps.flatMap(({ destination, record }) => (record === undefined ? [] : [[destination, record]])));
}

/** Where copied files may be below `.opencode`; OpenCode's own files and Hugo's state are elsewhere. */
export const COPIED: RegExp = new RegExp(`^(?:agents|commands|skills|workflows|${PARKING}|${OLDER_BASES})/`);

// Disabling a copied workflow moves its files out of OpenCode's sight, local edits included; enabling moves them back.
export interface ParkingSituation {
  readonly workflow: string;
  readonly recorded: ReadonlyMap<string, LockedFile>;
  /** The content of `.opencode` at the destinations, next to them, and where they are parked. */
  readonly disk: Disk;
  /** Other workflows, not disabled, to which the file belongs as well. */
  readonly othersOf: (destination: string) => readonly string[];
}

export function parkedPath(workflow: string, destination: string): string {
  return `${PARKING}/${workflow}/${destination}`;
}

export function planParking({ workflow, recorded, disk, othersOf }: ParkingSituation): FileStep[] {
  return installed(recorded).map(([destination, record]) => {
    const isShared = othersOf(destination).length > 0;
    const changes = [destination, besideOf(destination)].flatMap((path) => {
      const to = parkedPath(workflow, path);
      // A file parked earlier that was not brought back may hold edits that exist nowhere else.
      if (disk.has(path) && disk.has(to)) {
        throw occupied(to, "is left over from an earlier change", "check it, then move it somewhere else");
      }
      return move(disk.get(path), path, to).slice(0, isShared ? 1 : 2);
    });
    return { verdict: "parked", destination, ...(isShared && { because: "shared" as const }), changes, record };
  });
}

export function planReturn({ workflow, recorded, disk, othersOf }: ParkingSituation): FileStep[] {
  /** Back to where it was, unless the same file is there already. Any other file there stops everything. */
  const moveBack = (path: string): FileChange[] => {
    const from = parkedPath(workflow, path);
    const [parked, present] = [disk.get(from), disk.get(path)];
    if (parked === undefined || present === undefined) return move(parked, from, path);
    if (Buffer.compare(parked.bytes, present.bytes) === 0) return [{ kind: "delete", path: from }];
    const [other] = othersOf(path);
    if (other !== undefined) throw occupied(path, `belongs to workflow "${other}"`, `hugo disable ${other}`);
    throw occupied(path, "was not created by Hugo", `move .opencode/${path} somewhere else`);
  };
  return installed(recorded).map(([destination, record]) => {
    const isParked = disk.has(parkedPath(workflow, destination));
    const beside = moveBack(besideOf(destination));
    // The user had deleted it before.
    if (!isParked) return { verdict: "kept-deleted", destination, changes: beside, record };
    const changes = [...moveBack(destination), ...beside];
    return { verdict: disk.has(destination) ? "adopted" : "restored", destination, changes, record };
  });
}

function installed(recorded: ReadonlyMap<string, LockedFile>): [destination: string, record: LockedFile][] {
  return [...recorded].filter(([, { kind }]) => kind === "installed").sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A write, then a delete; nothing if the file is missing. */
function move(file: DiskFile | undefined, from: string, to: string): FileChange[] {
  if (file === undefined) return [];
  const { bytes, executable, mode } = file;
  return [
    { kind: "write", path: to, bytes, executable, ...(mode !== undefined && { mode }) },
    { kind: "delete", path: from },
  ];
}

function occupied(path: string, problem: string, way: string): HugoError {
  return new HugoError("file-taken", {
    message: `.opencode/${path} is in the way: it ${problem}`,
    at: `.opencode/${path}`,
    hint: `Clear that path first (${way}). Nothing was changed.`,
  });
}

export type FileState =
  /** As the package gave it. */
  | "clean"
  /** With local edits. */
  | "modified"
  | "deleted"
  /** Never installed, because something else was in its place. */
  | "skipped"
  /** A newer version that could not be merged waits beside it. */
  | "conflict";

export interface FileStatus {
  /** Below `.opencode`, where OpenCode reads it. */
  readonly destination: string;
  /** Its current path below `.opencode`; a different one while the workflow is disabled. */
  readonly path: string;
  readonly state: FileState;
}

export type LockedCopyDelivery = Extract<LockedDelivery, { kind: "copy" }>;

export type Disk = ReadonlyMap<string, DiskFile>;

/** Every place below `.opencode` where a file of the workflow may be. */
export function placesOf(workflow: string, { files }: LockedCopyDelivery): string[] {
  return [...files.keys()].flatMap((destination) =>
    [destination, besideOf(destination)].flatMap((path) => [path, parkedPath(workflow, path)]),
  );
}

/** The state of each file since it was installed, sorted by place. */
export function fileStates(workflow: string, { parked, files }: LockedCopyDelivery, disk: Disk): FileStatus[] {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([destination, file]) => {
      if (file.kind === "skipped") return { destination, path: destination, state: "skipped" };
      const beside = besideOf(destination);
      const path = parked ? parkedPath(workflow, destination) : destination;
      const present = disk.get(path);
      if (present === undefined) return { destination, path, state: "deleted" };
      const hasBeside = disk.has(parked ? parkedPath(workflow, beside) : beside);
      if (file.pending !== undefined && hasBeside) return { destination, path, state: "conflict" };
      const isClean = hashOf(present.bytes) === baseNow(file, hasBeside);
      return { destination, path, state: isClean ? "clean" : "modified" };
    });
}

/** Once the user has removed the version beside the file, the conflict counts as resolved. */
export function baseNow({ base, pending }: Extract<LockedFile, { kind: "installed" }>, hasBeside: boolean): Hash {
  return pending !== undefined && !hasBeside ? pending : base;
}
