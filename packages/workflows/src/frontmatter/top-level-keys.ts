const KEY = /^(?:"([^"\n]*)"[ \t]*|'([^'\n]*)'[ \t]*|([^\s"'#:[\]{}][^:\n]*)):(?=\s|$)/gm;
const MOST = 100;

/** What look like the top-level keys of a YAML text, valid or not, with the offset of each. */
export function topLevelKeys(yaml: string): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  for (const { 1: double, 2: single, 3: plain, index } of yaml.matchAll(KEY)) {
    const key = double ?? single ?? plain?.trimEnd() ?? "";
    if (!keys.has(key)) keys.set(key, index);
    if (keys.size === MOST) break;
  }
  return keys;
}
