import { folderLabel } from "../workspace/mutate.ts";
import { placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";
import { statusReport } from "./report/status.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import type { Operation } from "./shared/operation.ts";
import { typedFolder } from "./shared/typed-path.ts";
import { statusOf, type WorkflowStatus } from "./shared/workflow-status.ts";

export interface StatusResult {
  readonly workflows: readonly WorkflowStatus[];
  readonly folder: string;
  /** As a shell finds it where the command ran. */
  readonly typedFolder: string;
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

/** Local edits are everybody's right, so it always ends with 0; `hugo verify` is the check that can fail. */
export const status: Operation<typeof names, Record<never, never>, StatusResult> = {
  name: "status",
  summary: "Show the state of each installed file",
  details: "A file is clean, modified, deleted, skipped during installation, or in conflict with an update.",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo status", shows: "every file of every workflow" },
    { command: "hugo status review --json", shows: "the same for one workflow, for programs" },
  ],
  mutates: false,
  async run(context, input) {
    const snapshot = await readSnapshot(placeFor(context, input));
    const workflows = oneOrAll(snapshot.lock, input.name).map((name) => statusOf(snapshot, name));
    const { place, notices } = snapshot;
    return { workflows, folder: folderLabel(place), typedFolder: typedFolder(context, place), notices };
  },
  report: statusReport,
};
