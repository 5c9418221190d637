import { HugoError } from "../../errors.ts";
import type { Obtained, ObtainOptions } from "../fetched.ts";
import { minimumReleaseAge } from "../limits.ts";
import type { RegistrySource } from "../package-source.ts";
import { isPromised } from "../tarball/unpack.ts";
import { registrySettings } from "./approved-settings.ts";
import { ALLOW_NEW, chooseVersion, NO_MINIMUM_AGE } from "./choose-version.ts";
import { downloadRelease } from "./download-release.ts";
import { GONE, readPackument } from "./packument.ts";

/** Chooses a release, downloads it and compares its bytes with the checksums of the registry and the lock. */
export async function fromRegistry(source: RegistrySource, options: ObtainOptions): Promise<Obtained> {
  const { context, exactly, allowNew, folder, limits } = options;
  context.user.progress(`Asking the registry for ${source.name}`);
  const usualAge = minimumReleaseAge(context.env);
  // The locked version was old enough, or accepted knowingly, when the lock was written.
  const minimumAge = allowNew || exactly !== undefined ? 0 : usualAge;
  const rule = { now: Date.now(), minimumAge, remedy: allowNew === undefined ? NO_MINIMUM_AGE : ALLOW_NEW };
  const settings = await registrySettings(context);
  const packument = await readPackument(source.name, settings, context, exactly && GONE);
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
  const locked = exactly?.integrity;
  const { name } = source;
  const downloaded = await downloadRelease({ name, version, release, locked, folder, limits, settings, context });
  const { unpacked, integrity, leftOut } = downloaded;
  if (locked !== undefined && !isPromised(unpacked, locked)) {
    throw new HugoError("integrity-mismatch", {
      message: `The registry's copy of ${what} does not match the lock`,
      hint: "Nothing was installed. The release was replaced: find out who replaced it and why before you trust it.",
    });
  }
  return { version, integrity, notices: [...settings.notices, ...notices, ...leftOut] };
}
