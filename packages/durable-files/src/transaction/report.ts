import { printable } from "../safety/printable.ts";
import type { Ending } from "./ending.ts";
import type { TransactionRecord } from "./record.ts";
import type { Recovery } from "./result.ts";

const meanings = {
  finished: "was finished",
  undone: "was undone: none of them had been touched",
  "put-back": "was put back",
  incomplete: "could not be put back completely",
};

/** What to tell about an interrupted transaction. */
export function report({ entries }: TransactionRecord, ending: Ending): Recovery {
  const { outcome, edited, lost, keptFolders } = ending;
  const files = entries.map(({ target }) => target);
  const what = `An interrupted change of ${files.length} file${files.length === 1 ? "" : "s"}`;
  const message = printable(`${what} ${meanings[outcome]}${because(ending)}.${remarks(ending)}`);
  return { outcome, files, edited, lost, keptFolders, message };
}

/** Why everything had to be put back. */
export function because({ edited, unstaged }: Ending): string {
  const reasons: string[] = [];
  if (edited.length > 0) reasons.push(`${edited.join(", ")} was edited in between; that edit is kept`);
  if (unstaged.length > 0) reasons.push(`what was prepared for ${unstaged.join(", ")} has been removed`);
  return reasons.length === 0 ? "" : ` because ${reasons.join(", and because ")}`;
}

/** What is not as it was before. */
export function remarks({ lost, keptFolders }: Ending): string {
  const files = `${lost.join(", ")} could not be put back, since the old content has been removed (by "git clean"?)`;
  const folders = `The folder ${keptFolders.join(", ")} may not be removed and stays`;
  return (lost.length > 0 ? ` ${files}.` : "") + (keptFolders.length > 0 ? ` ${folders}.` : "");
}
