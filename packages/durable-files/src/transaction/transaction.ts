import { join } from "node:path";
import { DurableError } from "../errors.ts";
import { errnoOf } from "../files/errno.ts";
import { type FolderLock, type LockOptions, realDir, withLock } from "../lock/lock.ts";
import { because, remarks, type TransactionEnding, type TransactionResult } from "../transaction-result.ts";
import { resume } from "./apply.ts";
import { type Change, type Plan, planEntries } from "./plan-entries.ts";
import { advance, recordPath, writeIntent } from "./record.ts";
import { recoverUnder, unfinished } from "./recover.ts";
import { stage } from "./stage.ts";
import { isThere } from "./state-of.ts";

export type TransactionOptions = LockOptions & {
  /** A lock of the same state folder that the caller holds already. */
  lock?: FolderLock;
  /** Removes folders that the deletions leave empty, below (and not including) this one. One that a link leads to stays. */
  pruneEmptyUpTo?: string;
  /** A real path. Refuses files whose real path is elsewhere, looked up once and for all. */
  within?: string | undefined;
};

export type { TransactionResult } from "../transaction-result.ts";

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
  return await withLock(
    stateDir,
    options,
    async (held) => {
      const state = realDir(stateDir);
      const recovered = await recoverUnder(held, state);
      try {
        return {
          ...(await transactUnder(held, state, changes, options)),
          ...(recovered && { recovered }),
        };
      } catch (error) {
        if (recovered === undefined || !(error instanceof DurableError)) throw error;
        // Recovery may have changed files that the caller had read: the error has to say so.
        const { code, message, at } = error;
        const hint = `Before that: ${recovered.message} ${error.hint ?? ""}`.trim();
        throw new DurableError(code, { message, at, hint, completed: { recovered }, cause: error });
      }
    },
    (result) => result,
  );
}

async function transactUnder(
  held: FolderLock,
  stateDir: string,
  changes: readonly Change[],
  { pruneEmptyUpTo, within }: TransactionOptions,
): Promise<TransactionResult> {
  let plan: Plan;
  try {
    plan = planEntries(stateDir, changes, pruneEmptyUpTo);
    const outside = [stateDir, ...plan.record.entries.map(({ target }) => target)].find(
      (path) => within !== undefined && path !== within && !path.startsWith(join(within, "/")),
    );
    if (outside !== undefined) {
      const hint = "A folder on the way has become a link. Nothing was changed; put the folder back.";
      throw new DurableError("unsafe-path", { message: `${outside} is not in ${within}`, at: outside, hint });
    }
  } catch (error) {
    throw nothingChanged(error);
  }
  const { record, files } = plan;
  if (record.entries.length === 0) return { files };

  try {
    writeIntent(stateDir, record);
    await stage(plan);
    held.assertHeld();
    advance(stateDir, "intent", "commit");
  } catch (error) {
    // If another process has taken over, that process cleans up the record and everything it names.
    held.assertHeld();
    try {
      // The rename to "commit" may have happened without reaching the disk for certain: then take it back first.
      if (isThere(recordPath(stateDir, "commit"))) advance(stateDir, "commit", "intent");
      await resume(stateDir, "intent", record);
    } catch (failure) {
      if (errnoOf(failure) === undefined) throw failure;
      throw unfinished(error, stateDir);
    }
    throw nothingChanged(error);
  }

  let ending: TransactionEnding;
  try {
    ending = await resume(stateDir, "commit", record);
  } catch (error) {
    throw unfinished(error, stateDir);
  }
  const { outcome, edited, unstaged, keptFolders } = ending;
  if (outcome === "finished") return keptFolders.length === 0 ? { files } : { files, keptFolders };
  const state = outcome === "incomplete" ? "some changes could not be rolled back" : "everything was rolled back";
  const what = edited.length > 0 ? `Another program just changed ${edited.join(", ")}; ` : "";
  throw new DurableError("changed", {
    message: `${what}${state}${what === "" ? because(ending) : ""}.${remarks(ending)}`,
    at: [...edited, ...unstaged][0] ?? stateDir,
    hint: "Run the command again; it will use the file's current content.",
  });
}

function nothingChanged(error: unknown): unknown {
  if (errnoOf(error) === undefined && !(error instanceof DurableError && error.code === "io")) return error;
  return new DurableError("io", {
    message: `Nothing was changed: ${(error as Error).message}`,
    hint: "Fix the problem above (often a full disk or missing permissions), then run the command again.",
    cause: error,
  });
}
