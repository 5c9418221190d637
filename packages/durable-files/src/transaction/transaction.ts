import * as fs from "node:fs";
import { DurableError } from "../errors.ts";
import { errnoOf } from "../files/errno.ts";
import type { Lock, LockOptions } from "../lock/lock.ts";
import { withLock } from "../lock/with-lock.ts";
import { dropIntent, rollForward } from "./apply.ts";
import type { Change, ChangedFile } from "./change.ts";
import { type Plan, planEntries } from "./plan-entries.ts";
import { advance, recordPath, writeIntent } from "./record.ts";
import { type Recovery, recoverUnder, unfinished } from "./recover.ts";
import { stage } from "./stage.ts";
import { isThere } from "./state-of.ts";

export type TransactionOptions = LockOptions & {
  /** A lock of the same state folder that the caller holds already. */
  lock?: Lock;
  /** Removes folders that the deletions leave empty, below (and not including) this one. */
  pruneEmptyUpTo?: string;
};

export type TransactionResult = {
  files: ChangedFile[];
  /** What became of an earlier transaction that had been interrupted. */
  recovered?: Recovery;
};

/**
 * Creates, replaces and deletes several files as one: after a crash at any point, the next call makes it all or nothing.
 * @example
 * const config = readForEdit("opencode.json");
 * await transaction(".opencode/.hugo", [
 *   { path: "opencode.json", content: edited, expect: config.hash },
 *   { path: ".opencode/agents/reviewer.md", content: agent, expect: "absent" },
 *   { path: ".opencode/agents/old.md", delete: true },
 * ]);
 */
export async function transaction(
  stateDir: string,
  changes: readonly Change[],
  options: TransactionOptions = {},
): Promise<TransactionResult> {
  return await withLock(stateDir, options, (held) =>
    transactUnder(held, fs.realpathSync.native(stateDir), changes, options.pruneEmptyUpTo),
  );
}

function transactUnder(
  held: Lock,
  stateDir: string,
  changes: readonly Change[],
  pruneEmptyUpTo: string | undefined,
): TransactionResult {
  const recovered = recoverUnder(held, stateDir);
  const plan = plannedOrRefused(changes, pruneEmptyUpTo);
  if (plan.record.entries.length > 0) {
    prepareAndCommit(held, stateDir, plan);
    apply(stateDir, plan);
  }
  return recovered === undefined ? { files: plan.files } : { files: plan.files, recovered };
}

function plannedOrRefused(changes: readonly Change[], pruneEmptyUpTo: string | undefined): Plan {
  try {
    return planEntries(changes, pruneEmptyUpTo);
  } catch (error) {
    throw nothingChanged(error);
  }
}

function prepareAndCommit(held: Lock, stateDir: string, plan: Plan): void {
  try {
    writeIntent(stateDir, plan.record);
    stage(plan);
    held.assertHeld();
    advance(stateDir, "intent", "commit");
  } catch (error) {
    // If somebody has taken over, the record and everything it names is theirs to tidy up.
    held.assertHeld();
    backOut(stateDir, plan, error);
    throw nothingChanged(error);
  }
}

function backOut(stateDir: string, plan: Plan, error: unknown): void {
  try {
    // The step to "commit" may have been made without reaching the disk for certain: then it is taken back first.
    if (isThere(recordPath(stateDir, "commit"))) advance(stateDir, "commit", "intent");
    dropIntent(stateDir, plan.record);
  } catch (failure) {
    if (errnoOf(failure) === undefined) throw failure;
    throw unfinished(error, stateDir);
  }
}

function apply(stateDir: string, plan: Plan): void {
  let edited: string[];
  try {
    ({ edited } = rollForward(stateDir, plan.record));
  } catch (error) {
    throw unfinished(error, stateDir);
  }
  if (edited.length === 0) return;
  throw new DurableError("changed", {
    message: `${edited.join(", ")} was changed by somebody else at this moment; everything was put back`,
    at: edited[0] ?? stateDir,
    hint: "Run the command again: it will start from the file as it is now.",
  });
}

function nothingChanged(error: unknown): unknown {
  if (errnoOf(error) === undefined && !(error instanceof DurableError && error.code === "io")) return error;
  return new DurableError("io", {
    message: `Nothing was changed: ${(error as Error).message}`,
    hint: "Free some disk space or repair what the message names, then run the command again.",
    cause: error,
  });
}
