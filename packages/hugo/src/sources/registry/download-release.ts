import { createReadStream, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { type SizeLimits, tooLarge } from "../limits.ts";
import { PackageWriter } from "../package-writer.ts";
import { isPromised, type Unpacked, unpack } from "../tarball/unpack.ts";
import { GONE, objectOrEmpty, type Release, refusalOf } from "./packument.ts";
import { get } from "./request.ts";
import type { RegistrySettings } from "./settings.ts";
import { cachedTarball, TarballCopy } from "./tarball-cache.ts";
import { compareVersions } from "./version.ts";

export interface ReleaseToDownload {
  readonly name: string;
  readonly version: string;
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
  /** Its package.json, as the tarball has it. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Takes a release from the user's cache or from the registry, and compares its bytes with the registry's checksum. */
export async function downloadRelease(download: ReleaseToDownload): Promise<Downloaded> {
  const { name, version, release, folder, limits, settings, context } = download;
  const what = `${name} ${version}`;
  if ((release.files ?? 0) > limits.files || (release.bytes ?? 0) > limits.bytes) throw tooLarge(what, limits);
  const promised = release.integrity ?? download.locked;
  // Without one, the server at the tarball's address decides what is installed.
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
    const leftOut = writer.finish();
    const manifest = manifestIn(folder);
    // One package, or an old version of it, could pose as another.
    if (manifest.name !== name || compareVersions(String(manifest.version), version) !== 0) {
      const [ownName, ownVersion] = [manifest.name ?? "nothing", manifest.version ?? "without a version"].map(String);
      throw new HugoError("package-unsafe", {
        message: `${what} from the registry calls itself ${shown(ownName!)} ${ownVersion} in its package.json`,
        hint: "Nothing was installed: the registry and package.json disagree.",
      });
    }
    return { unpacked, integrity: `sha512-${unpacked.digests.get("sha512")}`, leftOut, manifest };
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
    if (status !== 200) throw refusalOf(status, `the tarball for ${what}`, url, GONE);
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

/** Its package.json, whatever is wrong with it: one that is not an object has no dependencies. */
export function manifestIn(folder: string): Readonly<Record<string, unknown>> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return {};
  try {
    return objectOrEmpty(JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, "")));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
