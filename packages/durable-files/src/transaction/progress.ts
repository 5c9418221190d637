// How far one file of a committed transaction has come, judged by what lies on the disk. Every answer that leads to an action
// rests on a staged file beside the target; the record alone is only a claim.
import type { Entry } from "./record.ts";
import { isThere, stateOf } from "./state-of.ts";

export type Progress =
  | "applied"
  | "to do"
  | "edited" // by somebody else
  | "unstaged"; // somebody removed a staged file, so it can neither be applied nor counted as applied

export function progressOf(entry: Entry): Progress {
  return entry.kind === "delete" ? deletion(entry) : writing(entry);
}

function writing({ target, old, new: next, temp, backup }: Entry): Progress {
  const now = stateOf(target);
  if (isThere(temp)) {
    if (now !== old) return "edited";
    return isThere(backup) ? "to do" : "unstaged";
  }
  if (now === next && old !== next) return "applied";
  // With the old content kept, only our rename explains that the new one is gone; the target was edited on top of it since.
  return isThere(backup) && (now !== old || old === next) ? "applied" : "unstaged";
}

function deletion({ target, old, backup }: Entry): Progress {
  const now = stateOf(target);
  if (now === "absent") return "applied";
  if (now !== old) return "edited";
  return stateOf(backup) === old ? "to do" : "unstaged";
}
