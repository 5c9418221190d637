// What became of a transaction: as one part hands it to the next, and as callers get it.
import { printable } from "../errors.ts";

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

const meanings = {
  finished: "was finished",
  undone: "was undone: none of them had been touched",
  "put-back": "was put back",
  incomplete: "could not be put back completely",
};

/** Describes how an interrupted transaction of these files ended. */
export function describeRecovery(files: string[], ending: TransactionEnding): TransactionRecovery {
  const { outcome, edited, lost, keptFolders } = ending;
  const what = `An interrupted change of ${files.length} file${files.length === 1 ? "" : "s"}`;
  const message = printable(`${what} ${meanings[outcome]}${because(ending)}.${remarks(ending)}`);
  return { outcome, files, edited, lost, keptFolders, message };
}

/** Why everything had to be put back. */
export function because({ edited, unstaged }: TransactionEnding): string {
  const reasons: string[] = [];
  if (edited.length > 0) reasons.push(`${edited.join(", ")} was edited in between; that edit is kept`);
  if (unstaged.length > 0) reasons.push(`what was prepared for ${unstaged.join(", ")} has been removed`);
  return reasons.length === 0 ? "" : ` because ${reasons.join(", and because ")}`;
}

/** What is not as it was before. */
export function remarks({ lost, keptFolders }: TransactionEnding): string {
  const files = `${lost.join(", ")} could not be put back, since the old content has been removed (by "git clean"?)`;
  const folders = `The folder ${keptFolders.join(", ")} may not be removed and stays`;
  return (lost.length > 0 ? ` ${files}.` : "") + (keptFolders.length > 0 ? ` ${folders}.` : "");
}
