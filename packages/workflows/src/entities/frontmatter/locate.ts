// Positions in a file's YAML.

import { parseYamlDocument, yaml } from "./read-yaml.ts";

const KEY = /^(?:"([^"\n]*)"[ \t]*|'([^'\n]*)'[ \t]*|([^\s"'#:[\]{}][^:\n]*)):(?=\s|$)/gm;
const MOST_KEYS = 100;

/** A position in a file. Both numbers are 1-based; `column` counts UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Frontmatter's YAML starts on the second line of the file. */
export function positionInFile(yaml: string, offset: number): Position {
  // A negative index would count as 0 and find a newline after the offset.
  const lineStart = offset === 0 ? 0 : yaml.lastIndexOf("\n", offset - 1) + 1;
  let line = 2;
  for (let at = yaml.indexOf("\n"); at !== -1 && at < lineStart; at = yaml.indexOf("\n", at + 1)) line += 1;
  return { line, column: offset - lineStart + 1 };
}

/** What looks like a top-level key in a YAML text, valid or not, with its offset. */
export function topLevelKeys(yaml: string): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  for (const { 1: double, 2: single, 3: plain, index } of yaml.matchAll(KEY)) {
    const key = double ?? single ?? plain?.trimEnd() ?? "";
    if (!keys.has(key)) keys.set(key, index);
    if (keys.size === MOST_KEYS) break;
  }
  return keys;
}

const NESTED_KEY = /^( +)([A-Za-z_][\w-]*):(?=\s|$)/;

/** The offset of a key in a plain block below a top-level key, which is where most nested keys are; else `undefined`. */
function nestedKey(yaml: string, top: number, key: string): number | undefined {
  const lines = yaml.slice(top).split("\n");
  if (!/:[ \t\r]*$/.test(lines[0] ?? "")) return undefined;
  const indent = NESTED_KEY.exec(lines[1] ?? "")?.[1];
  let at = top;
  for (const line of lines) {
    if (at > top && /^[^\s#]/.test(line)) return undefined;
    const [, spaces, found] = NESTED_KEY.exec(line) ?? [];
    if (found === key && spaces !== undefined && spaces === indent) return at + spaces.length;
    at += line.length + 1;
  }
  return undefined;
}

/** Where the keys are that can be found without parsing; it looks for the top-level keys once. */
export function quickPositions(yaml: string): (path: KeyPath) => Position | undefined {
  let keys: ReadonlyMap<string, number> | undefined;
  return ([first, second, ...deeper]) => {
    if (deeper.length > 0) return undefined;
    keys ??= topLevelKeys(yaml);
    const top = keys.get(String(first));
    const offset = top === undefined || second === undefined ? top : nestedKey(yaml, top, String(second));
    return offset === undefined ? undefined : positionInFile(yaml, offset);
  };
}

export type KeyPath = readonly (string | number)[];

/** The offset of a key or list item in the YAML text, and the text of its value if that is a scalar, a `[list]` or a `{map}`. */
export interface Located {
  readonly offset: number;
  readonly text?: string;
}

/** Finds a position by parsing again: only diagnostics need positions. */
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
