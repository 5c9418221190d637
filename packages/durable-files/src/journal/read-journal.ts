import { DurableError } from "../errors.ts";
import { withPlainFile } from "../files/plain-file.ts";
import { type JournalRecord, scan, type TornTail } from "./scan.ts";

export type JournalContents = { records: JournalRecord[]; torn: TornTail | undefined };

/**
 * Reads a journal without touching it, also while somebody writes to it. An incomplete last line is left out and told in `torn`;
 * damage anywhere else is refused with the record's number.
 */
export function readJournal(path: string): JournalContents {
  const records: JournalRecord[] = [];
  const found = withPlainFile(path, (fd) => scan(fd, path, (record) => records.push(record)));
  if (found !== undefined) return { records, torn: found.torn };
  throw new DurableError("io", {
    message: `There is no journal ${path}`,
    at: path,
    hint: "Check the name; a journal is created when it is first opened for writing.",
  });
}
