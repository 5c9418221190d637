// Archives byte by byte, with every field as the test wants it. Fields are latin1 text, as wide as they are given.
import { gzipSync } from "node:zlib";

export interface RawEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** The type; a file by default. */
  readonly flag?: string;
  readonly target?: string;
  readonly magic?: string;
  readonly prefix?: string;
  /** As written in the header; the content's length by default. */
  readonly size?: string;
  /** How the right checksum is written. */
  readonly checksum?: (sum: number) => string;
  /** More fields, by their offset, written over the others. */
  readonly fields?: Readonly<Record<number, string>>;
}

const BLOCK = 512;

export const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

export function rawEntry(entry: RawEntry): Buffer {
  const { path, content = "", flag = "0", target = "", magic = "ustar\x0000", prefix = "", fields = {} } = entry;
  const { checksum = (sum: number) => `${octal(sum, 6)}\0 ` } = entry;
  const body = Buffer.from(content as string);
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100);
  header.write(`0000644\0${"0000000\0".repeat(2)}`, 100, "latin1");
  header.write(entry.size ?? `${octal(body.length, 11)}\0`, 124, "latin1");
  header.write("03560116604\0", 136, "latin1");
  header.write(flag, 156, "latin1");
  header.write(target, 157, 100);
  header.write(magic, 257, "latin1");
  header.write(prefix, 345, 155);
  for (const [offset, text] of Object.entries(fields)) header.write(text, Number(offset), "latin1");
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.fill(0, 148, 156);
  header.write(checksum(sum), 148, 8, "latin1");
  return Buffer.concat([header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)]);
}

/** One record of a pax header; `length` makes it longer or shorter than it says. */
export function paxRecord(key: string, value: string, length = 0): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let whole = rest + String(rest).length;
  if (rest + String(whole).length > whole) whole += 1;
  return `${whole + length} ${key}=${value}\n`;
}

export function pax(records: string, flag: "x" | "g" = "x"): Buffer {
  return rawEntry({ path: "PaxHeader", flag, content: records });
}

export const zeros = (blocks: number): Buffer => Buffer.alloc(blocks * BLOCK);

/** Entries, the two empty blocks of the end, zipped. */
export function rawTarball(parts: readonly (RawEntry | Buffer)[]): Buffer {
  return gzipSync(Buffer.concat([...parts.map((part) => (Buffer.isBuffer(part) ? part : rawEntry(part))), zeros(2)]));
}
