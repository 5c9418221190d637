// Reads all tar formats: plain, ustar, pax and GNU. Nothing in the archive is trusted.

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

const BLOCK = 512;
/** For names, which are never longer on any disk. */
const LONGEST_NOTE = 64 * 1024;
/** One of each kind may come before an entry. */
const MOST_NOTES = 4;
const KINDS: Readonly<Record<string, TarEntry["kind"]>> = {
  "\0": "file",
  "0": "file",
  "7": "file",
  "1": "link",
  "2": "link",
  "3": "device",
  "4": "device",
  "5": "folder",
  "6": "device",
};

interface Names {
  path?: string;
  size?: number;
}

/** `announce` sees each entry before its content is read, and may throw to stop. */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  announce: (entry: TarEntry) => void,
): AsyncGenerator<{ readonly entry: TarEntry; readonly content: Buffer }> {
  const reader = new ByteReader(chunks);
  let names: Names = {};
  let notes = 0;
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.length === 0 || header.every((byte) => byte === 0)) break;
    if (header.length < BLOCK) throw new DamagedTar("it ends in the middle of a header");
    // The checksum is taken with its own field full of spaces.
    let sum = 8 * 32;
    for (let i = 0; i < BLOCK; i += 1) if (i < 148 || i >= 156) sum += header[i] ?? 0;
    if (sum !== numberAt(header, 148, 8)) throw new DamagedTar("a header does not match its checksum");
    const flag = header.toString("latin1", 156, 157);
    if (flag === "x" || flag === "g" || flag === "L" || flag === "K") {
      const size = numberAt(header, 124, 12);
      if (size > LONGEST_NOTE) throw new DamagedTar("it has a name that is too long");
      const note = await readContent(reader, size);
      // `x` is a pax header for the next entry, `L` a GNU one; `g` (for all entries) and `K` (for links) say nothing we use.
      if (flag === "L") names = { ...names, path: textAt(note, 0, note.length) };
      if (flag === "x") names = { ...names, ...paxNames(note) };
      notes += 1;
      if (notes > MOST_NOTES) throw new DamagedTar("it has too many headers without files");
      continue;
    }
    const kind = KINDS[flag];
    if (kind === undefined) throw new DamagedTar(`it has an entry of unknown type: ${JSON.stringify(flag)}`);
    const prefix = header.toString("latin1", 257, 263) === "ustar\0" ? textAt(header, 345, 155) : "";
    const path = names.path ?? (prefix === "" ? "" : `${prefix}/`) + textAt(header, 0, 100);
    // Archives from before ustar mark a folder by its name only.
    const isFolder = kind === "folder" || (kind === "file" && path.endsWith("/"));
    const size = kind === "file" ? (names.size ?? numberAt(header, 124, 12)) : 0;
    const executable = (numberAt(header, 100, 8) & 0o111) !== 0;
    const entry: TarEntry = { path, kind: isFolder ? "folder" : kind, executable, size };
    names = {};
    notes = 0;
    announce(entry);
    yield { entry, content: await readContent(reader, entry.size) };
  }
  await reader.drain();
}

async function readContent(reader: ByteReader, size: number): Promise<Buffer> {
  const padded = Math.ceil(size / BLOCK) * BLOCK;
  const content = await reader.take(padded);
  if (content.length < size) throw new DamagedTar("it ends in the middle of a file");
  return content.subarray(0, size);
}

/** Lines of `<length> <key>=<value>\n`, where the length is in bytes and counts its own digits. */
function paxNames(note: Buffer): Names {
  const names: Names = {};
  for (let at = 0; at < note.length; ) {
    const [digits] = /^\d{1,8}(?= )/.exec(note.toString("latin1", at, at + 9)) ?? [];
    const length = Number(digits);
    if (digits === undefined || length <= digits.length || at + length > note.length) {
      throw new DamagedTar("it has an invalid pax header");
    }
    const line = note.toString("utf8", at + digits.length + 1, at + length - 1);
    const [key, value] = [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)];
    if (key === "path") names.path = value;
    if (key === "size") names.size = checkedNumber(/^\d+$/.test(value) ? Number(value) : Number.NaN);
    at += length;
  }
  return names;
}

function textAt(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? field.length : end);
}

/** Octal digits, or big-endian bytes if the first bit is set (for what octal digits cannot hold). */
function numberAt(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  const [first = 0] = field;
  if (first === 0x80) return checkedNumber(field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0));
  const text = field
    .toString("latin1")
    .replace(/[\0 ]+$/, "")
    .trimStart();
  if (text === "") return 0;
  return checkedNumber(/^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN);
}

function checkedNumber(number: number): number {
  if (!Number.isSafeInteger(number) || number < 0) throw new DamagedTar("a header contains an invalid number");
  return number;
}

/** Reads a stream of chunks in the lengths that the caller asks for. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly this many bytes, or fewer if the stream ends. */
  async take(length: number): Promise<Buffer> {
    const pieces = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      pieces.push(value);
      have += value.length;
    }
    const whole = pieces.length === 1 ? this.#rest : Buffer.concat(pieces);
    this.#rest = whole.subarray(length);
    return whole.subarray(0, length);
  }

  /** Reads to the end, so everything is counted and hashed. */
  async drain(): Promise<void> {
    this.#rest = Buffer.alloc(0);
    for (;;) if ((await this.#chunks.next()).done === true) return;
  }
}
