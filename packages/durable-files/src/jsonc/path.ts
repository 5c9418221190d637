import { printable } from "../errors.ts";
import type { JsonDocument, JsonNode } from "./tree.ts";

/** Keys and array positions from the root down: `["plugin", 0]`. */
export type JsonPath = readonly (string | number)[];

/** The node at a path, undefined if there is none; of duplicate keys the last one, as in `toValue`. */
export function nodeAt(document: JsonDocument, path: JsonPath): JsonNode | undefined {
  let node = document.root;
  for (const segment of path) {
    if (node?.kind === "object") node = node.properties.findLast(({ key }) => key.value === segment)?.value;
    else node = node?.kind === "array" && typeof segment === "number" ? node.items[segment] : undefined;
  }
  return node;
}

/** `agent.build.tools[2]`, with quotes where a key is not a plain word. */
export function showPath(path: JsonPath): string {
  if (path.length === 0) return "the whole value";
  const parts = path.map((segment, i) => {
    if (typeof segment === "number") return `[${segment}]`;
    if (!/^[$\w-]+$/.test(segment)) return `[${printable(JSON.stringify(segment))}]`;
    return i === 0 ? segment : `.${segment}`;
  });
  return parts.join("");
}
