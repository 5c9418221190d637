// Disabling a copied workflow moves its files out of OpenCode's sight, local edits included; enabling moves them back.

import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { besideOf, type FileChange, PARKING, type Step } from "./step.ts";

interface ParkedFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
  readonly mode?: number;
}

export interface ParkingSituation {
  readonly workflow: string;
  readonly recorded: ReadonlyMap<string, LockedFile>;
  /** What lies in `.opencode`: at the destinations, beside them, and where they are parked. */
  readonly disk: ReadonlyMap<string, ParkedFile>;
  /** Other workflows, not disabled, to which the file belongs as well. */
  readonly othersOf: (destination: string) => readonly string[];
}

export function parkedPath(workflow: string, destination: string): string {
  return `${PARKING}/${workflow}/${destination}`;
}

export function planParking(situation: ParkingSituation): Step[] {
  return installed(situation).map(([destination, record]) => {
    const paths = [destination, besideOf(destination)].filter((path) => situation.disk.has(path));
    for (const path of paths) refuseOccupied(situation, parkedPath(situation.workflow, path));
    const isShared = situation.othersOf(destination).length > 0;
    const changes = paths.flatMap((path) => move(situation, path, parkedPath(situation.workflow, path), isShared));
    return { verdict: "parked", destination, ...(isShared && { because: "shared" as const }), changes, record };
  });
}

export function planReturn(situation: ParkingSituation): Step[] {
  return installed(situation).map(([destination, record]) => {
    const from = parkedPath(situation.workflow, destination);
    const [parked, present] = [situation.disk.get(from), situation.disk.get(destination)];
    const beside = moveBack(situation, besideOf(destination));
    // Its user had deleted it before.
    if (parked === undefined) return { verdict: "kept-deleted", destination, changes: beside, record };
    const changes = [...moveBack(situation, destination), ...beside];
    return { verdict: present === undefined ? "restored" : "adopted", destination, changes, record };
  });
}

/** To where it was, unless the same is there already. Whatever else is there stops everything. */
function moveBack(situation: ParkingSituation, path: string): FileChange[] {
  const from = parkedPath(situation.workflow, path);
  const [parked, present] = [situation.disk.get(from), situation.disk.get(path)];
  if (parked === undefined || present === undefined) return move(situation, from, path);
  if (Buffer.compare(parked.bytes, present.bytes) === 0) return [{ kind: "delete", path: from }];
  const [other] = situation.othersOf(path);
  if (other !== undefined) throw occupied(path, `belongs to workflow "${other}"`, `hugo disable ${other}`);
  throw occupied(path, "has been put there by somebody else", `mv .opencode/${path} to another place`);
}

function installed({ recorded }: ParkingSituation): [destination: string, record: LockedFile][] {
  return [...recorded].filter(([, { kind }]) => kind === "installed").sort(([a], [b]) => (a < b ? -1 : 1));
}

function move({ disk }: ParkingSituation, from: string, to: string, keeps = false): FileChange[] {
  const file = disk.get(from);
  if (file === undefined) return [];
  const { bytes, executable, mode } = file;
  const write: FileChange = { kind: "write", path: to, bytes, executable, ...(mode !== undefined && { mode }) };
  return keeps ? [write] : [write, { kind: "delete", path: from }];
}

/** Something parked earlier that was not brought back: it may hold edits that exist nowhere else. */
function refuseOccupied({ disk }: ParkingSituation, path: string): void {
  if (disk.has(path)) throw occupied(path, "is left over from an earlier time", "look into it and move it away");
}

function occupied(path: string, problem: string, way: string): HugoError {
  return new HugoError("file-taken", {
    message: `.opencode/${path} is in the way: it ${problem}`,
    at: `.opencode/${path}`,
    hint: `Make room first (${way}). Nothing was changed.`,
  });
}
