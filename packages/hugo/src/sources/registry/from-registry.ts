import { rmSync } from "node:fs";
import { HugoError } from "../../errors.ts";
import type { Obtained, ObtainOptions } from "../fetched.ts";
import { minimumReleaseAge, tooLarge } from "../limits.ts";
import type { RegistrySource } from "../package-source.ts";
import { PackageWriter } from "../package-writer.ts";
import { isPromised, unpack } from "../tarball/unpack.ts";
import { registrySettings } from "./approved-settings.ts";
import { chooseVersion } from "./choose-version.ts";
import { readPackument, refusalOf } from "./packument.ts";
import { get } from "./request.ts";

/** Chooses a release, downloads it and compares its bytes with the checksums of the registry and the lock. */
export async function fromRegistry(source: RegistrySource, options: ObtainOptions): Promise<Obtained> {
  const { context, exactly, allowNew, folder, limits } = options;
  context.user.progress(`Asking the registry for ${source.name}`);
  const usualAge = minimumReleaseAge(context.env);
  // The locked version was old enough, or accepted knowingly, when the lock was written.
  const rule = { now: Date.now(), minimumAge: allowNew || exactly !== undefined ? 0 : usualAge };
  const settings = await registrySettings(context);
  const packument = await readPackument(source.name, settings, context);
  const wanted = exactly === undefined ? source.wanted : ({ kind: "version", text: exactly.version } as const);
  const { version, notices } = chooseVersion(packument, wanted, rule);
  const what = `${source.name} ${version}`;
  const release = packument.release(version);
  if (release === undefined) {
    throw new HugoError("network-failed", {
      message: `The registry does not say where ${what} can be downloaded`,
      hint: "If this keeps happening, the registry in your npm settings may not be an npm registry.",
    });
  }
  // Without one, whoever answers for the tarball's address decides what is installed. The lock has its own.
  if (release.integrity === undefined && exactly?.integrity === undefined) {
    throw new HugoError("integrity-mismatch", {
      message: `The registry has no checksum for ${what}, so Hugo cannot verify the download`,
      hint: "Nothing was installed. Publish the package again, or fix the registry: npm's own lists dist.integrity for every release.",
    });
  }
  if ((release.files ?? 0) > limits.files || (release.bytes ?? 0) > limits.bytes) throw tooLarge(what, limits);

  context.user.progress(`Downloading ${what}`);
  const url = release.tarball;
  const { unpacked, leftOut } = await get({ url, settings, context }, async (status, body) => {
    if (status !== 200) throw refusalOf(status, `the tarball for ${what}`, url);
    // Each attempt starts anew.
    rmSync(folder, { recursive: true, force: true });
    const writer = new PackageWriter(folder, what, limits);
    return { unpacked: await unpack(body, writer, `The tarball of ${what}`), leftOut: writer.finish() };
  });
  if (exactly?.integrity !== undefined && !isPromised(unpacked, exactly.integrity)) {
    throw new HugoError("integrity-mismatch", {
      message: `The registry's copy of ${what} does not match the lock`,
      hint: "Nothing was installed. The release was replaced: find out who replaced it and why before you trust it.",
    });
  }
  if (release.integrity !== undefined && !isPromised(unpacked, release.integrity)) {
    throw new HugoError("integrity-mismatch", {
      message: `The tarball of ${what} does not match the registry's checksum`,
      hint: "Nothing was installed. Try again; if this keeps happening, something is altering the download.",
    });
  }
  const integrity = `sha512-${unpacked.digests.get("sha512")}`;
  return { version, integrity, notices: [...settings.notices, ...notices, ...leftOut] };
}
