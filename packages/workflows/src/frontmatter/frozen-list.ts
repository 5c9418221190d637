const known = new Map<string, readonly string[]>();
const MOST = 256;

/**
 * A frozen list with these items. Many files say the same, such as the tools that they use, and one list serves them all:
 * in Bun, to freeze a list takes longer than to read it.
 */
export function frozenList<Item>(items: Item[]): readonly Item[] {
  for (const item of items) if (typeof item !== "string" || item.includes("\0")) return Object.freeze(items);
  // Without the length, no items and one empty item would be the same.
  const words = `${items.length}\0${items.join("\0")}`;
  const before = known.get(words);
  if (before !== undefined) return before as readonly Item[];
  if (known.size === MOST) known.clear();
  known.set(words, Object.freeze(items) as readonly string[]);
  return items;
}
