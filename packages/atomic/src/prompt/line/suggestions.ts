// Which entries fit what was typed, best first.

/** One thing that can be typed after a slash. */
export interface PromptEntry {
  /** In lower case, without the slash. */
  readonly name: string;
  readonly kind: "command" | "skill" | "agent" | "workflow" | "own";
  readonly description: string;
  readonly aliases: readonly string[];
  /** What follows the name; undefined if nothing is known, empty if nothing does. May be looked up when it is read. */
  readonly hint: string | undefined;
}

/** Something that has no entry, because of its name. */
export interface LeftOut {
  readonly name: string;
  readonly because: "has spaces" | "cannot be typed" | "is taken";
}

/** Everything that can be typed, in the order in which equally good matches are shown. */
export interface Catalog {
  readonly entries: readonly PromptEntry[];
  /** By name or alias, in any case. */
  find(name: string): PromptEntry | undefined;
  /** What cannot be typed. */
  readonly leftOut?: readonly LeftOut[];
}

/** @param uses How often each name was used; those used most come first. */
export function catalogOf(
  entries: readonly PromptEntry[],
  uses: ReadonlyMap<string, number> = new Map(),
  leftOut: readonly LeftOut[] = [],
): Catalog {
  const sorted = [...entries].sort(
    (a, b) => (uses.get(b.name) ?? 0) - (uses.get(a.name) ?? 0) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  const names = new Map<string, PromptEntry>();
  for (const entry of sorted) {
    for (const alias of entry.aliases) if (!names.has(alias.toLowerCase())) names.set(alias.toLowerCase(), entry);
  }
  for (const entry of sorted) names.set(entry.name, entry);
  return { entries: sorted, find: (name) => names.get(name.toLowerCase()), leftOut };
}

/** The name itself, its beginning, that of another name, the beginning of one of its words, any part of it, its letters in this order. */
const ranks = { exact: 0, prefix: 1, alias: 2, word: 3, part: 4, letters: 5 } as const;
/** More letters in between than this are all the same. */
const widestGap = 30;

/**
 * The entries that match, best first: by how they match, then by how often they are used, then by name.
 *
 * @param how With `prefix`, only names that begin with what was typed.
 */
export function suggest(
  { entries }: Catalog,
  typed: string,
  how: "prefix" | "fuzzy" = "fuzzy",
): readonly PromptEntry[] {
  // A slash alone, which every list begins with.
  if (typed === "") return entries;
  const query = typed.toLowerCase();
  const found: PromptEntry[][] = [];
  for (const entry of entries) {
    let rank = rankOf(entry.name, query);
    for (const alias of entry.aliases) {
      const other = rankOf(alias.toLowerCase(), query);
      // It is not shown, so those that show what was typed come first.
      rank = Math.min(rank, other === ranks.prefix ? ranks.alias : other);
    }
    if (rank > (how === "prefix" ? ranks.alias : ranks.letters + widestGap)) continue;
    const same = found[rank];
    if (same === undefined) found[rank] = [entry];
    else same.push(entry);
  }
  // Faster than `flat` for a long list.
  return ([] as PromptEntry[]).concat(...found.filter((same) => same !== undefined));
}

/** Whether a name of the entry begins with this, or one of the name's words does: a mistyped name only has its letters. */
export function isNamedBy({ name, aliases }: PromptEntry, typed: string): boolean {
  const query = typed.toLowerCase();
  return [name, ...aliases].some((each) => rankOf(each.toLowerCase(), query) <= ranks.word);
}

function rankOf(name: string, query: string): number {
  if (name.startsWith(query)) return name.length === query.length ? ranks.exact : ranks.prefix;
  const at = name.indexOf(query);
  if (at !== -1) {
    for (let part = at; part !== -1; part = name.indexOf(query, part + 1)) {
      if ("-_:/. ".includes(name[part - 1] ?? "")) return ranks.word;
    }
    return ranks.part;
  }
  // One letter that is somewhere in a name is not what was meant.
  if (query.length < 2) return Number.POSITIVE_INFINITY;
  let [from, gap, last] = [0, 0, -1];
  for (const letter of query) {
    const next = name.indexOf(letter, from);
    if (next === -1) return Number.POSITIVE_INFINITY;
    if (last !== -1) gap += next - last - 1;
    last = next;
    from = next + 1;
  }
  return ranks.letters + Math.min(gap, widestGap);
}
