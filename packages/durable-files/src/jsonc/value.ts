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

/** Refuses what JSON would drop or bend in silence: undefined, NaN, functions, dates, cycles, too deep nesting. */
export function assertJsonValue(value: unknown, levels: number, path: JsonPath = []): asserts value is JsonValue {
  if (levels < 0) throw notJson(path, "nested too deep");
  if (typeof value === "string" || typeof value === "boolean" || value === null) return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "object")
    throw notJson(path, typeof value === "number" ? String(value) : `of type ${typeof value}`);
  if (levels === 0) throw notJson(path, "nested too deep, or in a cycle");
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) assertJsonValue(item, levels - 1, [...path, i]);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  // A class instance (Date, Map …) would lose what makes it one; a plain object, of any realm, has no grandparent.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw notJson(path, "an instance of a class");
  for (const [key, item] of Object.entries(value)) assertJsonValue(item, levels - 1, [...path, key]);
}

export function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function notJson(path: JsonPath, problem: string): DurableError {
  const message = `the new value cannot be written as JSON: ${showPath(path)} is ${problem}`;
  return new DurableError("shape", {
    message,
    hint: "Pass strings, finite numbers, booleans, null, arrays, plain objects.",
  });
}
