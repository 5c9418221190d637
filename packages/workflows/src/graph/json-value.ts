import type { Json } from "../run/json.ts";

export type JsonObject = { readonly [key: string]: Json };

/**
 * The same value as frozen data that a journal returns unchanged. `undefined` becomes `null`, and is left out of objects.
 * Throws a `TypeError` that names the place of anything JSON cannot hold.
 */
export function jsonOf(value: unknown, what: string): Json {
  try {
    return value === undefined ? null : copy(value, what, "", 0);
  } catch (error) {
    if (error !== tooDeep) throw error;
    const at = circleIn(value, "", [])?.replace(/^\./, "");
    if (at === undefined) throw unfit(what, "", `more than ${deepest} levels deep`);
    throw new TypeError(`${what} must be plain data, but it contains itself at "${at}".`);
  }
}

const tooDeep = new RangeError("Nested too deeply.");

/** The place of a value that contains itself. Searched only when a value is too deep. */
function circleIn(value: unknown, at: string, around: readonly unknown[]): string | undefined {
  if (typeof value !== "object" || value === null || around.length > deepest) return undefined;
  if (around.includes(value)) return at;
  for (const [key, inner] of Object.entries(value)) {
    const way = Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`;
    const found = circleIn(inner, way, [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Deeper data is a mistake or an attempt to overflow the stack. */
const deepest = 200;

function copy(value: unknown, what: string, at: string, depth: number): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return Object.is(value, -0) ? 0 : value;
      throw unfit(what, at, String(value));
    case "object": {
      if (value === null) return null;
      if (depth > deepest) throw tooDeep;
      if (Array.isArray(value)) {
        return Object.freeze(
          Array.from(value, (item, index) => copy(item ?? null, what, `${at}[${index}]`, depth + 1)),
        );
      }
      // Plain objects from another realm have another `Object.prototype`, but it, too, ends the prototype chain.
      const prototype: object | null = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
        throw unfit(what, at, `a ${value.constructor?.name ?? "special object"}`);
      }
      // A key `__proto__` would be lost in a plain assignment.
      const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
      return Object.freeze(
        Object.fromEntries(entries.map(([key, inner]) => [key, copy(inner, what, `${at}.${key}`, depth + 1)])),
      );
    }
    default:
      throw unfit(what, at, `a ${typeof value}`);
  }
}

function unfit(what: string, at: string, found: string): TypeError {
  return new TypeError(
    `${what} must be plain data, but ${at === "" ? "it is" : `"${at.replace(/^\./, "")}" is`} ${found}.`,
  );
}

/** The same type, with optional keys instead of keys that may be undefined. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out keys that are undefined, which JSON cannot express. */
export function present<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Present<T>;
}
