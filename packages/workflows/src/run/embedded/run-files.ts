import * as fs from "node:fs";
import { join } from "node:path";
import { checkName } from "@atomic/durable-files/safety/names";
import { systemCode } from "../../entities/system-error.ts";
import { RunError } from "../run-error.ts";

/** Where the parts of a run lie. */
export interface RunFiles {
  readonly folder: string;
  /** One event a line. */
  readonly journal: string;
  /** What others had to say, one message a line. */
  readonly inbox: string;
  /** Results that are too long for a line, each named by its hash. */
  readonly blobs: string;
}

export function runFiles(root: string, runId: string): RunFiles {
  const folder = join(root, checkRunId(runId));
  return {
    folder,
    journal: join(folder, "journal.jsonl"),
    inbox: join(folder, "inbox.jsonl"),
    blobs: join(folder, "blobs"),
  };
}

/** A run's id is the name of its folder. */
function checkRunId(runId: string): string {
  try {
    return checkName(runId);
  } catch (cause) {
    const { message, hint } = cause as Error & { hint?: string };
    throw new RunError("bad-request", {
      message: `This cannot be the id of a run: ${message}`,
      cause,
      ...(hint && { hint }),
    });
  }
}

/** Undefined if there is none. Below something that is no folder there is none either. */
export function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The names of the runs below the folder. */
export function runIds(root: string): string[] {
  return namesIn(root).filter((name) => !name.startsWith(".") && statOf(join(root, name, "journal.jsonl"))?.isFile());
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
