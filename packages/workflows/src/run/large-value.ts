// How a value that is too large for a record is kept: its large parts apart, each once, under the hash of its content. What
// several results have in common, such as an output that also goes into the state, takes no further room.
import type { BlobRef, Stored, StoredPart } from "./events.ts";
import type { Json } from "./json.ts";
import { holding, LargePart, partKey } from "./large-part.ts";
import { type Awaitable, isPromise, whenDone } from "./promises.ts";

/** A value, and the same without its large parts. */
export interface Piece {
  readonly value: Json;
  /** The same object as `value` if it has no large parts. */
  readonly rest: Json;
  /** About as many as the rest takes as JSON, with its references to parts. */
  readonly bytes: number;
  readonly parts: readonly Part[];
  /** Where it is kept already. */
  readonly kept?: LargePart["stored"];
}

interface Part {
  readonly at: readonly (string | number)[];
  readonly piece: Piece;
}

/** About what a reference to a part takes in a record. */
const referenceBytes = 120;

/** A piece is never larger than this if it could be smaller: it is written, read and checked as one file. */
const largestPiece = 32 * 1024 * 1024;

/** What is cut off from a piece that is too large, at least. */
const smallestCut = 1024;

/** Deeper values are left to JSON itself, which also notices circles. */
const deepest = 200;

/**
 * The value as JSON would return it, and its parts of more than `partBytes`. How something is cut depends on nothing but
 * itself, so the same content is always the same part. Throws what `JSON.stringify` throws.
 */
export function cut(value: unknown, partBytes: number): Piece | undefined {
  return walk(value, partBytes, 0, "");
}

function walk(value: unknown, partBytes: number, depth: number, key: string): Piece | undefined {
  if (typeof value === "string") return { value, rest: value, bytes: Buffer.byteLength(value) + 2, parts: [] };
  if (typeof value === "number" && Number.isFinite(value)) {
    // JSON has no -0: added to 0 it is 0.
    return { value: value + 0, rest: value + 0, bytes: 8, parts: [] };
  }
  if (value instanceof LargePart) {
    const { stored } = value;
    return { value: value as unknown as Json, rest: null, bytes: stored.bytes, parts: [], kept: stored };
  }
  const isPlain = value !== null && typeof value === "object" && !("toJSON" in value) && isCopied(value);
  if (!isPlain || depth === deepest) return leaf(value, key);
  const isList = Array.isArray(value);
  const whole: Json[] | Record<string, Json> = isList ? [] : {};
  const children: { key: string | number; piece: Piece }[] = [];
  let bytes = 2;
  for (const name of isList ? value.keys() : Object.keys(value)) {
    const child = walk((value as Record<string | number, unknown>)[name], partBytes, depth + 1, String(name));
    if (child === undefined && !isList) continue;
    const piece = child ?? { value: null, rest: null, bytes: 4, parts: [] };
    children.push({ key: name, piece });
    put(whole, name, piece.value);
    bytes += keyBytes(name) + Math.min(piece.bytes, partBytes);
  }
  const most = bytes > largestPiece ? smallestCut : partBytes;
  if (children.every(({ piece }) => piece.rest === piece.value && piece.bytes <= most)) {
    return { value: whole, rest: whole, bytes, parts: [] };
  }
  const rest: Json[] | Record<string, Json> = isList ? [] : {};
  const parts: Part[] = [];
  bytes = 2;
  for (const { key: name, piece } of children) {
    const isPart = piece.bytes > most || piece.kept !== undefined;
    put(rest, name, isPart ? null : piece.rest);
    bytes += keyBytes(name) + (isPart ? referenceBytes : piece.bytes);
    if (isPart) parts.push({ at: [name], piece });
    else for (const part of piece.parts) parts.push({ at: [name, ...part.at], piece: part.piece });
  }
  return { value: whole, rest, bytes, parts };
}

function keyBytes(key: string | number): number {
  return typeof key === "number" ? 1 : key.length + 4;
}

/** Lists and plain objects are copied item by item; anything else is what JSON makes of it. */
function isCopied(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function leaf(value: unknown, key: string): Piece | undefined {
  // In an object, so that a `toJSON` learns the key.
  const text = JSON.stringify({ [key]: value });
  const kept = (JSON.parse(text) as Record<string, Json>)[key];
  return kept === undefined ? undefined : { value: kept, rest: kept, bytes: text.length, parts: [] };
}

/** How many bytes a value takes when its equal texts are kept once. */
export function sizeOf({ bytes, parts }: Piece, seen: Set<Json> = new Set()): number {
  return parts.reduce((sum, { piece }) => {
    const content = piece.kept?.blob ?? piece.rest;
    if (seen.has(content)) return sum;
    seen.add(content);
    return sum + sizeOf(piece, seen);
  }, bytes);
}

type SaveBlob = (text: string) => Promise<BlobRef>;

/**
 * Saves the parts first: what refers to something is never there without it. One at a time, as each may be large. Also returns
 * where the parts are.
 */
export async function savePiece(
  piece: Piece,
  inlineBytes: number,
  save: SaveBlob,
): Promise<{ readonly stored: Stored; readonly parts: readonly StoredPart[] }> {
  if (piece.parts.length === 0) return { stored: await save(JSON.stringify(piece.rest)), parts: [] };
  const split = await splitOf(piece, save);
  const isInline = piece.bytes <= inlineBytes;
  const stored: Stored = isInline ? split : { ...(await save(JSON.stringify(split))), split: true };
  return { stored, parts: split.parts };
}

async function splitOf({ rest, parts }: Piece, save: SaveBlob): Promise<{ rest: Json; parts: readonly StoredPart[] }> {
  const stored: StoredPart[] = [];
  for (const { at, piece } of parts) {
    if (piece.kept !== undefined) {
      stored.push({ at, ...piece.kept });
      continue;
    }
    const isWhole = piece.parts.length === 0;
    const text = JSON.stringify(isWhole ? piece.rest : await splitOf(piece, save));
    stored.push({ at, ...(await save(text)), ...(!isWhole && { split: true }) });
  }
  return { rest, parts: stored };
}

/** Replaces the parts of a value by what is read later. Changes the value. */
export function replaceParts(value: Json, parts: readonly StoredPart[], later: ReadLater): Json {
  for (const { at, ...stored } of parts) setAt(value, at, later(stored) as unknown as Json);
  return value;
}

type ReadLater = (stored: LargePart["stored"]) => LargePart;

type LoadBlob = (ref: BlobRef) => Awaitable<Json>;

/** The whole value. Fails with whatever `load` fails with. */
export function loadStored(stored: Stored, load: LoadBlob): Awaitable<Json> {
  return whenDone(loadAt(stored, [], load), (value) => value ?? null);
}

/**
 * Loads every part that is not known to be whole, and keeps none, so damage is found before anyone relies on the value. `load`
 * must answer at once.
 */
export function checkParts(stored: Stored, load: (ref: BlobRef) => Json, known: Set<string>): void {
  if ("value" in stored) return;
  if ("rest" in stored) {
    for (const { at: _at, ...part } of stored.parts) checkParts(part, load, known);
    return;
  }
  const key = partKey(stored);
  if (known.has(key)) return;
  const json = load(stored);
  if (stored.split === true) checkParts(json as unknown as Extract<Stored, { rest: Json }>, load, known);
  known.add(key);
}

/** The value without its large parts, which are read later. `load` must answer at once. */
export function loadWithout(stored: Stored, load: (ref: BlobRef) => Json, later: ReadLater): Json {
  if ("value" in stored) return stored.value;
  // A copy: the record itself stays as it was written.
  if ("rest" in stored) return replaceParts(structuredClone(stored.rest), stored.parts, later);
  const json = load(stored);
  return stored.split === true ? loadWithout(json as unknown as Extract<Stored, { rest: Json }>, load, later) : json;
}

/** What is at this path in the value, without loading the rest of it. Undefined if there is nothing. */
export function loadAt(stored: Stored, path: readonly string[], load: LoadBlob): Awaitable<Json | undefined> {
  const texts = new Map<string, string>();
  // A text in several places is one text in memory, too. Objects are not shared: their reader may change them.
  const loadOnce: LoadBlob = (ref) => {
    const known = texts.get(ref.blob);
    if (known !== undefined) return known;
    return whenDone(load(ref), (value) => {
      if (typeof value === "string") texts.set(ref.blob, value);
      return value;
    });
  };
  return found(stored, path, loadOnce);
}

function found(stored: Stored, path: readonly string[], load: LoadBlob): Awaitable<Json | undefined> {
  if ("value" in stored) return valueAt(stored.value, path);
  // A copy: the record itself stays as it was written.
  if ("rest" in stored) return joined(structuredClone(stored.rest), stored.parts, path, load);
  return whenDone(load(stored), (json) => {
    if (stored.split !== true) return valueAt(json, path);
    const { rest, parts } = json as unknown as Extract<Stored, { rest: Json }>;
    return joined(rest, parts, path, load);
  });
}

function joined(
  rest: Json,
  parts: readonly StoredPart[],
  path: readonly string[],
  load: LoadBlob,
): Awaitable<Json | undefined> {
  const late: Promise<void>[] = [];
  for (const { at, ...ref } of parts) {
    const isOnPath = at.every((key, index) => index >= path.length || String(key) === path[index]);
    if (!isOnPath) continue;
    // A part around what is looked for is loaded only as far as needed.
    if (at.length <= path.length && at.length > 0) return found(ref, path.slice(at.length), load);
    const value = found(ref, [], load);
    if (isPromise(value)) late.push(Promise.resolve(value).then((loaded) => setAt(rest, at, loaded ?? null)));
    else setAt(rest, at, value ?? null);
  }
  return late.length === 0 ? valueAt(rest, path) : Promise.all(late).then(() => valueAt(rest, path));
}

function valueAt(value: Json, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, Json>)[key];
  }
  return found;
}

function setAt(root: Json, at: readonly (string | number)[], value: Json): void {
  const around = [root as unknown as Record<string | number, Json>];
  for (const key of at.slice(0, -1)) around.unshift(around[0]![key] as unknown as Record<string | number, Json>);
  put(around[0]!, at.at(-1)!, value);
  // The innermost first: what is around it holds it, too.
  if (value instanceof LargePart) for (const each of around) holding(each);
}

/** A key may be one that means something else in an assignment. */
function put(target: Json[] | Record<string | number, Json>, key: string | number, value: Json): void {
  if (key !== "__proto__") (target as Record<string | number, Json>)[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
