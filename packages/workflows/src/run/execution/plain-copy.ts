import type { Json } from "../json.ts";

/** What is deeper is left to whoever has more time. */
const deepest = 20;

/**
 * A copy of plain data, the same as through JSON and back, but quicker. Undefined for what JSON would change, for what has
 * a say in its own JSON, and for what may have more bytes than given.
 */
export function plainCopy(value: unknown, bytes: number): { readonly value: Json } | undefined {
  const room = { bytes };
  const copied = copy(value, room, 0);
  return copied === undefined || room.bytes < 0 ? undefined : { value: copied };
}

function copy(value: unknown, room: { bytes: number }, depth: number): Json | undefined {
  switch (typeof value) {
    case "string":
      // A control character takes six bytes, and no other one takes more.
      room.bytes -= value.length * 6 + 2;
      return value;
    case "number":
      room.bytes -= 25;
      return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined;
    case "boolean":
      room.bytes -= 5;
      return value;
    case "object":
      room.bytes -= 4;
      if (value === null) return null;
      if (depth === deepest || room.bytes < 0) return undefined;
      return Array.isArray(value) ? copyList(value, room, depth) : copyObject(value, room, depth);
    default:
      return undefined;
  }
}

function copyList(list: readonly unknown[], room: { bytes: number }, depth: number): Json | undefined {
  if (Object.getPrototypeOf(list) !== Array.prototype || "toJSON" in list) return undefined;
  const copied: Json[] = [];
  for (let at = 0; at < list.length; at++) {
    const item = copy(list[at], room, depth + 1);
    if (item === undefined || room.bytes < 0) return undefined;
    room.bytes -= 1;
    copied.push(item);
  }
  return copied;
}

function copyObject(object: object, room: { bytes: number }, depth: number): Json | undefined {
  if (Object.getPrototypeOf(object) !== Object.prototype || "toJSON" in object) return undefined;
  const copied: Record<string, Json> = {};
  for (const key of Object.keys(object)) {
    if (key === "__proto__") return undefined;
    room.bytes -= key.length * 6 + 4;
    const inner = copy((object as Record<string, unknown>)[key], room, depth + 1);
    if (inner === undefined) return undefined;
    copied[key] = inner;
  }
  return copied;
}
