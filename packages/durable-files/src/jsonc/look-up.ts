import { DurableError } from "../errors.ts";
import { type JsonPath, showPath } from "./path.ts";
import { placeOf, positionsOf } from "./position.ts";
import {
  type ArrayNode,
  type ContainerNode,
  type JsonDocument,
  type JsonNode,
  members,
  memberValue,
  type ObjectNode,
} from "./tree.ts";

/** Where a path ends: at a node, or in front of the first key that is missing. */
export interface PathEnd {
  readonly node: JsonNode | undefined;
  /** The containers above the node (or above the missing key), the root first. */
  readonly chain: readonly ContainerNode[];
  /** Position of the member to enter in each of them. */
  readonly steps: readonly number[];
  readonly missing: readonly string[];
}

/** Follows a path that is to be edited, so it refuses what would be ambiguous or would change the kind of a value. */
export function lookUp(document: JsonDocument, path: JsonPath): PathEnd {
  const chain: ContainerNode[] = [];
  const steps: number[] = [];
  let node = document.root;
  for (const [depth, segment] of path.entries()) {
    const here = path.slice(0, depth);
    const step = node && stepInto(document, here, node, segment);
    if (node?.kind === "object" || node?.kind === "array") chain.push(node);
    if (step === undefined) return { node: undefined, chain, steps, missing: creatable(document, path, depth) };
    steps.push(step);
    node = memberValue(members(node!)[step]!);
  }
  return { node, chain, steps, missing: [] };
}

export function wrongKind(document: JsonDocument, path: JsonPath, node: JsonNode, wanted: string): DurableError {
  const at = placeOf(document.text, node, document.file);
  const message = `${at}: ${showPath(path)} is ${article(node.kind)}, but the edit needs ${wanted}`;
  return new DurableError("shape", { message, at, hint: "Correct the value by hand; it was not changed." });
}

export function noSuchItem(document: JsonDocument, path: JsonPath, array: ArrayNode | undefined): DurableError {
  const at = array ? placeOf(document.text, array, document.file) : (document.file ?? "<text>");
  const message = `${at}: there is no ${showPath(path)}, the length of the array is ${array?.items.length ?? 0}`;
  return new DurableError("shape", { message, at, hint: "Read the file again: positions may have moved." });
}

function stepInto(
  document: JsonDocument,
  here: JsonPath,
  node: JsonNode,
  segment: string | number,
): number | undefined {
  if (typeof segment === "string") {
    if (node.kind !== "object") throw wrongKind(document, here, node, "an object");
    return propertyIndex(document, [...here, segment], node, segment);
  }
  if (node.kind !== "array") throw wrongKind(document, here, node, "an array");
  if (!node.items[segment]) throw noSuchItem(document, [...here, segment], node);
  return segment;
}

function propertyIndex(document: JsonDocument, path: JsonPath, node: ObjectNode, key: string): number | undefined {
  const found = node.properties.flatMap((property, i) => (property.key.value === key ? [i] : []));
  if (found.length < 2) return found[0];
  const position = positionsOf(document.text);
  const places = found.map((i) => position(node.properties[i]!.start)).map(({ line, column }) => `${line}:${column}`);
  const at = placeOf(document.text, node.properties[found[1]!]!, document.file);
  const message = `${at}: ${showPath(path)} stands more than once (at ${places.join(" and ")}), so the edit is ambiguous`;
  throw new DurableError("shape", { message, at, hint: "Keep one of them; until then the last one counts." });
}

function creatable(document: JsonDocument, path: JsonPath, depth: number): readonly string[] {
  const missing = path.slice(depth);
  if (missing.every((segment) => typeof segment === "string")) return missing;
  const where = document.file ?? "<text>";
  const message = `${where}: ${showPath(path.slice(0, depth + 1))} does not exist, so ${showPath(path)} cannot be reached`;
  throw new DurableError("shape", { message, at: where, hint: "Create the array first." });
}

function article(kind: JsonNode["kind"]): string {
  if (kind === "null") return kind;
  return `${/^[ao]/.test(kind) ? "an" : "a"} ${kind}`;
}
