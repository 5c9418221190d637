// One record is one line of JSON that a person can read:
//   {"n":12,"sum":"9f1c22aa","event":{"type":"node-started"}}
// The sum covers the previous record's sum, the number and the exact text of the event, so a line that was
// changed, removed, repeated or moved is found out.
import { crc32 } from "node:zlib";

/** The end of a chain of records: what the next record is attached to. */
export type Link = { n: number; sum: string };

export const start: Link = { n: 0, sum: "00000000" };

const newline = 0x0a;

/** The line of the next record, with its line break, and the chain's new end. */
export function encodeLine(previous: Link, event: unknown): { line: string; link: Link } {
  const text = JSON.stringify(event) as string | undefined;
  if (text === undefined) throw new TypeError("A journal event has to be a JSON value.");
  const n = previous.n + 1;
  const link = { n, sum: sumOf(previous.sum, n, text) };
  return { line: `{"n":${n},"sum":"${link.sum}","event":${text}}\n`, link };
}

/** The record in a complete line (with its line break), or undefined unless it is exactly the one that follows `previous`. */
export function decodeLine(previous: Link, line: Buffer): { event: unknown; link: Link } | undefined {
  const n = previous.n + 1;
  const head = `{"n":${n},"sum":"`;
  const sumAt = head.length;
  const eventAt = sumAt + 8 + `","event":`.length;
  if (line.length < eventAt + 3 || line.at(-1) !== newline || line.at(-2) !== 0x7d) return undefined;
  if (line.toString("latin1", 0, sumAt) !== head || line.toString("latin1", sumAt + 8, eventAt) !== `","event":`)
    return undefined;
  const body = line.subarray(eventAt, -2);
  const sum = line.toString("latin1", sumAt, sumAt + 8);
  if (sum !== sumOf(previous.sum, n, body)) return undefined;
  return { event: JSON.parse(body.toString("utf8")), link: { n, sum } };
}

function sumOf(previous: string, n: number, event: string | Uint8Array): string {
  return crc32(event, crc32(`${previous}:${n}:`))
    .toString(16)
    .padStart(8, "0");
}
