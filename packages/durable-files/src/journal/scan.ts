import { DurableError } from "../errors.ts";
import { forEachChunk } from "../files/plain-file.ts";
import { decodeLine, isTornLine, type Link, start } from "./line.ts";

export type JournalRecord = { n: number; event: unknown };

/** An incomplete last line: what a crash in the middle of a write leaves behind. */
export type TornTail = { afterRecord: number; bytes: number; text: string };

export type Scan = {
  /** The last good record. */
  end: Link;
  /** Length of the file up to and including the last good record. */
  length: number;
  torn: TornTail | undefined;
};

/** Reads all records from an open file in one pass. Damage that a crash cannot explain is refused. */
export function scan(fd: number, path: string, visit: (record: JournalRecord) => void): Scan {
  const state = { end: start, length: 0, line: 1 };
  let torn: TornTail | undefined;
  const take = (line: Buffer): void => {
    const record = decodeLine(state.end, line);
    if (record === undefined) {
      // What ends with a line break was written completely, and perhaps told to be safe: never cut that off.
      if (line.at(-1) === 0x0a || !isTornLine(state.end, line)) throw damaged(path, state);
      torn = tornTail(state.end, line);
      return;
    }
    visit({ n: record.link.n, event: record.event });
    state.end = record.link;
    state.length += line.length;
    state.line += 1;
  };
  forEachLine(fd, take);
  return { end: state.end, length: state.length, torn };
}

function forEachLine(fd: number, take: (line: Buffer) => void): void {
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
}

function tornTail(end: Link, tail: Buffer): TornTail {
  return { afterRecord: end.n, bytes: tail.length, text: tail.toString("utf8", 0, 500) };
}

function damaged(path: string, { end, line }: { end: Link; line: number }): DurableError {
  return new DurableError("damaged", {
    message: `Record ${end.n + 1} of the journal ${path} (line ${line}) is damaged${end.n === 0 ? ", or this is not a journal" : ""}`,
    at: `${path}:${line}`,
    hint:
      end.n === 0
        ? "Nothing was written. Use a different file, or restore this one from a copy."
        : "Nothing was written. The records before it are intact. Restore the file from a copy, or move it away to start over.",
  });
}
