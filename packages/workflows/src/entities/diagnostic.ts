import { codePointOrder, compareCodePoints } from "./code-point-order.ts";

/** Something to report about one file. An `error` means that its entity is disabled or missing. */
export interface Diagnostic {
  readonly severity: "error" | "warning" | "info";
  /** Stable, kebab-case, for filters and docs: `frontmatter-syntax`, `tools-unparsable`, … */
  readonly code: string;
  readonly message: string;
  readonly path?: string;
  /** 1-based, and counted from the top of the file. */
  readonly line?: number;
  readonly column?: number;
  /** What the user can do next. */
  readonly hint?: string;
}

/** By position, so a list follows the files and is the same on every machine; what is in it twice is left out. */
export function distinctInOrder<Each extends Diagnostic>(diagnostics: readonly Each[]): Each[] {
  // There may be tens of thousands, whose long paths start alike, so they are compared natively where that is possible.
  const comparePaths = codePointOrder(diagnostics.map(({ path = "" }) => path));
  const compare = (a: Each, b: Each): number =>
    comparePaths(a.path ?? "", b.path ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareCodePoints(a.code, b.code) ||
    compareCodePoints(a.message, b.message);
  const sorted = diagnostics.toSorted(compare);
  const seen = new Set<string>();
  // Only those that compare as equal can be the same, and they are next to each other now.
  return sorted.filter((each, at) => {
    const [before, after] = [sorted[at - 1], sorted[at + 1]];
    const isFirst = before === undefined || compare(before, each) !== 0;
    if (isFirst) seen.clear();
    if (isFirst && (after === undefined || compare(each, after) !== 0)) return true;
    const text = JSON.stringify(each);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}
