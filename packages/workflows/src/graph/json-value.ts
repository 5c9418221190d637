import type { Json } from "../run/json.ts";

export type JsonObject = { readonly [key: string]: Json };

/**
 * The same value as data that a journal gives back unchanged, frozen. Nothing (`undefined`) becomes `null`, and is left
 * out of objects; what JSON cannot hold is a `TypeError` that names its place.
 */
export function jsonOf(value: unknown, what: string): Json {
  return value === undefined ? null : copy(value, what, "", 0);
}

/** Deeper data is a mistake, or meant to overflow somebody's stack. */
const deepest = 200;

function copy(value: unknown, what: string, at: string, depth: number): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return Object.is(value, -0) ? 0 : value;
      throw unfit(what, at, String(value));
    case "object":
      if (value === null) return null;
      if (depth > deepest) throw unfit(what, at, `more than ${deepest} levels`);
      if (Array.isArray(value)) {
        return Object.freeze(
          Array.from(value, (item, index) => copy(item ?? null, what, `${at}[${index}]`, depth + 1)),
        );
      }
      return copyObject(value, what, at, depth);
    default:
      throw unfit(what, at, `a ${typeof value}`);
  }
}

function copyObject(value: object, what: string, at: string, depth: number): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && prototypeOf(prototype) !== null) {
    throw unfit(what, at, `a ${value.constructor?.name ?? "special object"}`);
  }
  // A key `__proto__` would be lost in a plain assignment.
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.freeze(
    Object.fromEntries(entries.map(([key, inner]) => [key, copy(inner, what, `${at}.${key}`, depth + 1)])),
  );
}

/** Plain objects of another realm have another `Object.prototype`, but it, too, is the last of its line. */
function prototypeOf(prototype: unknown): unknown {
  return Object.getPrototypeOf(prototype);
}

function unfit(what: string, at: string, found: string): TypeError {
  return new TypeError(
    `${what} must be plain data, but ${at === "" ? "it is" : `"${at.replace(/^\./, "")}" is`} ${found}.`,
  );
}
