// Finds what an edit means in one document, or says why it cannot be done there.
import { DurableError } from "../errors.ts";
import type { Insertion } from "./insert.ts";
import { lookUp, noSuchItem, type PathEnd, wrongKind } from "./look-up.ts";
import { MAX_DEPTH } from "./parse.ts";
import { type JsonPath, showPath } from "./path.ts";
import { type ContainerNode, type JsonDocument, type JsonNode, members } from "./tree.ts";
import { assertJsonValue, type JsonValue, sameValue, toValue } from "./value.ts";

export type Edit = SetEdit | InsertEdit | RemoveEdit;

/** Replaces the value at `path`, or adds the missing key (and missing parent objects), last or `first`. */
export interface SetEdit {
  readonly op: "set";
  readonly path: JsonPath;
  readonly value: JsonValue;
  readonly first?: boolean;
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

/** Member positions that lead from the root to a node, one a level. */
export type Steps = readonly number[];

export type Change =
  | { readonly kind: "none" }
  | ({ readonly kind: "replace" } & Replacement)
  | ({ readonly kind: "insert"; readonly steps: Steps } & Insertion)
  | ({ readonly kind: "remove" } & Removal)
  | { readonly kind: "create-root"; readonly value: JsonValue }
  | { readonly kind: "remove-root"; readonly root: JsonNode };

export interface Replacement {
  readonly steps: Steps;
  readonly chain: readonly ContainerNode[];
  readonly target: JsonNode;
  readonly value: JsonValue;
}

interface Removal {
  /** To the container. */
  readonly steps: Steps;
  readonly container: ContainerNode;
  readonly index: number;
}

export function planChange(document: JsonDocument, edit: Edit): Change {
  if (!["set", "insert", "remove"].includes(edit.op)) throw unknownOperation(document, edit.op);
  const end = lookUp(document, edit.path);
  if (edit.op === "remove") return planRemove(document, edit, end);
  assertJsonValue(edit.value, MAX_DEPTH - edit.path.length - (edit.op === "insert" ? 1 : 0));
  return edit.op === "set" ? planSet(edit, end) : planInsert(document, edit, end);
}

function planSet({ value, first }: SetEdit, end: PathEnd): Change {
  const { steps, chain, node: target } = end;
  if (!target) return planCreate(end, value, first === true);
  return sameValue(toValue(target), value) ? { kind: "none" } : { kind: "replace", steps, chain, target, value };
}

function planInsert(document: JsonDocument, { path, value, index: wanted }: InsertEdit, end: PathEnd): Change {
  const { steps, chain, node } = end;
  if (node && node.kind !== "array") throw wrongKind(document, path, node, "an array");
  const length = node?.items.length ?? 0;
  const index = wanted ?? length;
  if (!Number.isInteger(index) || index < 0 || index > length) throw noSuchItem(document, [...path, index], node);
  if (!node) return planCreate(end, [value], false);
  return { kind: "insert", steps, chain: [...chain, node], index, key: undefined, value };
}

function planRemove(document: JsonDocument, { path }: RemoveEdit, { steps, chain, node }: PathEnd): Change {
  const container = chain.at(-1);
  if (!node) {
    const where = document.file ?? "<text>";
    const message = `${where}: ${showPath(path)} does not exist, so it cannot be removed`;
    throw new DurableError("shape", { message, at: where, hint: "Look for it before removing it." });
  }
  if (!container) return { kind: "remove-root", root: node };
  return { kind: "remove", steps: steps.slice(0, -1), container, index: steps.at(-1)! };
}

function unknownOperation({ file = "<text>" }: JsonDocument, op: string): DurableError {
  const message = `${file}: ${JSON.stringify(op)} is no operation of an edit`;
  return new DurableError("shape", { message, at: file, hint: 'Use "set", "insert" or "remove".' });
}

/** Adds the first missing key; the rest of the path becomes objects inside it. */
function planCreate({ steps, chain, missing }: PathEnd, value: JsonValue, first: boolean): Change {
  const container = chain.at(-1);
  const wrap = (inner: JsonValue, key: string): JsonValue => Object.fromEntries([[key, inner]]);
  if (!container) return { kind: "create-root", value: missing.reduceRight(wrap, value) };
  const index = first ? 0 : members(container).length;
  return { kind: "insert", steps, chain, index, key: missing[0]!, value: missing.slice(1).reduceRight(wrap, value) };
}
