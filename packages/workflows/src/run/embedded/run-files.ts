import * as fs from "node:fs";
import { join } from "node:path";
import { checkName } from "@atomic/durable-files/safety/names";
import { systemCode } from "../../entities/system-error.ts";
import { RunError } from "../run-error.ts";

/** The paths of a run's parts. */
export interface RunFiles {
  readonly folder: string;
  /** One event per line. */
  readonly journal: string;
  /** Messages from other processes, one per line. */
  readonly inbox: string;
  /** Results that are too long for a line, each named after its hash. */
  readonly blobs: string;
}

/** A run's id is the name of its folder. */
export function runFiles(root: string, runId: string): RunFiles {
  let folder: string;
  try {
    folder = join(root, checkName(runId));
  } catch (cause) {
    const { message, hint } = cause as Error & { hint?: string };
    throw new RunError("bad-request", { message: `This is not a valid run id: ${message}`, cause, hint });
  }
  return {
    folder,
    journal: join(folder, "journal.jsonl"),
    inbox: join(folder, "inbox.jsonl"),
    blobs: join(folder, "blobs"),
  };
}

/** Undefined if there is no such file, also because its folder is not a folder. */
export function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Empty if there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The size in bytes of everything in the folder. */
export function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statOf(join(entry.parentPath, entry.name))?.size ?? 0;
  }
  return bytes;
}
