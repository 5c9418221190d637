// Every place in a document where an edit is possible, so a test can try them all.
import type { JsonPath } from "@atomic/durable-files/jsonc/path";
import {
  type ContainerNode,
  type JsonDocument,
  type JsonNode,
  members,
  memberValue,
} from "@atomic/durable-files/jsonc/tree";

export interface ContainerPlace {
  readonly path: JsonPath;
  readonly container: ContainerNode;
}

/** Containers that a path reaches without passing through a duplicated key. */
export function containersOf(document: JsonDocument): readonly ContainerPlace[] {
  const places: ContainerPlace[] = [];
  const visit = (node: JsonNode, path: JsonPath): void => {
    if (node.kind === "object" || node.kind === "array") places.push({ path, container: node });
    for (const { path: inner, value } of entriesOf(node, path)) visit(value, inner);
  };
  if (document.root) visit(document.root, []);
  return places;
}

/** Paths of all members that can be replaced or removed. */
export function memberPaths(document: JsonDocument): readonly JsonPath[] {
  return containersOf(document).flatMap(({ path, container }) => entriesOf(container, path).map((entry) => entry.path));
}

function entriesOf(node: JsonNode, path: JsonPath): readonly { path: JsonPath; value: JsonNode }[] {
  const all = members(node);
  const isUnique = (key: string) =>
    all.filter((other) => other.kind === "property" && other.key.value === key).length === 1;
  return all.flatMap((member, i) => {
    if (member.kind !== "property") return [{ path: [...path, i], value: memberValue(member) }];
    return isUnique(member.key.value) ? [{ path: [...path, member.key.value], value: member.value }] : [];
  });
}
