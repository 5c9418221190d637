import { folderLabel } from "../workspace/mutate.ts";
import { placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";
import { diffReport } from "./report/diff.ts";
import { diffsOf, type FileDiff } from "./shared/file-diffs.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import type { Operation } from "./shared/operation.ts";

export interface DiffResult {
  readonly files: readonly FileDiff[];
  readonly folder: string;
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

/** It always ends with 0, as `git diff` does: local edits are nothing wrong. */
export const diff: Operation<typeof names, Record<never, never>, DiffResult> = {
  name: "diff",
  summary: "Show your edits, and updates that could not be merged",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo diff", shows: "what you changed since the files were installed" },
    { command: "hugo diff review > edits.patch", shows: "the same as a patch for `git apply`" },
  ],
  mutates: false,
  async run(context, input) {
    const snapshot = await readSnapshot(placeFor(context, input));
    const files = oneOrAll(snapshot.lock, input.name).flatMap((name) => diffsOf(snapshot, name));
    return { files, folder: folderLabel(snapshot.place), notices: snapshot.notices };
  },
  report: diffReport,
};
