// What callers are told. Types only, so that errors can carry them.

/** A file as the caller named it and what the transaction did to it. */
export type ChangedFile = { path: string; did: "created" | "replaced" | "deleted" | "nothing" };

export type TransactionResult = {
  files: ChangedFile[];
  /** What became of an earlier transaction that had been interrupted. */
  recovered?: Recovery;
  /** Folders that should have gone and stay, because they may not be removed (another owner, a mount point). */
  keptFolders?: string[];
};

/** What became of a transaction that was interrupted. */
export type Recovery = {
  /** `incomplete`: it had to be put back, and for the files in `lost` that was not possible. */
  outcome: "finished" | "undone" | "put-back" | "incomplete";
  /** The files the transaction was about. */
  files: string[];
  /** Those among them that somebody else edited in between; the edits are kept. */
  edited: string[];
  /** Those that are still as the transaction left them, because somebody removed their old content (`git clean` does). */
  lost: string[];
  /** Folders that should have gone and stay, because they may not be removed. */
  keptFolders: string[];
  message: string;
};
