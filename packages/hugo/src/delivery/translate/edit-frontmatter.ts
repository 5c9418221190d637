import { type Frontmatter, parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { splitFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/split";

/** The new lines and value of a key; without a value, the key goes. */
export interface KeyEdit {
  /** Of the key that takes the place of this one; may be the same. */
  readonly key: string;
  readonly lines: readonly string[];
  readonly value: unknown;
}

export interface FrontmatterEdits {
  /** By the key that stands there now; undefined removes it. */
  readonly replaced: ReadonlyMap<string, KeyEdit | undefined>;
  readonly added: readonly KeyEdit[];
}

/**
 * Replaces whole lines of the frontmatter and leaves every other byte alone, so that versions can still be merged.
 * Undefined if the result would not say exactly what is wanted: of lines that belong together in some other way.
 */
export function editFrontmatter(text: string, matter: Frontmatter, edits: FrontmatterEdits): string | undefined {
  const { replaced, added } = withRecovered(matter, edits);
  if (replaced.size === 0 && added.length === 0) return text;
  const split = splitFrontmatter(text);
  if (split.kind !== "present") return undefined;
  const lines = split.yaml.split("\n");
  const end = lines.pop() === "" ? lines.length : -1;
  const starts = linesOfKeys(matter);
  if (starts === undefined || end === -1) return undefined;
  const ending = split.yaml.endsWith("\r\n") || /^\ufeff?---[^\S\r\n]*\r\n/.test(text) ? "\r" : "";
  const owners = ownersOf(starts, lines);
  const kept = lines.flatMap((line, i): string[] => {
    const key = owners[i];
    if (key === undefined || !replaced.has(key)) return [line];
    return starts.get(key) === i ? withEnding(replaced.get(key)?.lines ?? [], ending) : [];
  });
  const yaml = [...kept, ...added.flatMap((edit) => withEnding(edit.lines, ending))]
    .map((line) => `${line}\n`)
    .join("");
  const edited = text.slice(0, split.yamlStart) + yaml + text.slice(split.yamlStart + split.yaml.length);
  return saysExactly(edited, wanted(matter, { replaced, added })) ? edited : undefined;
}

/** What Claude Code takes for text though it is no YAML has to be written as text. */
function withRecovered(
  { recoveredKeys, values }: Frontmatter,
  { replaced, added }: FrontmatterEdits,
): FrontmatterEdits {
  const quoted = recoveredKeys.map((key): [string, KeyEdit] => {
    const value = String(values[key]);
    return [key, { key, lines: [`${key}: '${value.replaceAll("'", "''")}'`], value }];
  });
  return { replaced: new Map([...quoted, ...replaced]), added };
}

/** The line of each key, from 0, in their order; undefined if some key has no line of its own. */
function linesOfKeys(matter: Frontmatter): Map<string, number> | undefined {
  const starts: [string, number][] = [];
  for (const key of Object.keys(matter.values)) {
    const position = matter.positionOf([key]);
    if (position?.column !== 1) return undefined;
    starts.push([key, position.line - 2]);
  }
  return new Map(starts.sort(([, a], [, b]) => a - b));
}

/** The key that each line belongs to. Comments and blank lines in front of the next key belong to none. */
function ownersOf(starts: ReadonlyMap<string, number>, lines: readonly string[]): (string | undefined)[] {
  const owners: (string | undefined)[] = lines.map(() => undefined);
  const firsts = [...starts.values()];
  for (const [i, [key, start]] of [...starts].entries()) {
    let end = firsts[i + 1] ?? lines.length;
    while (end > start + 1 && /^(?:#|\s*$)/.test(lines[end - 1] ?? "")) end -= 1;
    owners.fill(key, start, end);
  }
  return owners;
}

function withEnding(lines: readonly string[], ending: string): string[] {
  return lines.map((line) => `${line}${ending}`);
}

function wanted({ values }: Frontmatter, { replaced, added }: FrontmatterEdits): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (!replaced.has(key)) return [[key, value]];
    const edit = replaced.get(key);
    return edit === undefined ? [] : [[edit.key, edit.value]];
  });
  return Object.fromEntries([...entries, ...added.map(({ key, value }): [string, unknown] => [key, value])]);
}

function saysExactly(text: string, values: Record<string, unknown>): boolean {
  const matter = parseFrontmatter(text);
  return matter.complete && JSON.stringify(matter.values) === JSON.stringify(values);
}
