// Ranges as npm reads them: `^1.2.0`, `~1.2`, `1.x`, `>=1 <3`, `1.2 - 2`, several with `||` between them.
import { identifiers, orderOf, parseVersion, type Version } from "./version.ts";

interface Bound {
  readonly operator: "<" | "<=" | ">" | ">=" | "=";
  readonly version: Version;
}

/** Whether a version lies in a range. A prerelease does only if the range names one of the same three numbers. */
export function isInRange(text: string, range: string): boolean {
  const version = parseVersion(text);
  if (version === undefined) return false;
  return range.split("||").some((part) => meets(version, boundsOf(part.trim())));
}

function meets(version: Version, bounds: readonly Bound[]): boolean {
  if (!bounds.every((bound) => isWithin(version, bound))) return false;
  if (version.prerelease.length === 0) return true;
  const isNamed = (bound: Bound): boolean =>
    bound.version.prerelease.length > 0 && bound.version.numbers.every((number, i) => number === version.numbers[i]);
  return bounds.some(isNamed);
}

function isWithin(version: Version, { operator, version: limit }: Bound): boolean {
  const order = orderOf(version, limit);
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "=":
      return order === 0;
  }
}

function boundsOf(part: string): Bound[] {
  const [, from, to] = /^(\S+) +- +(\S+)$/.exec(part) ?? [];
  if (from !== undefined && to !== undefined) return [...comparator(">=", from), ...comparator("<=", to)];
  const comparators = part.matchAll(/(\^|~|[<>]=?|=)? *([^\s<>=~^]+)/g);
  return [...comparators].flatMap(([, operator = "", version = ""]) => comparator(operator, version));
}

/** Up to three numbers: those behind an `x` or `*`, or left out, are free. */
interface Partial {
  readonly numbers: readonly number[];
  readonly prerelease: Version["prerelease"];
}

function partialOf(text: string): Partial {
  const [, core = "", prerelease] = /^v?([^-+]+)(?:-([^+]+))?/i.exec(text) ?? [];
  const parts = core.split(".");
  const free = parts.findIndex((part) => !/^\d+$/.test(part));
  return { numbers: parts.slice(0, free === -1 ? 3 : free).map(Number), prerelease: identifiers(prerelease) };
}

const NOTHING: Bound = { operator: "<", version: { numbers: [0, 0, 0], prerelease: [0] } };

function comparator(operator: string, text: string): Bound[] {
  const { numbers, prerelease } = partialOf(text);
  const lowest: Version = { numbers: filled(numbers), prerelease };
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

function filled([major = 0, minor = 0, patch = 0]: readonly number[]): Version["numbers"] {
  return [major, minor, patch];
}

/** The first of all versions in which the number at `position` is one higher. */
function above(numbers: readonly number[], position: number): Version {
  const raised = numbers.slice(0, position + 1).map((number, i) => (i === position ? number + 1 : number));
  return { numbers: filled(raised), prerelease: [0] };
}
