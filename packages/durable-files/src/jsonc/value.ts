import { DurableError } from "../errors.ts";
import { type JsonPath, showPath } from "./path.ts";
import type { JsonNode } from "./tree.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * The plain value of a tree. Objects have no prototype, so `__proto__`, `constructor` and the like are data like any
 * other key and a key that is not in the text is `undefined`. Of duplicate keys the last wins, as in OpenCode.
 */
export function toValue(node: JsonNode): JsonValue {
  if (node.kind === "array") return node.items.map(toValue);
  if (node.kind !== "object") return node.value;
  const object: Record<string, JsonValue> = Object.create(null);
  for (const { key, value } of node.properties) object[key.value] = toValue(value);
  return object;
}

/** Same data; the order of keys does not count. */
export function sameValue(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isArray(a) || isArray(b)) {
    return isArray(a) && isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]!));
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key]!, b[key]!))
  );
}

/** Refuses what JSON would silently drop or change: undefined, NaN, functions, dates, cycles, too deep nesting. */
export function assertJsonValue(value: unknown, levels: number, path: JsonPath = []): asserts value is JsonValue {
  const isScalar = ["string", "boolean"].includes(typeof value) || value === null || Number.isFinite(value);
  let problem: string | undefined;
  if (levels < 0) problem = "nested too deeply";
  else if (isScalar) return;
  else if (typeof value === "number") problem = String(value);
  else if (typeof value !== "object") problem = `of type ${typeof value}`;
  else if (levels === 0) problem = "nested too deeply or circular";
  else if (!Array.isArray(value)) {
    // A class instance (Date, Map …) would lose what makes it one; a plain object, of any realm, has no grandparent.
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) problem = "a class instance";
  }
  if (problem !== undefined) {
    throw new DurableError("shape", {
      message: `the new value cannot be written as JSON: ${showPath(path)} is ${problem}`,
      hint: "Use only strings, finite numbers, booleans, null, arrays and plain objects.",
    });
  }
  const parts = Array.isArray(value) ? value.entries() : Object.entries(value as object);
  for (const [key, item] of parts) assertJsonValue(item, levels - 1, [...path, key]);
}

export function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
