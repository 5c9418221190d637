import type { Entry } from "./timeline.ts";

export interface Group {
  readonly entry: Entry;
  readonly count: number;
}

/** A model that tries the same again and again is shown once, with how often. */
export function grouped(entries: readonly Entry[]): readonly Group[] {
  const groups: { entry: Entry; count: number }[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && isRepeated(last.entry, entry)) last.count += 1;
    else groups.push({ entry, count: 1 });
  }
  return groups;
}

function isRepeated(a: Entry, b: Entry): boolean {
  if (a.type !== "call-refused" || b.type !== "call-refused") return false;
  return a.what === b.what && a.detail === b.detail && a.phase === b.phase && a.isIgnored === b.isIgnored;
}
