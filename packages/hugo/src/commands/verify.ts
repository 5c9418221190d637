import { folderLabel } from "../workspace/mutate.ts";
import { placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";
import { verifyReport } from "./report/verify.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import type { Operation } from "./shared/operation.ts";
import { type Verified, verifyWorkflow } from "./shared/verify-workflow.ts";

export interface VerifyResult {
  readonly workflows: readonly Verified[];
  readonly folder: string;
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

export const verify: Operation<typeof names, Record<never, never>, VerifyResult> = {
  name: "verify",
  summary: "Check everything installed against its recorded hashes",
  details: "It checks the store, merge bases, config entries and OpenCode's own copies.",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo verify", shows: "every difference; the exit code is 1 if anything but your own edits differs" },
  ],
  mutates: false,
  async run(context, input) {
    const snapshot = await readSnapshot(placeFor(context, input));
    const workflows = oneOrAll(snapshot.lock, input.name).map((name) => verifyWorkflow(snapshot, name, context));
    return { workflows, folder: folderLabel(snapshot.place), notices: snapshot.notices };
  },
  report: verifyReport,
};
