// How a transaction ended: what its parts pass on, and what callers get.

/** A file as the caller named it and what the transaction did to it. */
export type ChangedFile = { path: string; did: "created" | "replaced" | "deleted" | "nothing" };

export type TransactionResult = {
  files: ChangedFile[];
  /** What became of an earlier transaction that had been interrupted. */
  recovered?: TransactionRecovery;
  /** Folders that should have been removed but could not be (another owner, a mount point). */
  keptFolders?: string[];
};

/** What became of a transaction that was interrupted. */
export type TransactionRecovery = {
  /** `incomplete`: it had to be put back, and for the files in `lost` that was not possible. */
  outcome: "finished" | "undone" | "put-back" | "incomplete";
  /** The files the transaction was about. */
  files: string[];
  /** Those among them that another program edited in between; the edits are kept. */
  edited: string[];
  /** Those that are still as the transaction left them, because their old content has been removed (`git clean` does that). */
  lost: string[];
  /** Folders that should have been removed but could not be. */
  keptFolders: string[];
  message: string;
};

export type TransactionEnding = Pick<TransactionRecovery, "outcome" | "edited" | "lost" | "keptFolders"> & {
  /** Files that could not be changed because what had been staged for them has been removed. */
  unstaged: string[];
};

/** Why everything had to be put back. */
export function because({ edited, unstaged }: TransactionEnding): string {
  const reasons: string[] = [];
  if (edited.length > 0)
    reasons.push(`another program changed ${edited.join(", ")} in the meantime (those changes were kept)`);
  if (unstaged.length > 0) reasons.push(`the staged content for ${unstaged.join(", ")} has been removed`);
  return reasons.length === 0 ? "" : ` because ${reasons.join(", and because ")}`;
}

/** What differs from before. */
export function remarks({ lost, keptFolders }: TransactionEnding): string {
  const files = `${lost.join(", ")} could not be restored because the old content was removed (perhaps by "git clean")`;
  const folders = `Could not remove the folder${keptFolders.length === 1 ? "" : "s"} ${keptFolders.join(", ")}`;
  return (lost.length > 0 ? ` ${files}.` : "") + (keptFolders.length > 0 ? ` ${folders}.` : "");
}
