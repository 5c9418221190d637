import type { Operation } from "../operation.ts";
import { placeFor } from "../place.ts";
import { undoReport } from "../report/undo.ts";
import { undo as takeBack, type Undone } from "../workspace/undo.ts";

export interface UndoResult extends Undone {
  readonly dryRun: boolean;
}

export const undo: Operation<Record<never, never>, Record<never, never>, UndoResult> = {
  name: "undo",
  summary: "Take back the last change that Hugo made, byte for byte",
  arguments: {},
  options: {},
  examples: [
    { command: "hugo undo", shows: "what was taken back; run it again for the change before" },
    { command: "hugo undo --dry-run", shows: "what would come back, and what would go" },
  ],
  mutates: true,
  async run(context, input) {
    const { dryRun } = input;
    return { ...(await takeBack(placeFor(context, input), { dryRun, signal: context.signal })), dryRun };
  },
  report: undoReport,
};
