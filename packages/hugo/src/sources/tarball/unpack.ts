import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { HugoError } from "../../errors.ts";
import type { PackageWriter } from "../package-writer.ts";
import { DamagedTar, readTar } from "./read-tar.ts";

export interface Unpacked {
  /** Digests of the received bytes, by algorithm: `sha512` → base64. */
  readonly digests: ReadonlyMap<string, string>;
}

const ALGORITHMS = ["sha512", "sha384", "sha256", "sha1"] as const;

/** Unpacks an npm tarball: the package is the content of its top folder, whatever its name. */
export async function unpack(body: AsyncIterable<Buffer>, writer: PackageWriter, what: string): Promise<Unpacked> {
  const hashes = ALGORITHMS.map((algorithm) => [algorithm, createHash(algorithm)] as const);
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      for (const [, hash] of hashes) hash.update(chunk);
      yield chunk;
    }
  }
  try {
    const bytes = hashed();
    const { value: first } = await bytes.next();
    if (first === undefined) throw new DamagedTar("it is empty");
    const isZipped = first[0] === 0x1f && (first.length === 1 || first[1] === 0x8b);
    async function* whole(): AsyncGenerator<Buffer> {
      yield first as Buffer;
      yield* bytes;
    }
    if (!isZipped) await writeEntries(whole(), writer);
    else await pipeline(whole(), createGunzip(), (chunks: AsyncIterable<Buffer>) => writeEntries(chunks, writer));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const isDamage = error instanceof DamagedTar || code.startsWith("Z_");
    if (!isDamage) throw error;
    throw new HugoError("integrity-mismatch", {
      message: `${what} is damaged: ${(error as Error).message}`,
      hint: "Nothing was installed. Try again: the download may have been cut short.",
      cause: error,
    });
  }
  return { digests: new Map(hashes.map(([algorithm, hash]) => [algorithm, hash.digest("base64")])) };
}

async function writeEntries(chunks: AsyncIterable<Buffer>, writer: PackageWriter): Promise<void> {
  async function* bounded(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      writer.unpacked(chunk.length);
      yield chunk;
    }
  }
  // Folders count as well: a small archive can have millions of them.
  for await (const { entry, content } of readTar(bounded(), ({ size }) => writer.announce(size))) {
    // `package/agents/a.md` is `agents/a.md`. As in npm, what is next to the top folder is not part of the package.
    const plain = entry.path.replace(/^(?:\.\/)+/, "");
    const slash = plain.indexOf("/");
    if (entry.kind === "folder" || slash === -1) continue;
    // The writer refuses paths outside the package, with its own message.
    const path = slash === 0 || plain.startsWith("../") ? plain : plain.slice(slash + 1);
    if (entry.kind === "file") writer.write(path, content, entry.executable);
    else writer.leaveOut(path, entry.kind);
  }
}

/** Whether the bytes match an integrity value such as `sha512-…`; of several, the strongest counts. */
export function isPromised({ digests }: Unpacked, integrity: string): boolean {
  const promises = integrity.split(/\s+/).map((one) => /^(sha\d+)-([^?]+)/.exec(one));
  for (const algorithm of ALGORITHMS) {
    const matching = promises.filter((promise) => promise?.[1] === algorithm);
    if (matching.length > 0) return matching.some((promise) => promise?.[2] === digests.get(algorithm));
  }
  return false;
}
