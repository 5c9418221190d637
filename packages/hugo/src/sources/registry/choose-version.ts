import { HugoError } from "../../errors.ts";
import type { RegistryVersions } from "../fetched.ts";
import type { WantedVersion } from "../package-source.ts";
import { compareVersions, isInRange, parseVersion } from "./version.ts";

/** For commands with this option. */
export const ALLOW_NEW = "add --allow-new";
/** For commands that install only what was approved before. */
export const NO_MINIMUM_AGE = "set HUGO_MINIMUM_RELEASE_AGE=0";

export interface AgeRule {
  readonly now: number;
  /** Milliseconds; 0 accepts everything. */
  readonly minimumAge: number;
  /** How the user can install a newer release, after "To install it now,". */
  readonly remedy: string;
}

interface ChosenVersion {
  readonly version: string;
  readonly notices: readonly string[];
}

/**
 * The version that npm would choose, among those that are old enough. A newer release, or one whose age the registry
 * does not report, is never chosen silently.
 *
 * @param installed Versions that were accepted before, whatever their age: nothing older is chosen than the newest that will do.
 */
export function chooseVersion(
  known: RegistryVersions,
  wanted: WantedVersion,
  rule: AgeRule,
  installed: readonly string[] = [],
): ChosenVersion {
  const { name, times } = known;
  const { now, minimumAge, remedy } = rule;
  const all = inOrderOfChoice(known, wanted);
  const accepted = all
    .filter((version) => installed.includes(version))
    .sort(compareVersions)
    .at(-1);
  const candidates = all.filter((version) => accepted === undefined || compareVersions(version, accepted) >= 0);
  const [best] = candidates;
  if (best === undefined) {
    const { kind, text } = wanted;
    const newest = known.versions.slice(-8).reverse();
    const tags = [...known.tags.keys()];
    const what = { version: `version ${text}`, range: `version in the range ${text}`, tag: `tag ${text}` }[kind];
    const [noun, all] = kind === "tag" && tags.length > 0 ? ["tag", tags] : ["version", newest];
    const several = `Its ${noun === "tag" ? "tags" : "newest versions"} are ${all.join(", ")}`;
    const has = all.length === 1 ? `Its only ${noun} is ${all[0]}` : several;
    const isCut = known.versions.length > newest.length && kind !== "tag";
    const isEmpty = newest.length === 0;
    throw new HugoError("version-not-found", {
      message: isEmpty ? `${name} has no installable version` : `${name} has no ${what}`,
      hint: isEmpty ? "Its author has unpublished every version." : `${has}${isCut ? ", …" : "."}`,
    });
  }
  if (minimumAge === 0) return { version: best, notices: [] };
  if (accepted === undefined && !candidates.some((version) => times.has(version)))
    throw ageUnknown(known, best, remedy);
  const version = candidates.find((candidate) => {
    if (candidate === accepted) return true;
    const published = times.get(candidate);
    return published !== undefined && now - published.getTime() >= minimumAge;
  });
  if (version === best) return { version, notices: [] };
  const published = times.get(best);
  let age = "has no publication date";
  let oldEnough: string | undefined;
  if (published !== undefined) {
    const minutes = (now - published.getTime()) / 60_000;
    age = minutes < 1 ? "was published just now" : `was published ${spanOf(now - published.getTime())} ago`;
    const at = new Date(published.getTime() + minimumAge).toISOString();
    oldEnough = `${at.slice(0, 16).replace("T", " ")} UTC`;
  }
  if (version === undefined) {
    throw new HugoError("release-too-new", {
      message: `${name} ${best} ${age}; Hugo waits ${spanOf(minimumAge)} before installing a new release`,
      hint: `${oldEnough === undefined ? "" : `It will be old enough at ${oldEnough}. `}To install it now, ${remedy}.`,
    });
  }
  const waiting = oldEnough === undefined ? "" : ` or wait until ${oldEnough}`;
  const notice = `Hugo chose ${name} ${version} over ${best}, which ${age}. To install ${best}, ${remedy}${waiting}.`;
  return { version, notices: [notice] };
}

/** The candidates, best first. */
function inOrderOfChoice(known: RegistryVersions, { kind, text }: WantedVersion): string[] {
  if (kind === "version") return known.versions.filter((version) => version === text);
  const latest = known.tags.get("latest");
  if (kind === "tag" && text !== "latest") return [known.tags.get(text)].filter((version) => version !== undefined);
  const rest = known.versions.filter((version) => {
    if (kind === "range") return isInRange(version, text);
    // Replaces `latest` when that is too new: nothing newer, and no prerelease.
    if (latest === undefined || version === latest) return version === latest;
    return compareVersions(version, latest) < 0 && parseVersion(version)?.prerelease.length === 0;
  });
  const rank = (version: string): number => (version === latest ? 2 : known.deprecated.has(version) ? 0 : 1);
  return rest.sort((a, b) => rank(b) - rank(a) || compareVersions(b, a));
}

/** Refuses a version whose age the registry does not report. */
function ageUnknown(known: RegistryVersions, version: string, remedy: string): HugoError {
  return new HugoError("release-too-new", {
    message: `The registry does not say when ${known.name} ${version} was published, so Hugo cannot tell whether it is old enough`,
    hint: `To install it anyway, ${remedy === NO_MINIMUM_AGE ? "" : `${remedy}, or `}${NO_MINIMUM_AGE} for this registry.`,
  });
}

function spanOf(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  const [amount, unit] =
    minutes < 120
      ? [minutes, "minute"]
      : minutes < 2880
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / 1440), "day"];
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}
