// Reads a journal's lines without checking the whole file: to watch a run, and to find its first and last event quickly.
import * as fs from "node:fs";
import type { JournalEntry, RunEvent } from "../events.ts";

const chunkBytes = 64 * 1024;
const lineBreak = 0x0a;

/** A function that returns the records that were completed since its last call. A line's number is its record's number. */
export function tailOf(path: string, after: number): () => JournalEntry[] {
  let offset = 0;
  let lines = 0;
  return () => {
    const fresh: JournalEntry[] = [];
    let bytes: Buffer;
    const fd = fs.openSync(path, "r");
    try {
      bytes = readAt(fd, offset, Math.max(0, fs.fstatSync(fd).size - offset));
    } finally {
      fs.closeSync(fd);
    }
    let from = 0;
    for (let end = bytes.indexOf(lineBreak); end >= 0; end = bytes.indexOf(lineBreak, from)) {
      lines += 1;
      const event = lines > after ? eventIn(bytes.toString("utf8", from, end)) : undefined;
      if (event !== undefined) fresh.push({ n: lines, event });
      from = end + 1;
    }
    // An incomplete line is read again.
    offset += from;
    return fresh;
  };
}

/** The first and the last complete record; undefined if there is none. */
export function endsOf(path: string): { first: RunEvent; last: RunEvent } | undefined {
  const fd = fs.openSync(path, "r");
  try {
    const parts: Buffer[] = [];
    for (let at = 0; ; at += chunkBytes) {
      const chunk = readAt(fd, at, chunkBytes);
      const end = chunk.indexOf(lineBreak);
      parts.push(end < 0 ? chunk : chunk.subarray(0, end));
      if (end >= 0 || chunk.length < chunkBytes) break;
    }
    const first = eventIn(Buffer.concat(parts).toString("utf8"));
    let last: RunEvent | undefined;
    let bytes: Buffer = Buffer.alloc(0);
    for (let at = fs.fstatSync(fd).size; at > 0; ) {
      const length = Math.min(chunkBytes, at);
      at -= length;
      bytes = Buffer.concat([readAt(fd, at, length), bytes]);
      const end = bytes.lastIndexOf(lineBreak);
      const start = end <= 0 ? -1 : bytes.lastIndexOf(lineBreak, end - 1);
      if (end < 0 || (start < 0 && at > 0)) continue;
      last = eventIn(bytes.toString("utf8", start + 1, end));
      break;
    }
    return first === undefined || last === undefined ? undefined : { first, last };
  } finally {
    fs.closeSync(fd);
  }
}

/** Whether the first line is complete. An empty file counts as complete. */
export function hasLine(path: string): boolean {
  const fd = fs.openSync(path, "r");
  try {
    for (let at = 0; ; at += chunkBytes) {
      const chunk = readAt(fd, at, chunkBytes);
      if (chunk.includes(lineBreak) || (at === 0 && chunk.length === 0)) return true;
      if (chunk.length < chunkBytes) return false;
    }
  } finally {
    fs.closeSync(fd);
  }
}

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const more = fs.readSync(fd, bytes, got, length - got, at + got);
    if (more === 0) break;
    got += more;
  }
  return bytes.subarray(0, got);
}

/** Undefined if the line is not a record. Reading the whole journal reports it. */
function eventIn(line: string): RunEvent | undefined {
  try {
    const { event } = JSON.parse(line) as { event: RunEvent };
    return typeof event?.type === "string" ? event : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
