// What a dialog shows of a run. Approving it approves that version, not the one that is there by then.
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { subjectOf } from "../run/gates.ts";
import { versionOf } from "../run/person-actions.ts";
import type { MagnusState } from "../run/state.ts";
import { artifactHash } from "../sessions/artifacts.ts";
import type { PhaseQuestion } from "./phase-words.ts";

export type ShownFile =
  | {
      readonly kind: "shown";
      readonly text: string;
      /** Changes with everything that an approval covers. Undefined if something of it is missing. */
      readonly version: string | undefined;
    }
  | { readonly kind: "hidden"; readonly because: string };

/** Undefined if the question is not about a file. */
export function readShownFile(state: MagnusState, { reads, covers }: PhaseQuestion): ShownFile | undefined {
  if (reads === undefined || covers === undefined) return undefined;
  const path = join(state.worktree, state.folder, reads);
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file === undefined) return { kind: "hidden", because: `${reads} cannot be shown: it does not exist.` };
  // A link may lead elsewhere.
  if (!file.isFile()) return { kind: "hidden", because: `${reads} cannot be shown: it is not a file.` };
  const bytes = readFileSync(path);
  // What was read now, not what the journal knows: an editor may have saved the file since.
  const artifacts = { ...state.artifacts, [reads]: artifactHash(bytes) };
  const subject = subjectOf({ ...state, artifacts }, covers);
  return {
    kind: "shown",
    text: bytes.toString("utf8"),
    version: subject === undefined ? undefined : versionOf({ phase: covers, subject }),
  };
}
