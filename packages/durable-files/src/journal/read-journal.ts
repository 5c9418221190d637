import { DurableError } from "../errors.ts";
import { forEachChunk, withPlainFile } from "../files/plain-file.ts";
import { decodeLine, isTornLine, type Link, start } from "./line.ts";

export type JournalRecord = { n: number; event: unknown };

/** An incomplete last line: what a crash in the middle of a write leaves behind. */
export type TornTail = { afterRecord: number; bytes: number; text: string };

export type JournalContents = { records: JournalRecord[]; torn: TornTail | undefined };

/**
 * Reads a journal without touching it, also while another process writes to it. An incomplete last line is left out and reported in
 * `torn`; damage anywhere else is refused with the record's number.
 */
export function readJournal(path: string): JournalContents {
  const records: JournalRecord[] = [];
  const found = withPlainFile(path, (fd) => scan(fd, path, (record) => records.push(record)));
  if (found !== undefined) return { records, torn: found.torn };
  throw new DurableError("io", {
    message: `The journal ${path} does not exist`,
    at: path,
    hint: "Check the name; a journal is created when it is first opened for writing.",
  });
}

export type Scan = {
  /** The last good record. */
  end: Link;
  /** Length of the file up to and including the last good record. */
  length: number;
  torn: TornTail | undefined;
};

/** Reads all records from an open file in one pass. Damage that a crash cannot explain is refused. */
export function scan(fd: number, path: string, visit: (record: JournalRecord) => void): Scan {
  const found: Scan = { end: start, length: 0, torn: undefined };
  let lineNumber = 1;
  const take = (line: Buffer): void => {
    const { n } = found.end;
    const record = decodeLine(found.end, line);
    if (record !== undefined) {
      visit({ n: record.link.n, event: record.event });
      found.end = record.link;
      found.length += line.length;
      lineNumber += 1;
      return;
    }
    // What ends with a line break was written completely, and perhaps reported as safe: never cut that off.
    if (line.at(-1) !== 0x0a && isTornLine(found.end, line)) {
      found.torn = { afterRecord: n, bytes: line.length, text: line.toString("utf8", 0, 500) };
      return;
    }
    throw new DurableError("damaged", {
      message: `Record ${n + 1} of the journal ${path} (line ${lineNumber}) is damaged${n === 0 ? ", or this is not a journal" : ""}`,
      at: `${path}:${lineNumber}`,
      hint:
        n === 0
          ? "Nothing was written. Use a different file, or restore this one from a backup."
          : "Nothing was written. The earlier records are intact. Restore the file from a backup, or move it aside to start over.",
    });
  };
  const rest: Buffer[] = [];
  forEachChunk(fd, (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      const tail = chunk.subarray(from, at + 1);
      take(rest.length === 0 ? tail : Buffer.concat([...rest.splice(0), tail]));
      from = at + 1;
    }
    if (from < chunk.length) rest.push(Buffer.from(chunk.subarray(from)));
  });
  if (rest.length > 0) take(Buffer.concat(rest));
  return found;
}
