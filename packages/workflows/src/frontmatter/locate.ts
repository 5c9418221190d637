import type { Pair } from "yaml";
import { parseYamlDocument, yaml } from "./yaml-parser.ts";

export type KeyPath = readonly (string | number)[];

/** Where a key or a list item stands in the YAML text, and what is written there if its value is a scalar. */
export interface Located {
  readonly offset: number;
  readonly text?: string;
}

/** Only diagnostics ask for places, so a place costs a second parse, when it is asked for. */
export function locate(text: string, path: KeyPath): Located | undefined {
  const { isMap, isScalar, isSeq } = yaml();
  let node: unknown = parseYamlDocument(text).contents;
  let offset: number | undefined;
  for (const step of path) {
    let found: unknown;
    if (isMap(node)) found = node.items.find((pair) => keyName(pair) === String(step));
    else if (isSeq(node)) found = node.items[Number(step)];
    const { isNode, isPair } = yaml();
    const at = isPair(found) ? found.key : found;
    node = isPair(found) ? found.value : found;
    offset = isNode(at) ? at.range?.[0] : undefined;
    if (offset === undefined) return undefined;
  }
  if (offset === undefined) return undefined;
  return isScalar(node) && typeof node.source === "string" ? { offset, text: node.source } : { offset };
}

function keyName(pair: Pair): string {
  return String(yaml().isScalar(pair.key) ? pair.key.value : pair.key);
}
