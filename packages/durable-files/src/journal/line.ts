// One record is one line of JSON that a person can read:
//   {"n":12,"sum":"9f1c22aa","event":{"type":"node-started"}}
// The sum covers the previous record's sum, the number and the exact text of the event, so a line that was
// changed, removed, repeated, moved or taken from another journal is found out.
import { crc32 } from "node:zlib";

/** The end of a chain of records: what the next record is attached to. */
export type Link = { n: number; sum: number };

export const start: Link = { n: 0, sum: 0 };

const lineEnd = "}\n";

/** The line of the next record, with its line break, and the chain's new end. */
export function encodeLine(previous: Link, event: unknown): { line: string; link: Link } {
  const text = JSON.stringify(event) as string | undefined;
  if (text === undefined) throw new TypeError("A journal event has to be a JSON value.");
  const link = linkTo(previous, text);
  return { line: headOf(link) + text + lineEnd, link };
}

/** The record in a line, or undefined unless the line is complete and exactly the one that follows `previous`. */
export function decodeLine(previous: Link, line: Buffer): { event: unknown; link: Link } | undefined {
  const eventAt = headOf({ n: previous.n + 1, sum: 0 }).length;
  const eventEnd = line.length - lineEnd.length;
  if (eventEnd <= eventAt || line.toString("latin1", eventEnd) !== lineEnd) return undefined;
  const text = line.subarray(eventAt, eventEnd);
  const link = linkTo(previous, text);
  if (line.toString("latin1", 0, eventAt) !== headOf(link)) return undefined;
  return { event: JSON.parse(text.toString("utf8")), link };
}

function linkTo(previous: Link, text: string | Uint8Array): Link {
  const n = previous.n + 1;
  return { n, sum: crc32(text, (previous.sum ^ n) >>> 0) };
}

function headOf({ n, sum }: Link): string {
  return `{"n":${n},"sum":"${sum.toString(16).padStart(8, "0")}","event":`;
}
