/** A version as semver.org has it; what follows a "+" has no say in anything. */
export interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** `["beta", 2]` of `1.0.0-beta.2`. */
  readonly prerelease: readonly (string | number)[];
}

const VERSION = /^v?(\d{1,16})\.(\d{1,16})\.(\d{1,16})(?:-([0-9a-z.-]+))?(?:\+[0-9a-z.-]+)?$/i;

export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, prerelease] = VERSION.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { numbers: [Number(major), Number(minor), Number(patch)], prerelease: identifiers(prerelease) };
}

export function identifiers(prerelease: string | undefined): (string | number)[] {
  return (prerelease ?? "")
    .split(".")
    .flatMap((part) => (part === "" ? [] : [/^\d+$/.test(part) ? Number(part) : part]));
}

/** For `sort`: older first. Texts that are no versions come before all others. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return orderOf(left, right);
}

export function orderOf(a: Version, b: Version): number {
  for (const [i, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return orderOfPrereleases(a.prerelease, b.prerelease);
}

function orderOfPrereleases(a: Version["prerelease"], b: Version["prerelease"]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (const [i, left] of a.entries()) {
    const right = b[i];
    if (right === undefined) return 1;
    if (left === right) continue;
    if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 0;
}
