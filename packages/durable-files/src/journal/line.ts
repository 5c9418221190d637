// One record is one line of JSON that a person can read:
//   {"n":12,"sum":"9f1c22aa","event":{"type":"node-started"}}
// The sum covers the previous record's sum, the number and the exact text of the event, so a line that was
// changed, removed, repeated, moved or taken from another journal is detected.
import { crc32 } from "node:zlib";

/** The end of a chain of records: what the next record is attached to. */
export type Link = { n: number; sum: number };

export const start: Link = { n: 0, sum: 0 };

const lineEnd = "}\n";

/** The line of the next record, with its line break, and the chain's new end. */
export function encodeLine(previous: Link, event: unknown): { line: string; link: Link } {
  const text = JSON.stringify(event) as string | undefined;
  if (text === undefined) throw new TypeError("A journal event must be a JSON value.");
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
  try {
    return { event: JSON.parse(text.toString("utf8")), link };
  } catch (error) {
    // A checksum says nothing about who wrote the line.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether these bytes can be what a crash left of the line after `previous`: its start, then perhaps zeros in place of the rest. */
export function isTornLine(previous: Link, tail: Buffer): boolean {
  const end = tail.findLastIndex((byte) => byte !== 0) + 1;
  const head = headOf({ n: previous.n + 1, sum: 0 });
  const sumAt = head.indexOf('"00000000"') + 1;
  const isStart = tail.subarray(0, Math.min(end, head.length)).every((byte, at) => {
    if (at < sumAt || at >= sumAt + 8) return byte === head.charCodeAt(at);
    return /[0-9a-f]/.test(String.fromCharCode(byte));
  });
  if (!isStart) return false;
  if (end <= head.length) return true;
  // Find where the line's outermost bracket closes.
  let depth = 0;
  let inString = false;
  for (let at = 0; at < end; at++) {
    const byte = tail[at]!;
    if (byte < 0x20) return false; // our JSON never contains it
    if (byte === 0x22) inString = !inString;
    else if (inString) at += byte === 0x5c ? 1 : 0;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    if (depth > 0) continue;
    // Only the line break is missing: the record must be valid, and nothing may be in place of the line break.
    return at === tail.length - 1 && decodeLine(previous, Buffer.concat([tail, Buffer.from("\n")])) !== undefined;
  }
  return true;
}

function linkTo(previous: Link, text: string | Uint8Array): Link {
  const n = previous.n + 1;
  return { n, sum: crc32(text, (previous.sum ^ n) >>> 0) };
}

function headOf({ n, sum }: Link): string {
  return `{"n":${n},"sum":"${sum.toString(16).padStart(8, "0")}","event":`;
}
