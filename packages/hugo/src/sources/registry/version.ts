/** A version as semver.org defines it; what follows a "+" is ignored. */
interface Version {
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

function identifiers(prerelease: string | undefined): (string | number)[] {
  return (prerelease ?? "")
    .split(".")
    .flatMap((part) => (part === "" ? [] : [/^\d+$/.test(part) ? Number(part) : part]));
}

/** For `sort`: older first. Texts that are not versions come before all others. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return orderOf(left, right);
}

function orderOf(a: Version, b: Version): number {
  for (const [i, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  const [before, after] = [a.prerelease, b.prerelease];
  if (before.length === 0 || after.length === 0) return Math.sign(after.length - before.length);
  for (const [i, left] of before.entries()) {
    const right = after[i];
    if (right === undefined) return 1;
    if (left === right) continue;
    if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return before.length < after.length ? -1 : 0;
}

interface Bound {
  readonly operator: "<" | "<=" | ">" | ">=" | "=";
  readonly version: Version;
}

/**
 * Whether a version is in a range as npm reads it: `^1.2.0`, `~1.2`, `1.x`, `>=1 <3`, `1.2 - 2`, several with `||`
 * between them. A prerelease counts only if the range names one with the same three numbers.
 */
export function isInRange(text: string, range: string): boolean {
  const version = parseVersion(text);
  if (version === undefined) return false;
  return range.split("||").some((part) => {
    const [, from, to] = /^(\S+) +- +(\S+)$/.exec(part.trim()) ?? [];
    const bounds =
      from !== undefined && to !== undefined
        ? [...comparator(">=", from), ...comparator("<=", to)]
        : [...part.matchAll(/(\^|~|[<>]=?|=)? *([^\s<>=~^]+)/g)].flatMap(([, operator = "", limit = ""]) =>
            comparator(operator, limit),
          );
    const isWithin = bounds.every(({ operator, version: limit }) => {
      const order = orderOf(version, limit);
      if (order === 0) return operator.endsWith("=");
      return operator.startsWith(order < 0 ? "<" : ">");
    });
    if (!isWithin || version.prerelease.length === 0) return isWithin;
    return bounds.some(({ version: { numbers, prerelease } }) => {
      return prerelease.length > 0 && numbers.every((number, i) => number === version.numbers[i]);
    });
  });
}

const NOTHING: Bound = { operator: "<", version: { numbers: [0, 0, 0], prerelease: [0] } };

function comparator(operator: string, text: string): Bound[] {
  const [, core = "", tag] = /^v?([^-+]+)(?:-([^+]+))?/i.exec(text) ?? [];
  // Up to three numbers: those after an `x` or `*`, or left out, are free.
  const parts = core.split(".");
  const free = parts.findIndex((part) => !/^\d+$/.test(part));
  const numbers = parts.slice(0, free === -1 ? 3 : free).map(Number);
  const prerelease = identifiers(tag);
  const [major = 0, minor = 0, patch = 0] = numbers;
  const lowest: Version = { numbers: [major, minor, patch], prerelease };
  if (numbers.length === 0) return operator === "<" || operator === ">" ? [NOTHING] : [];
  const next = (position: number): Bound => ({ operator: "<", version: above(numbers, position) });
  const last = numbers.length - 1;
  switch (operator) {
    case "^": {
      const firstUsed = numbers.findIndex((number) => number > 0);
      return [{ operator: ">=", version: lowest }, next(firstUsed === -1 ? last : firstUsed)];
    }
    case "~":
      return [{ operator: ">=", version: lowest }, next(Math.min(last, 1))];
    case ">":
      if (last < 2) return [{ operator: ">=", version: { ...above(numbers, last), prerelease: [] } }];
      return [{ operator, version: lowest }];
    case "<":
      return [{ operator, version: last < 2 ? { ...lowest, prerelease: [0] } : lowest }];
    case ">=":
      return [{ operator, version: lowest }];
    case "<=":
      return last < 2 ? [next(last)] : [{ operator, version: lowest }];
    default:
      return last < 2 ? [{ operator: ">=", version: lowest }, next(last)] : [{ operator: "=", version: lowest }];
  }
}

/** The lowest version in which the number at `position` is one higher. */
function above(numbers: readonly number[], position: number): Version {
  const raised = numbers.slice(0, position + 1).map((number, i) => (i === position ? number + 1 : number));
  const [major = 0, minor = 0, patch = 0] = raised;
  return { numbers: [major, minor, patch], prerelease: [0] };
}
