// Reads JSON from other authors: every refusal names the file, the line and the column of the value that is wrong.
import { DurableError } from "../errors.ts";
import { shown } from "../safety/names.ts";
import { parseJsonc } from "./parse.ts";
import { type JsonPath, showPath } from "./path.ts";
import { placeOf, positionsOf, type TextPosition } from "./position.ts";
import { type JsonDocument, type JsonNode, members, memberValue } from "./tree.ts";
import { type JsonValue, toValue } from "./value.ts";

export interface JsonOrigin {
  /** Named in every refusal. */
  readonly file: string;
  readonly hint: string;
  /** Makes the error of every refusal. */
  readonly error: (refusal: JsonRefusal) => Error;
}

interface JsonSource {
  readonly document: JsonDocument;
  readonly origin: JsonOrigin;
}

export interface JsonRefusal {
  readonly message: string;
  /** `file:line:col`, or the file. */
  readonly at: string;
  readonly hint: string;
  readonly cause?: unknown;
}

/** A value in a JSON text, or the place where one is missing. */
export class JsonPart {
  readonly #source: JsonSource;
  readonly #parent: JsonPart | undefined;
  readonly #key: string | number;
  readonly node: JsonNode | undefined;

  constructor(source: JsonSource, node: JsonNode | undefined, parent?: JsonPart, key: string | number = "") {
    this.#source = source;
    this.node = node;
    this.#parent = parent;
    this.#key = key;
  }

  get isMissing(): boolean {
    return this.node === undefined;
  }

  /** `file:line:col` of the value, or of what it is missing in. */
  get at(): string {
    const { document, origin } = this.#source;
    let nearest: JsonPart | undefined = this;
    while (nearest !== undefined && nearest.node === undefined) nearest = nearest.#parent;
    return nearest?.node === undefined ? origin.file : placeOf(document.text, nearest.node, origin.file);
  }

  /** `problem` completes "file:1:2: name …". */
  refuse(problem: string, hint: string = this.#source.origin.hint): Error {
    const { at } = this;
    return this.#source.origin.error({ message: `${at}: ${showPath(this.#path)} ${problem}`, at, hint });
  }

  get #path(): JsonPath {
    return this.#parent === undefined ? [] : [...this.#parent.#path, this.#key];
  }

  /** The property of that name; a missing one is a part without a node. */
  get(key: string): JsonPart {
    const { node } = this;
    if (node !== undefined && node.kind !== "object") throw this.refuse("is not an object");
    const property = node?.properties.findLast((candidate) => candidate.key.value === key);
    return new JsonPart(this.#source, property?.value, this, key);
  }

  /** The properties of an object; none if it is missing. */
  entries(): [key: string, value: JsonPart][] {
    const { node } = this;
    if (node === undefined) return [];
    if (node.kind !== "object") throw this.refuse("is not an object");
    return node.properties.map(({ key, value }) => [key.value, new JsonPart(this.#source, value, this, key.value)]);
  }

  /** The items of an array; none if it is missing. */
  items(): JsonPart[] {
    const { node } = this;
    if (node === undefined) return [];
    if (node.kind !== "array") throw this.refuse("is not an array");
    return node.items.map((item, i) => new JsonPart(this.#source, item, this, i));
  }

  string(): string {
    const { node } = this;
    if (node?.kind !== "string") throw this.refuse(node === undefined ? "is missing" : "is not a string");
    return node.value;
  }

  optionalString(): string | undefined {
    return this.isMissing ? undefined : this.string();
  }

  integer(): number {
    const { node } = this;
    if (node?.kind !== "number" || !Number.isSafeInteger(node.value) || node.value < 0) {
      throw this.refuse(node === undefined ? "is missing" : "is not a whole number");
    }
    return node.value;
  }

  /** One of a few words. */
  oneOf<Word extends string>(words: readonly Word[]): Word {
    const text = this.string();
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw this.refuse(`is ${shown(text)}, but must be one of ${words.join(", ")}`);
    return word;
  }

  /** Refuses an object with any other key. */
  refuseKeysBut(known: readonly string[]): void {
    const { node } = this;
    if (node?.kind !== "object") return;
    const unknown = node.properties.find(({ key }) => !known.includes(key.value));
    if (unknown) throw new JsonPart(this.#source, unknown.value, this, unknown.key.value).refuse("is not a known key");
  }

  value(): JsonValue | undefined {
    return this.node === undefined ? undefined : toValue(this.node);
  }
}

/** The whole text, which must be an object without repeated keys. */
export function jsonObjectIn(text: string, origin: JsonOrigin): JsonPart {
  const document = parse(text, origin);
  const root = new JsonPart({ document, origin }, document.root);
  const [duplicate] = document.root !== undefined && repeatsKey(document.root) ? findDuplicates(document) : [];
  if (duplicate !== undefined) {
    const [, { line, column } = { line: 1, column: 1 }] = duplicate.positions;
    const at = `${origin.file}:${line}:${column}`;
    const message = `${at}: ${showPath(duplicate.path)} appears more than once`;
    throw origin.error({ message, at, hint: origin.hint });
  }
  if (root.node?.kind !== "object") throw root.refuse(root.isMissing ? "is missing" : "is not an object");
  return root;
}

/** The whole text, which may be empty, or an object that other programs may extend. */
export function jsonConfigIn(text: string, origin: JsonOrigin): JsonPart {
  const document = parse(text, origin);
  const root = new JsonPart({ document, origin }, document.root);
  if (root.node !== undefined && root.node.kind !== "object") throw root.refuse("is not an object");
  return root;
}

function parse(text: string, { file, hint, error: refusal }: JsonOrigin): JsonDocument {
  try {
    return parseJsonc(text, { file });
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    throw refusal({ message: error.message, at: error.at ?? file, hint, cause: error });
  }
}

/** A quick check first, because almost no file repeats a key and finding where takes far longer. */
function repeatsKey(node: JsonNode): boolean {
  if (node.kind === "array") return node.items.some(repeatsKey);
  if (node.kind !== "object") return false;
  const { properties } = node;
  if (new Set(properties.map(({ key }) => key.value)).size < properties.length) return true;
  return properties.some(({ value }) => repeatsKey(value));
}

export interface DuplicateKey {
  /** Path of the property, its own name last. */
  readonly path: JsonPath;
  /** Every position of the key, in the order of the text; the last one wins. */
  readonly positions: readonly TextPosition[];
}

/** Keys that occur more than once in the same object. */
export function findDuplicates(document: JsonDocument): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const positionAt = positionsOf(document.text);
  const visit = (node: JsonNode, path: JsonPath): void => {
    const starts = new Map<string, number[]>();
    for (const { key, start } of node.kind === "object" ? node.properties : []) {
      const all = starts.get(key.value);
      if (all === undefined) starts.set(key.value, [start]);
      else all.push(start);
    }
    for (const [key, all] of starts) {
      if (all.length > 1) found.push({ path: [...path, key], positions: all.map(positionAt) });
    }
    for (const [i, member] of members(node).entries()) {
      visit(memberValue(member), [...path, member.kind === "property" ? member.key.value : i]);
    }
  };
  if (document.root) visit(document.root, []);
  return found;
}
