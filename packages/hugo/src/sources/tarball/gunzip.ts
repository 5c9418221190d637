import { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import type { ByteReader } from "./byte-reader.ts";
import { AmbiguousTar, DamagedTar } from "./read-tar.ts";

const HEADER = 10;
/** The checksum and the length of what was packed. */
const TRAILER = 8;
const HAS_NAME = 0x08;
/** A packer's note that it is text, which means nothing. */
const IS_TEXT = 0x01;
const LONGEST_NAME = 4096;

/**
 * Unzips a file that is one gzip member and nothing else. Programs disagree about what follows the first member: some
 * unzip it as well, some ignore it.
 */
export async function* gunzip(reader: ByteReader): AsyncGenerator<Buffer> {
  const header = await reader.take(HEADER);
  const flags = header[3] ?? 0;
  if (header.length < HEADER || header[2] !== 8) throw new DamagedTar("it is not a gzip file");
  if ((flags & ~(HAS_NAME | IS_TEXT)) !== 0) throw new AmbiguousTar("its gzip header has unknown parts");
  for (let length = 0; (flags & HAS_NAME) !== 0; length += 1) {
    const [byte] = await reader.take(1);
    if (byte === 0) break;
    if (byte === undefined || length > LONGEST_NAME) throw new DamagedTar("it ends in the middle of its gzip header");
  }

  let given = 0;
  let trailer: Buffer = Buffer.alloc(0);
  async function* packed(): AsyncGenerator<Buffer> {
    for await (const chunk of reader.remaining()) {
      const have = Buffer.concat([trailer, chunk]);
      const piece = have.subarray(0, Math.max(have.length - TRAILER, 0));
      trailer = have.subarray(piece.length);
      given += piece.length;
      if (piece.length > 0) yield piece;
    }
  }
  const source = Readable.from(packed(), { objectMode: false });
  const inflate = createInflateRaw();
  source.on("error", (error) => inflate.destroy(error));
  let checksum = 0;
  let length = 0;
  try {
    for await (const chunk of source.pipe(inflate) as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      length += chunk.length;
      yield chunk;
    }
  } finally {
    source.destroy();
    inflate.destroy();
  }
  // The end of the member was found before the end of the file.
  if (!source.readableEnded || inflate.bytesWritten !== given) throw new AmbiguousTar("it has content after its end");
  const isWhole = trailer.length === TRAILER && trailer.readUInt32LE(0) === checksum;
  if (!isWhole || trailer.readUInt32LE(4) !== length % 2 ** 32) throw new DamagedTar("it does not match its checksum");
}
