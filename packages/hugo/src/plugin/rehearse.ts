import type { Toggles } from "../commands/enable.ts";
import type { RemoveResult } from "../commands/remove.ts";
import type { CommonInput, Operation } from "../commands/shared/operation.ts";
import type { UpdateResult } from "../commands/update.ts";
import type { Context } from "../context.ts";
import { plain } from "./question.ts";

export interface Rehearsal {
  /** What would happen, in the words of the operation's report. */
  readonly text: string;
  readonly changesSomething: boolean;
}

/** It is true of the rehearsal, and not of what the user is asked about. */
const dryRunNote = /^Dry run: .*\n/m;

/** Finds out what an operation would do, so that somebody can agree to it. Nothing is written. */
export async function rehearse(operation: Operation, context: Context, input: CommonInput): Promise<Rehearsal> {
  const result = await operation.run(context, { ...input, dryRun: true } as never);
  const notes = operation.report.notes(result, plain).replace(dryRunNote, "");
  const text = operation.report.text(result, plain) + notes;
  return { text, changesSomething: changesSomething(operation, result) };
}

/** A question about nothing only teaches people to say yes. */
function changesSomething({ name }: Operation, result: unknown): boolean {
  if (name === "update") return (result as UpdateResult).updated.length > 0;
  if (name === "remove") return (result as RemoveResult).workflows.length > 0;
  return (result as Toggles).workflows.some(({ change }) => change === "enabled" || change === "disabled");
}
