// How loops last saw a tasks file, kept beside its lock: only so can be told what others have changed in it since.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { TaskStatus } from "./task.ts";

export interface SeenTask {
  readonly status: TaskStatus;
  /** Of one that is in progress or failing: whoever writes the file anew may forget it. */
  readonly claimedBy?: string | undefined;
  readonly attempts?: number | undefined;
  /** It was set to passing while agents were at work, and none of a loop had been at it. */
  readonly isUnworked?: boolean | undefined;
}

/** By the ids of the tasks. */
export type Seen = ReadonlyMap<string, SeenTask>;

export function seenFile(stateFolder: string, path: string): string {
  return join(stateFolder, `seen-${createHash("sha256").update(path).digest("hex").slice(0, 16)}.json`);
}

export function seenTask({ status, claimedBy, attempts }: Omit<SeenTask, "isUnworked">): SeenTask {
  return { status, ...((status === "in_progress" || status === "failing") && { claimedBy, attempts }) };
}

export function seenText(seen: Seen): string {
  return `${JSON.stringify({ tasks: [...seen] })}\n`;
}

/** Undefined if nobody has looked yet. */
export function parseSeen(text: string): Seen | undefined {
  try {
    return new Map(JSON.parse(text).tasks);
  } catch (error) {
    // It is only a memory: without it the next look is the first one.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
