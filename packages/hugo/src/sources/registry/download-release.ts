import { createReadStream, existsSync, rmSync } from "node:fs";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { type SizeLimits, tooLarge } from "../limits.ts";
import { PackageWriter } from "../package-writer.ts";
import { isPromised, type Unpacked, unpack } from "../tarball/unpack.ts";
import { type Release, refusalOf } from "./packument.ts";
import { get } from "./request.ts";
import type { RegistrySettings } from "./settings.ts";
import { cachedTarball, TarballCopy } from "./tarball-cache.ts";

export interface ReleaseToDownload {
  /** `review 1.0.0`, for messages. */
  readonly what: string;
  readonly release: Release;
  /** The integrity in the lock. */
  readonly locked?: string | undefined;
  /** Where its files go; anything there is removed. */
  readonly folder: string;
  readonly limits: SizeLimits;
  readonly settings: RegistrySettings;
  readonly context: Context;
}

interface Downloaded {
  readonly unpacked: Unpacked;
  /** `sha512-…`, computed from the bytes. */
  readonly integrity: string;
  readonly leftOut: readonly string[];
}

/** Takes a release from the user's cache or from the registry, and compares its bytes with the registry's checksum. */
export async function downloadRelease(download: ReleaseToDownload): Promise<Downloaded> {
  const { what, release, folder, limits, settings, context } = download;
  if ((release.files ?? 0) > limits.files || (release.bytes ?? 0) > limits.bytes) throw tooLarge(what, limits);
  const promised = release.integrity ?? download.locked;
  // Without one, whoever answers for the tarball's address decides what is installed.
  if (promised === undefined) {
    throw new HugoError("integrity-mismatch", {
      message: `The registry has no checksum for ${what}, so Hugo cannot verify the download`,
      hint: "Nothing was installed. Publish the package again, or fix the registry: npm's own lists dist.integrity for every release.",
    });
  }
  const receive = async (body: AsyncIterable<Buffer>): Promise<Downloaded> => {
    // Each attempt starts anew.
    rmSync(folder, { recursive: true, force: true });
    const writer = new PackageWriter(folder, what, limits);
    const unpacked = await unpack(body, writer, `The tarball of ${what}`);
    if (!isPromised(unpacked, promised)) {
      throw new HugoError("integrity-mismatch", {
        message: `The tarball of ${what} does not match the registry's checksum`,
        hint: "Nothing was installed. Try again; if this keeps happening, something is altering the download.",
      });
    }
    return { unpacked, integrity: `sha512-${unpacked.digests.get("sha512")}`, leftOut: writer.finish() };
  };
  const cached = cachedTarball(context, promised);
  if (cached !== undefined && existsSync(cached)) {
    try {
      return await receive(createReadStream(cached));
    } catch (error) {
      // Damaged in the cache, or pruned at this moment: the registry's copy counts.
      const isDamaged = error instanceof HugoError && error.code === "integrity-mismatch";
      if (!isDamaged && (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      rmSync(cached, { force: true });
    }
  }
  context.user.progress(`Downloading ${what}`);
  const url = release.tarball;
  return await get({ url, settings, context }, async (status, body) => {
    if (status !== 200) throw refusalOf(status, `the tarball for ${what}`, url);
    if (cached === undefined) return await receive(body);
    const copy = new TarballCopy(cached);
    try {
      const downloaded = await receive(copy.through(body));
      copy.keep();
      return downloaded;
    } finally {
      copy.end();
    }
  });
}
