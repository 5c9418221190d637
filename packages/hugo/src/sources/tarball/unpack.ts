import { createHash } from "node:crypto";
import { HugoError } from "../../errors.ts";
import type { PackageWriter } from "../package-writer.ts";
import { ByteReader } from "./byte-reader.ts";
import { gunzip } from "./gunzip.ts";
import { AmbiguousTar, DamagedTar, readTar } from "./read-tar.ts";

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
    const bytes = new ByteReader(hashed());
    const first = await bytes.peek(2);
    if (first.length === 0) throw new DamagedTar("it is empty");
    const isZipped = first[0] === 0x1f && first[1] === 0x8b;
    await writeEntries(isZipped ? gunzip(bytes) : bytes.remaining(), writer);
  } catch (error) {
    if (error instanceof AmbiguousTar) {
      throw new HugoError("package-unsafe", {
        message: `${what} could be unpacked in more than one way: ${error.message}`,
        hint: "Nothing was installed. The package's author must pack it again with `npm pack`.",
        cause: error,
      });
    }
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
  let top: string | undefined;
  // Folders count as well: a small archive can have millions of them.
  for await (const { entry, content } of readTar(new ByteReader(bounded()), ({ size }) => writer.announce(size))) {
    // `package/agents/a.md` is `agents/a.md`. As in npm, what is next to the top folder is not part of the package.
    const whole = entry.kind === "folder" ? entry.path.replace(/\/+$/, "") : entry.path;
    const slash = whole.indexOf("/");
    if (slash === -1) continue;
    // The writer refuses paths outside the package, with its own message.
    const path = slash === 0 || whole.startsWith("../") ? whole : whole.slice(slash + 1);
    if (entry.kind === "folder") {
      writer.occupy(`${path}/.`);
      continue;
    }
    top ??= whole.slice(0, slash);
    if (entry.kind === "file") writer.write(path, content, entry.executable);
    else {
      writer.occupy(path);
      writer.leaveOut(path, entry.kind);
    }
    if (whole.slice(0, slash) !== top) throw new AmbiguousTar("it has several top folders");
  }
}

/** Whether a registry's checksum rules out the bytes with this `sha512-…`; one that says nothing about it does not. */
export function contradicts(stated: string | undefined, sha512: string): boolean {
  const promises = (stated ?? "").split(/\s+/).filter((one) => one.startsWith("sha512-"));
  return promises.length > 0 && !promises.some((one) => one.replace(/\?.*/, "") === sha512);
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
