import { HugoError } from "../../errors.ts";
import type { FetchOptions } from "../fetched.ts";
import { minimumReleaseAge, type SizeLimits, tooLarge } from "../limits.ts";
import type { RegistrySource } from "../package-source.ts";
import type { PackageWriter } from "../package-writer.ts";
import { isPromised, type Unpacked, unpack } from "../tarball/unpack.ts";
import { type AgeRule, chooseVersion } from "./choose-version.ts";
import { type Release, readPackument, refusalOf } from "./packument.ts";
import { get } from "./request.ts";
import { type RegistrySettings, readRegistrySettings } from "./settings.ts";

export interface Downloaded {
  readonly version: string;
  readonly integrity: string;
  readonly notices: readonly string[];
}

type Options = Omit<FetchOptions, "into">;

/** Chooses a release, downloads it and compares its bytes with what the registry and the lock promise. */
export async function downloadRelease(
  source: RegistrySource,
  options: Options,
  /** Called anew for each attempt. */
  newWriter: (what: string) => PackageWriter,
  limits: SizeLimits,
): Promise<Downloaded> {
  const { context, exactly } = options;
  context.person.progress(`Asking the registry for ${source.name}`);
  const rule = ruleFor(options);
  const settings = readRegistrySettings(context);
  const packument = await readPackument(source.name, settings, context);
  const wanted = exactly === undefined ? source.wanted : ({ kind: "version", text: exactly.version } as const);
  const { version, notices } = chooseVersion(packument, wanted, rule);
  const what = `${source.name} ${version}`;
  const release = packument.release(version);
  if (release === undefined) throw withoutTarball(what);
  if ((release.files ?? 0) > limits.files || (release.bytes ?? 0) > limits.bytes) throw tooLarge(what, limits);

  context.person.progress(`Downloading ${what}`);
  const { unpacked, leftOut } = await download(release, what, settings, options, newWriter);
  checkPromises(unpacked, what, release.integrity, exactly?.integrity);
  const integrity = `sha512-${unpacked.digests.get("sha512")}`;
  return { version, integrity, notices: [...settings.notices, ...notices, ...leftOut] };
}

/** What the lock holds was old enough, or taken knowingly, when it was written. */
function ruleFor({ exactly, allowNew, context }: Options): AgeRule {
  const minimumAge = minimumReleaseAge(context.env);
  return { now: Date.now(), minimumAge: allowNew || exactly !== undefined ? 0 : minimumAge };
}

interface Arrived {
  readonly unpacked: Unpacked;
  readonly leftOut: readonly string[];
}

async function download(
  { tarball: url }: Release,
  what: string,
  settings: RegistrySettings,
  { context }: Options,
  newWriter: (what: string) => PackageWriter,
): Promise<Arrived> {
  return await get({ url, settings, context }, async (status, body) => {
    if (status !== 200) throw refusalOf(status, `the tarball of ${what}`, url);
    const writer = newWriter(what);
    const unpacked = await unpack(body, writer, `The tarball of ${what}`);
    return { unpacked, leftOut: writer.finish() };
  });
}

function checkPromises(
  unpacked: Unpacked,
  what: string,
  ofRegistry: string | undefined,
  ofLock: string | undefined,
): void {
  if (ofLock !== undefined && !isPromised(unpacked, ofLock)) {
    throw new HugoError("integrity-mismatch", {
      message: `The registry gives other bytes for ${what} than those in the lock`,
      hint: "Nothing was installed. Somebody replaced the release: find out who and why before you trust it.",
    });
  }
  if (ofRegistry !== undefined && !isPromised(unpacked, ofRegistry)) {
    throw new HugoError("integrity-mismatch", {
      message: `The tarball of ${what} is not the one that the registry promises`,
      hint: "Nothing was installed. Try again; if it stays, somebody changes it on its way.",
    });
  }
}

function withoutTarball(what: string): HugoError {
  return new HugoError("network-failed", {
    message: `The registry does not say where ${what} can be downloaded`,
    hint: "If it stays, the registry in your npm settings is no npm registry.",
  });
}
