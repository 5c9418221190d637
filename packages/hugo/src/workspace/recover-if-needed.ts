import { errnoOf, namesIn } from "./store/remove-tree.ts";

/** Whether a transaction is under way or was interrupted: then what is on the disk is neither before nor after. */
export function isUnfinished(stateFolder: string): boolean {
  return namesIn(stateFolder).some((name) => name.startsWith("transaction."));
}

/** Finishes or undoes what was interrupted, and gives the message about it. */
export async function recoverIfNeeded(stateFolder: string): Promise<string | undefined> {
  if (!isUnfinished(stateFolder)) return undefined;
  // Rarely needed, and a third of what a command that only looks would have to load.
  const { recover } = await import("@atomic/durable-files/transaction/recover");
  try {
    return (await recover(stateFolder, { purpose: "finishing an interrupted change" }))?.message;
  } catch (error) {
    // Another command has finished it and taken the whole folder along.
    const isGone = errnoOf(error instanceof Error && error.cause ? error.cause : error) === "ENOENT";
    if (isGone && !isUnfinished(stateFolder)) return undefined;
    throw error;
  }
}
