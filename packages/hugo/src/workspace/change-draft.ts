import type { Context } from "../context.ts";
import { change, type Decide, rehearse } from "./change.ts";
import { Draft } from "./draft.ts";
import { type Place, placeFor } from "./place.ts";

/** What every report of a change says besides what was changed. */
export interface ChangeSummary {
  /** Nothing was written. */
  readonly dryRun: boolean;
  /** The folder of OpenCode as people write it: `.opencode`, or `~/.config/opencode`. */
  readonly folder: string;
  /** Other things that happened on the way. */
  readonly notices: readonly string[];
}

interface Decided<Result> {
  /** Kept for `hugo undo`. */
  readonly title: string;
  readonly result: Result;
}

/** One transaction over whatever `decide` does on the draft; for a dry run it stays there. */
export async function changeDraft<Result extends object>(
  context: Context,
  { global, dryRun }: { readonly global: boolean; readonly dryRun: boolean },
  command: string,
  decide: (draft: Draft) => Decided<Result>,
): Promise<Result & ChangeSummary> {
  const place = placeFor(context, { global });
  const onDraft: Decide<Result & ChangeSummary> = async (workspace) => {
    const draft = new Draft(workspace);
    const { title, result } = decide(draft);
    return { changes: draft.changes(title), result: { ...result, ...circumstances(draft, dryRun) } };
  };
  return dryRun
    ? await rehearse(place, onDraft)
    : await change(place, `hugo ${command}`, onDraft, { signal: context.signal });
}

function circumstances({ snapshot: { place, notices } }: Draft, dryRun: boolean): ChangeSummary {
  return { dryRun, folder: folderLabel(place), notices };
}

export function folderLabel({ scope }: Place): string {
  return scope === "project" ? ".opencode" : "~/.config/opencode";
}
