import { type Position, positionsOf } from "./position.ts";
import { type JsonDocument, type JsonNode, members, memberValue, type PropertyNode } from "./tree.ts";

export interface DuplicateKey {
  /** Path of the property, its own name last. */
  readonly path: readonly (string | number)[];
  /** Every place where the key stands, in the order of the text; the last one wins. */
  readonly positions: readonly Position[];
}

/** Keys that stand more than once in the same object. */
export function findDuplicates(document: JsonDocument): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const positionAt = positionsOf(document.text);
  const visit = (node: JsonNode, path: readonly (string | number)[]): void => {
    for (const [key, properties] of node.kind === "object" ? byKey(node.properties) : []) {
      if (properties.length < 2) continue;
      found.push({ path: [...path, key], positions: properties.map((property) => positionAt(property.start)) });
    }
    for (const [i, member] of members(node).entries()) {
      visit(memberValue(member), [...path, member.kind === "property" ? member.key.value : i]);
    }
  };
  if (document.root) visit(document.root, []);
  return found;
}

function byKey(properties: readonly PropertyNode[]): Map<string, PropertyNode[]> {
  const groups = new Map<string, PropertyNode[]>();
  for (const property of properties) {
    const group = groups.get(property.key.value);
    if (group) group.push(property);
    else groups.set(property.key.value, [property]);
  }
  return groups;
}
