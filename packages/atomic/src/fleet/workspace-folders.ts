import { join } from "node:path";

/** Where a worker keeps files. Workers of other fleets may share the folder, and their runs may have the same ids. */
export interface FleetFolder {
  readonly path: string;
  /** The id of the database with the runs. */
  readonly fleet: string;
}

export function worktreesOf({ path, fleet }: FleetFolder): string {
  return join(path, "runs", fleet);
}

export function mirrorsOf({ path }: FleetFolder): string {
  return join(path, "mirrors");
}

export function trashOf({ path }: FleetFolder): string {
  return join(path, "trash");
}
