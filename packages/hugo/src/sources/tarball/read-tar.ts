// Reads the archives that packers write: ustar, pax, GNU and plain tar. Nothing in an archive is trusted, and one that
// two programs could unpack differently is refused: what Hugo shows must be what every other program finds in it.
import { isUtf8 } from "node:buffer";
import type { ByteReader } from "./byte-reader.ts";

export interface TarEntry {
  /** As written in the archive, not yet checked. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "device";
  readonly executable: boolean;
  /** Bytes of content, as announced. */
  readonly size: number;
}

export class DamagedTar extends Error {
  override readonly name = "DamagedTar";
}

/** Whole, but programs disagree about what it contains. */
export class AmbiguousTar extends Error {
  override readonly name = "AmbiguousTar";
}

const BLOCK = 512;
/** For names, which are never longer on any disk. */
const LONGEST_NOTE = 64 * 1024;
const KINDS: Readonly<Record<string, TarEntry["kind"]>> = {
  "\0": "file",
  "0": "file",
  "1": "link",
  "2": "link",
  "3": "device",
  "4": "device",
  "5": "folder",
  "6": "device",
};

/** What the headers before an entry say about it. */
interface Notes {
  /** The types of these headers: `x` is pax; `L` (its name) and `K` (its target) are GNU. */
  readonly flags: string;
  readonly path?: string;
  readonly size?: number;
  readonly target?: string;
}

const NO_NOTES: Notes = { flags: "" };

/** `announce` sees each entry before its content is read, and may throw to stop. */
export async function* readTar(
  reader: ByteReader,
  announce: (entry: TarEntry) => void,
): AsyncGenerator<{ readonly entry: TarEntry; readonly content: Buffer }> {
  let notes = NO_NOTES;
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.every((byte) => byte === 0)) break;
    if (header.length < BLOCK) throw new DamagedTar("it ends in the middle of a header");
    checkHeader(header);
    const flag = header.toString("latin1", 156, 157);
    const size = numberAt(header, 124, 12);
    if (flag === "x" || flag === "g" || flag === "L" || flag === "K") {
      if (size > LONGEST_NOTE) throw new DamagedTar("it has a name that is too long");
      const flags = `${notes.flags}${flag}`;
      if (!/^(?:g|x|K|L|KL|LK)$/.test(flags)) throw new AmbiguousTar("an entry has several names");
      const note = await readContent(reader, size);
      if (flag === "x") notes = { flags, ...paxNotes(note, true) };
      else if (flag === "g") paxNotes(note, false);
      else notes = { ...notes, flags, [flag === "L" ? "path" : "target"]: gnuNote(note) };
      continue;
    }
    const entry = entryOf(header, flag, size, notes);
    notes = NO_NOTES;
    announce(entry);
    yield { entry, content: await readContent(reader, size) };
  }
  if (notes !== NO_NOTES) throw new AmbiguousTar("its last header belongs to no file");
  if (!(await reader.isZeroToTheEnd())) throw new AmbiguousTar("it has content after its end");
}

function entryOf(header: Buffer, flag: string, size: number, notes: Notes): TarEntry {
  const kind = KINDS[flag];
  if (kind === undefined) throw new DamagedTar(`it has an entry of unknown type: ${JSON.stringify(flag)}`);
  const ownPath = ownPathOf(header);
  const path = notes.path ?? ownPath;
  // npm reads a pax name in pieces, and falls back to the header's own name if that tore a letter apart.
  const canTear = notes.flags === "x" && /[^\0-\x7f]/.test(path);
  if (canTear && !isShortFor(ownPath, path)) throw new AmbiguousTar("an entry has several names");
  const hasTarget = header[157] !== 0 || notes.target !== undefined;
  if (hasTarget !== (kind === "link")) throw new AmbiguousTar("it has a link that is also a file");
  if (notes.size !== undefined && notes.size !== size) throw new AmbiguousTar("an entry has two sizes");
  // Archives from before ustar mark a folder by its name only.
  const isFolder = kind === "folder" || (kind === "file" && path.endsWith("/"));
  if (size > 0 && (isFolder || kind !== "file")) throw new AmbiguousTar("it has a link or folder with content");
  const executable = (numberAt(header, 100, 8) & 0o111) !== 0;
  return { path, kind: isFolder ? "folder" : kind, executable, size };
}

/** Whether it is what packers write into the header of a file whose name does not fit: a stand-in, or its beginning. */
function isShortFor(ownPath: string, path: string): boolean {
  if (ownPath === path || !ownPath.includes("/")) return true;
  const start = ownPath.replace(/\ufffd+$/, "");
  const isCut = Buffer.byteLength(start) > 90 && path.startsWith(start);
  return isCut && !start.slice(start.lastIndexOf("/")).includes(".");
}

/** Octal digits that end with a space or NUL are the only numbers that all programs read alike. */
const NUMBER = /^ *([0-7]+)[ \0]+$/;
/** Owner, group, time and device: Hugo needs none of them, but npm skips an entry if it cannot read them. */
const OTHER_NUMBER = /^(?: *[0-7]*[ \0]*|\x80\0{3}[\s\S]{4})$/;
const OTHER_NUMBERS = [
  [108, 116],
  [116, 124],
  [136, 148],
  [329, 337],
  [337, 345],
] as const;

function checkHeader(header: Buffer): void {
  // The checksum is taken with its own field full of spaces.
  let sum = 8 * 32;
  for (let i = 0; i < BLOCK; i += 1) if (i < 148 || i >= 156) sum += header[i] ?? 0;
  const [, digits = ""] = NUMBER.exec(header.toString("latin1", 148, 156)) ?? [];
  if (sum !== Number.parseInt(digits, 8)) throw new DamagedTar("a header does not match its checksum");
  const areNumbers = OTHER_NUMBERS.every(([from, to]) => OTHER_NUMBER.test(header.toString("latin1", from, to)));
  if (!areNumbers) throw new AmbiguousTar("a header contains an invalid number");
  if (header[0] === 0) throw new AmbiguousTar("it has an entry without a name");
  const isLink = header[156] === 0x31 || header[156] === 0x32;
  if (textAt(header, 157, 257) !== "" && !isLink) throw new AmbiguousTar("it has a link that is also a file");
}

/** The name in the header itself. Long ones begin in a second field, which only counts in ustar headers. */
function ownPathOf(header: Buffer): string {
  const name = textAt(header, 0, 100);
  if (header.toString("latin1", 257, 265) !== "ustar\x0000") {
    if (textAt(header, 345, BLOCK) !== "") throw new AmbiguousTar("a header is neither ustar nor plain tar");
    return name;
  }
  // Some packers write times where the field would end.
  const isShort = header[475] === 0;
  if (isShort && !/^[0-7 \0]*$/.test(header.toString("latin1", 475, 500))) {
    throw new AmbiguousTar("a name has text after its end");
  }
  const prefix = textAt(header, 345, isShort ? 475 : 500);
  return prefix === "" ? name : `${prefix}/${name}`;
}

async function readContent(reader: ByteReader, size: number): Promise<Buffer> {
  const padded = Math.ceil(size / BLOCK) * BLOCK;
  const content = await reader.take(padded);
  if (content.length < size) throw new DamagedTar("it ends in the middle of a file");
  return content.subarray(0, size);
}

const INVALID_PAX = "it has an invalid pax header";
/** Records that change neither names nor contents. Bun says that its names are bytes, which are UTF-8 all the same. */
const HARMLESS =
  /^(?:[acm]time|[ug](?:id|name)|comment|NODETAR\.\S+|SCHILY\.(?:dev|ino|nlink|fflags|xattr\.\S+)|LIBARCHIVE\.(?:creationtime|xattr\.\S+))=|^hdrcharset=BINARY$/;

/**
 * Lines of `<length> <key>=<value>\n`, where the length is in bytes and counts its own digits. Some programs go by the
 * lengths and some by the lines, so the two must agree. Only a header for one entry may name it.
 */
function paxNotes(note: Buffer, isForOne: boolean): Omit<Notes, "flags"> {
  const values = new Map<string, string>();
  if (note.length === 0 || !isUtf8(note)) throw new AmbiguousTar(INVALID_PAX);
  for (let at = 0; at < note.length; ) {
    const end = note.indexOf("\n", at) + 1;
    const line = note.toString("utf8", at, end === 0 ? note.length : end);
    const [, length, key = "", value = ""] = /^([1-9]\d*) ([^=]+)=([^\0\n]*)\n$/.exec(line) ?? [];
    if (Number(length) !== end - at || values.has(key)) throw new AmbiguousTar(INVALID_PAX);
    values.set(key, value);
    at = end;
  }
  const [path, size, target] = ["path", "size", "linkpath"].map((key) => values.get(key));
  const unknown = [...values].find(
    ([key, value]) => !HARMLESS.test(`${key}=${value}`) && !(isForOne && /^(?:path|size|linkpath)$/.test(key)),
  );
  const isValid = path !== "" && target !== "" && (size === undefined || /^\d{1,15}$/.test(size));
  if (unknown !== undefined || !isValid) throw new AmbiguousTar(INVALID_PAX);
  return {
    ...(path === undefined ? {} : { path }),
    ...(size === undefined ? {} : { size: Number(size) }),
    ...(target === undefined ? {} : { target }),
  };
}

function gnuNote(note: Buffer): string {
  const [, text] = /^([^\0\n]+)\0?$/.exec(note.toString("utf8")) ?? [];
  if (text === undefined) throw new AmbiguousTar("a name has text after its end");
  return text;
}

/** Text and then only NULs: not every program stops at the first one. */
function textAt(block: Buffer, start: number, end: number): string {
  const field = block.subarray(start, end);
  const length = field.indexOf(0);
  if (length === -1) return field.toString("utf8");
  if (field.subarray(length).some((byte) => byte !== 0)) throw new AmbiguousTar("a name has text after its end");
  return field.toString("utf8", 0, length);
}

function numberAt(block: Buffer, start: number, length: number): number {
  const [, digits] = NUMBER.exec(block.toString("latin1", start, start + length)) ?? [];
  if (digits === undefined) throw new AmbiguousTar("a header contains an invalid number");
  return Number.parseInt(digits, 8);
}
