// Finds what an edit means in one document, or why it cannot be applied.
import { DurableError } from "../errors.ts";
import type { Insertion } from "./insert.ts";
import { MAX_DEPTH } from "./parse.ts";
import { type JsonPath, showPath } from "./path.ts";
import { placeOf, positionsOf } from "./position.ts";
import { type ArrayNode, type ContainerNode, type JsonDocument, type JsonNode, members, memberValue } from "./tree.ts";
import { assertJsonValue, type JsonValue, sameValue, toValue } from "./value.ts";

export type Edit = SetEdit | InsertEdit | RemoveEdit;

/** Replaces the value at `path`, or adds the missing key (and missing parent objects), last, `first` or `sorted`. */
export interface SetEdit {
  readonly op: "set";
  readonly path: JsonPath;
  readonly value: JsonValue;
  readonly first?: boolean;
  /** Where the alphabet puts it, if the keys beside it are in that order; otherwise last. */
  readonly sorted?: boolean;
}

/** Adds an item to the array at `path`, at its end or before item `index`; a missing array is created. */
export interface InsertEdit {
  readonly op: "insert";
  readonly path: JsonPath;
  readonly value: JsonValue;
  readonly index?: number;
}

/** Removes a key or an array item, with the comments that belong to it. */
export interface RemoveEdit {
  readonly op: "remove";
  readonly path: JsonPath;
}

/** What an edit does to one document. `steps` are member positions that lead from the root to a node, one a level. */
export type PlannedEdit =
  | { readonly kind: "none" }
  | {
      readonly kind: "replace";
      readonly steps: readonly number[];
      readonly chain: readonly ContainerNode[];
      readonly target: JsonNode;
      readonly value: JsonValue;
    }
  | ({ readonly kind: "insert"; readonly steps: readonly number[] } & Insertion)
  | {
      readonly kind: "remove";
      /** To the container. */
      readonly steps: readonly number[];
      readonly container: ContainerNode;
      readonly index: number;
    }
  | { readonly kind: "create-root"; readonly value: JsonValue }
  | { readonly kind: "remove-root"; readonly root: JsonNode };

export function planEdit(document: JsonDocument, edit: Edit): PlannedEdit {
  const { path } = edit;
  if (!["set", "insert", "remove"].includes(edit.op)) {
    const hint = 'Use "set", "insert" or "remove".';
    throw misfit(document, undefined, `${JSON.stringify(edit.op)} is not an edit operation`, hint);
  }
  const { steps, chain, node, missing } = lookUp(document, path);
  if (edit.op === "remove") {
    if (!node) {
      const problem = `${showPath(path)} does not exist, so it cannot be removed`;
      throw misfit(document, undefined, problem, "Check that it exists before you remove it.");
    }
    const container = chain.at(-1);
    if (!container) return { kind: "remove-root", root: node };
    return { kind: "remove", steps: steps.slice(0, -1), container, index: steps.at(-1)! };
  }
  const { value } = edit;
  assertJsonValue(value, MAX_DEPTH - path.length - (edit.op === "insert" ? 1 : 0));
  if (edit.op === "set" && node) {
    return sameValue(toValue(node), value) ? { kind: "none" } : { kind: "replace", steps, chain, target: node, value };
  }
  if (edit.op === "insert") {
    if (node && node.kind !== "array") throw wrongKind(document, path, node, "an array");
    const length = node?.items.length ?? 0;
    const index = edit.index ?? length;
    if (!Number.isInteger(index) || index < 0 || index > length) throw noSuchItem(document, [...path, index], node);
    if (node) return { kind: "insert", steps, chain: [...chain, node], index, key: undefined, value };
  }
  // Nothing is there yet: add the first missing key; the rest of the path becomes objects inside it.
  const container = chain.at(-1);
  const [key, ...inner] = container ? missing : ["", ...missing];
  const created = edit.op === "insert" ? [value] : value;
  const wrapped = inner.reduceRight<JsonValue>((inside, name) => Object.fromEntries([[name, inside]]), created);
  if (!container) return { kind: "create-root", value: wrapped };
  let index = members(container).length;
  if (edit.op === "set" && edit.first === true) index = 0;
  if (edit.op === "set" && edit.sorted === true && inner.length === 0) index = sortedIndex(container, key!);
  return { kind: "insert", steps, chain, index, key: key!, value: wrapped };
}

/** As npm sorts dependencies. */
function sortedIndex(container: ContainerNode, key: string): number {
  const keys = container.kind === "object" ? container.properties.map((property) => property.key.value) : [];
  const isSorted = keys.every((each, at) => at === 0 || (keys[at - 1] ?? "").localeCompare(each, "en") <= 0);
  const next = keys.findIndex((each) => each.localeCompare(key, "en") > 0);
  return isSorted && next !== -1 ? next : keys.length;
}

/** Where a path ends: at a node, or in front of the first key that is missing. */
interface PathEnd {
  readonly node: JsonNode | undefined;
  /** The containers above the node (or above the missing key), the root first. */
  readonly chain: readonly ContainerNode[];
  /** Position of the member to enter in each of them. */
  readonly steps: readonly number[];
  readonly missing: readonly string[];
}

/** Follows a path that is to be edited, so it refuses what would be ambiguous or would change the kind of a value. */
function lookUp(document: JsonDocument, path: JsonPath): PathEnd {
  const chain: ContainerNode[] = [];
  const steps: number[] = [];
  let node = document.root;
  for (const [depth, segment] of path.entries()) {
    const [above, here] = [path.slice(0, depth), path.slice(0, depth + 1)];
    let step: number | undefined;
    if (node && typeof segment === "number") {
      if (node.kind !== "array") throw wrongKind(document, above, node, "an array");
      if (!node.items[segment]) throw noSuchItem(document, here, node);
      step = segment;
    } else if (node) {
      if (node.kind !== "object") throw wrongKind(document, above, node, "an object");
      const { properties } = node;
      const found = properties.flatMap((property, i) => (property.key.value === segment ? [i] : []));
      if (found.length > 1) {
        const position = positionsOf(document.text);
        const places = found.map((i) => position(properties[i]!.start)).map(({ line, column }) => `${line}:${column}`);
        const problem = `${showPath(here)} appears more than once (at ${places.join(" and ")}), so the edit is ambiguous`;
        throw misfit(
          document,
          properties[found[1]!],
          problem,
          "Keep only one of them; until then, the last one applies.",
        );
      }
      step = found[0];
    }
    if (node?.kind === "object" || node?.kind === "array") chain.push(node);
    if (step === undefined) {
      const missing = path.slice(depth);
      if (missing.every((each) => typeof each === "string")) return { node: undefined, chain, steps, missing };
      const problem = `${showPath(here)} does not exist, so ${showPath(path)} cannot be reached`;
      throw misfit(document, undefined, problem, "Create the array first.");
    }
    steps.push(step);
    node = memberValue(members(node!)[step]!);
  }
  return { node, chain, steps, missing: [] };
}

function wrongKind(document: JsonDocument, path: JsonPath, node: JsonNode, wanted: string): DurableError {
  const { kind } = node;
  const found = kind === "null" ? kind : `${/^[ao]/.test(kind) ? "an" : "a"} ${kind}`;
  const problem = `${showPath(path)} is ${found}, but the edit needs ${wanted}`;
  return misfit(document, node, problem, "Fix the value by hand. Nothing was changed.");
}

function noSuchItem(document: JsonDocument, path: JsonPath, array: ArrayNode | undefined): DurableError {
  const problem = `${showPath(path)} does not exist; the array has length ${array?.items.length ?? 0}`;
  return misfit(document, array, problem, "Read the file again; the array may have changed.");
}

/** The edit does not fit the document: at one of its nodes, or as a whole. */
function misfit(
  { text, file }: JsonDocument,
  node: { readonly start: number } | undefined,
  problem: string,
  hint: string,
): DurableError {
  const at = node ? placeOf(text, node, file) : (file ?? "<text>");
  return new DurableError("shape", { message: `${at}: ${problem}`, at, hint });
}
