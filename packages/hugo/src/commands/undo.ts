import { placeFor } from "../workspace/place.ts";
import { undo as takeBack, type Undone } from "../workspace/undo.ts";
import { undoReport } from "./report/undo.ts";
import type { Operation } from "./shared/operation.ts";

export interface UndoResult extends Undone {
  readonly dryRun: boolean;
}

export const undo: Operation<Record<never, never>, Record<never, never>, UndoResult> = {
  name: "undo",
  summary: "Undo the last change that Hugo made, byte for byte",
  arguments: {},
  options: {},
  examples: [
    { command: "hugo undo", shows: "what was undone; run it again to undo the change before" },
    { command: "hugo undo --dry-run", shows: "what would be restored and what would be removed" },
  ],
  mutates: true,
  async run(context, input) {
    const { dryRun } = input;
    return { ...(await takeBack(placeFor(context, input), { dryRun, signal: context.signal })), dryRun };
  },
  report: undoReport,
};
