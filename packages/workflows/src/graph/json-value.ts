import type { Json } from "../run/json.ts";

export type JsonObject = { readonly [key: string]: Json };

/**
 * The same value as frozen data that a journal returns unchanged. `undefined` becomes `null`, and is left out of objects.
 * Throws a `TypeError` that names the place of anything JSON cannot hold.
 */
export function jsonOf(value: unknown, what: string): Json {
  try {
    return value === undefined ? null : copy(value, 0);
  } catch (error) {
    if (error !== refused) throw error;
    throw new TypeError(`${what} must be plain data, but ${problemIn(value, "", [])}.`);
  }
}

/** Deeper data is a mistake or an attempt to overflow the stack. */
const deepest = 200;

/** Thrown without a place, which is looked for only when something is refused: most values are not. */
const refused = new TypeError("It is not plain data.");

function copy(value: unknown, depth: number): Json {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return Object.is(value, -0) ? 0 : value;
  if (typeof value !== "object" || depth > deepest || specialName(value) !== undefined) throw refused;
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (let at = 0; at < value.length; at++) list.push(copy(value[at] ?? null, depth + 1));
    return Object.freeze(list);
  }
  const object: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    const kept = copy(inner, depth + 1);
    // A key `__proto__` would be lost in a plain assignment.
    if (key !== "__proto__") object[key] = kept;
    else Object.defineProperty(object, key, { value: kept, enumerable: true, configurable: true, writable: true });
  }
  return Object.freeze(object);
}

/** What is wrong with the first value that `copy` refuses, and where it is. */
function problemIn(value: unknown, at: string, around: readonly unknown[]): string | undefined {
  const place = at.replace(/^\./, "");
  const is = place === "" ? "it is" : `"${place}" is`;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${is} ${value}`;
  if (typeof value === "string" || typeof value === "boolean" || value === null) return undefined;
  if (typeof value !== "object") return `${is} a ${typeof value}`;
  if (around.includes(value)) return `it contains itself at "${place}"`;
  if (around.length > deepest) return `it is more than ${deepest} levels deep`;
  const special = specialName(value);
  if (special !== undefined) return `${is} a ${special}`;
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const found = problemIn(inner, Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`, [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The class of an object that is neither a list nor a plain object. */
function specialName(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  // Plain objects from another realm have another `Object.prototype`, but it, too, ends the prototype chain.
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null)
    return undefined;
  return value.constructor?.name ?? "special object";
}

/** The same type, with optional keys instead of keys that may be undefined. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out keys that are undefined, which JSON cannot express. */
export function present<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Present<T>;
}
