import * as fs from "node:fs";
import { join } from "node:path";
import { checkName } from "@atomic/durable-files/safety/names";
import { systemCode } from "../../entities/system-error.ts";
import { RunError } from "../run-error.ts";

/** Where the parts of a run are. */
export interface RunFiles {
  readonly folder: string;
  /** One event a line. */
  readonly journal: string;
  /** Messages from other processes, one a line. */
  readonly inbox: string;
  /** Results that are too long for a line, each named by its hash. */
  readonly blobs: string;
}

/** A run's id is the name of its folder. */
export function runFiles(root: string, runId: string): RunFiles {
  let folder: string;
  try {
    folder = join(root, checkName(runId));
  } catch (cause) {
    const { message, hint } = cause as Error & { hint?: string };
    throw new RunError("bad-request", {
      message: `This is not a valid run id: ${message}`,
      cause,
      ...(hint && { hint }),
    });
  }
  return {
    folder,
    journal: join(folder, "journal.jsonl"),
    inbox: join(folder, "inbox.jsonl"),
    blobs: join(folder, "blobs"),
  };
}

/** Undefined if there is none. Below something that is not a folder there is none either. */
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

/** Bytes of everything below the folder. */
export function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statOf(join(entry.parentPath, entry.name))?.size ?? 0;
  }
  return bytes;
}
