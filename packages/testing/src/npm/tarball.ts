// A small tar writer that also writes what no honest packer would (`..`, absolute paths, links, devices),
// because the programs under test must survive such packages.
import { gzipSync } from "node:zlib";

export type TarballEntry =
  | { kind?: "file"; path: string; content: string | Uint8Array; mode?: number }
  | { kind: "directory"; path: string; mode?: number }
  | { kind: "symlink" | "hardlink"; path: string; target: string }
  | { kind: "character-device" | "block-device"; path: string; major: number; minor: number }
  | { kind: "fifo"; path: string };

const BLOCK = 512;
const PATH_FIELD = 100;
const TYPE_FLAGS = {
  file: "0",
  hardlink: "1",
  symlink: "2",
  "character-device": "3",
  "block-device": "4",
  directory: "5",
  fifo: "6",
  pax: "x",
} as const;

// npm stamps every entry with this moment, so that packing twice gives the same bytes.
const PACKED_AT = Date.UTC(1985, 9, 26, 8, 15, 0) / 1000;

/** A gzipped tar: the same entries give the same bytes. Entry paths are written exactly as given. */
export function tarball(entries: readonly TarballEntry[]): Buffer {
  const gzip = gzipSync(tar(entries));
  // The tenth byte of a gzip header names the operating system; 255 says "unknown" on all of them.
  gzip[9] = 255;
  return gzip;
}

/** The uncompressed archive. */
export function tar(entries: readonly TarballEntry[]): Buffer {
  return Buffer.concat([
    ...entries.flatMap((entry) => {
      const kind = entry.kind ?? "file";
      const content = "content" in entry ? Buffer.from(entry.content as string) : Buffer.alloc(0);
      const target = "target" in entry ? entry.target : "";
      const header = headerBlock({
        flag: TYPE_FLAGS[kind],
        // As yarn and pnpm do: the name is in the pax entry only, so no program can take another one.
        path: fitsHeader(entry.path) ? entry.path : "PaxHeader",
        target,
        size: content.length,
        mode: "mode" in entry && entry.mode !== undefined ? entry.mode : kind === "directory" ? 0o755 : 0o644,
        device: "major" in entry ? [entry.major, entry.minor] : [0, 0],
      });
      return [...paxBlocks(entry.path, target), header, content, padding(content.length)];
    }),
    Buffer.alloc(2 * BLOCK),
  ]);
}

/** The entries of an ordinary package: every file under `package/`, `package.json` first. */
export function packageEntries(files: Readonly<Record<string, string | Uint8Array>>): TarballEntry[] {
  return Object.keys(files)
    .sort((a, b) => (a === "package.json" || (b !== "package.json" && a < b) ? -1 : 1))
    .map((path) => ({ path: `package/${path}`, content: files[path] ?? "" }));
}

/** What does not fit the header's 100 bytes, or is not ASCII, travels in a pax entry in front of it. */
function paxBlocks(path: string, target: string): Buffer[] {
  const records = Object.entries({ path, linkpath: target }).flatMap(([key, value]) => {
    if (fitsHeader(value)) return [];
    // `<length> <key>=<value>\n`, where the length counts its own digits too.
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + String(rest).length;
    if (rest + String(length).length > length) length += 1;
    return [Buffer.from(`${length} ${key}=${value}\n`)];
  });
  if (records.length === 0) return [];
  const body = Buffer.concat(records);
  const header = headerBlock({
    flag: TYPE_FLAGS.pax,
    path: "PaxHeader",
    target: "",
    size: body.length,
    mode: 0o644,
    device: [0, 0],
  });
  return [header, body, padding(body.length)];
}

function fitsHeader(text: string): boolean {
  return Buffer.byteLength(text) <= PATH_FIELD && /^[\x20-\x7e]*$/.test(text);
}

interface Header {
  flag: string;
  path: string;
  target: string;
  size: number;
  mode: number;
  device: readonly [major: number, minor: number];
}

function headerBlock(header: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const text = (value: string, offset: number, length: number) =>
    Buffer.from(value).copy(block, offset, 0, Math.min(length, Buffer.byteLength(value)));
  const octal = (value: number, offset: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, offset, "latin1");
  text(header.path, 0, PATH_FIELD);
  octal(header.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(header.size, 124, 12);
  octal(PACKED_AT, 136, 12);
  text(header.flag, 156, 1);
  text(header.target, 157, PATH_FIELD);
  text("ustar\x0000", 257, 8);
  octal(header.device[0], 329, 8);
  octal(header.device[1], 337, 8);
  // The checksum is taken with its own field full of spaces.
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function padding(length: number): Buffer {
  return Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK);
}
