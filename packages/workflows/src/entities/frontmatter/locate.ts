// Where things stand in the YAML of a file.

import { parseYamlDocument, yaml } from "./read-yaml.ts";

const KEY = /^(?:"([^"\n]*)"[ \t]*|'([^'\n]*)'[ \t]*|([^\s"'#:[\]{}][^:\n]*)):(?=\s|$)/gm;
const MOST_KEYS = 100;

/** A place in a file. Both are 1-based; `column` counts UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The YAML of a frontmatter starts right after the first line of its file. */
export function positionInFile(yaml: string, offset: number): Position {
  // A negative index would be taken as 0, and find a newline that comes after.
  const lineStart = offset === 0 ? 0 : yaml.lastIndexOf("\n", offset - 1) + 1;
  let line = 2;
  for (let at = yaml.indexOf("\n"); at !== -1 && at < lineStart; at = yaml.indexOf("\n", at + 1)) line += 1;
  return { line, column: offset - lineStart + 1 };
}

/** What look like the top-level keys of a YAML text, valid or not, with the offset of each. */
export function topLevelKeys(yaml: string): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  for (const { 1: double, 2: single, 3: plain, index } of yaml.matchAll(KEY)) {
    const key = double ?? single ?? plain?.trimEnd() ?? "";
    if (!keys.has(key)) keys.set(key, index);
    if (keys.size === MOST_KEYS) break;
  }
  return keys;
}

export type KeyPath = readonly (string | number)[];

/** Where a key or a list item stands in the YAML text, and what is written there if its value is a scalar or a `[list]` or `{map}` in brackets. */
export interface Located {
  readonly offset: number;
  readonly text?: string;
}

/** Only diagnostics ask for places, so a place costs a second parse, when it is asked for. */
export function locate(text: string, path: KeyPath): Located | undefined {
  const { isCollection, isMap, isNode, isPair, isScalar, isSeq } = yaml();
  let node: unknown = parseYamlDocument(text).contents;
  let offset: number | undefined;
  for (const step of path) {
    let found: unknown;
    if (isMap(node)) found = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
    else if (isSeq(node)) found = node.items[Number(step)];
    const at = isPair(found) ? found.key : found;
    node = isPair(found) ? found.value : found;
    offset = isNode(at) ? at.range?.[0] : undefined;
    if (offset === undefined) return undefined;
  }
  if (offset === undefined) return undefined;
  if (isScalar(node) && typeof node.source === "string") return { offset, text: node.source };
  if (isCollection(node) && node.flow === true && node.range)
    return { offset, text: text.slice(node.range[0], node.range[1]) };
  return { offset };
}
