// Large parts of a run's values that are not in memory: a run with a gigabyte of outputs would not fit otherwise.
import { deepFreeze } from "../entities/deep-freeze.ts";
import type { BlobRef } from "./events.ts";
import type { Json } from "./json.ts";

/** Stands for a large part of a value. It may be anywhere in a value that only the interpreter sees. */
export class LargePart {
  /** Whether there are any: most processes have none, and need not look for them. */
  static exist = false;
  /** Where it is kept. Parts with the same content are kept in the same place. */
  readonly stored: BlobRef & { readonly split?: true };
  readonly #read: (part: LargePart["stored"]) => Json;

  constructor(stored: LargePart["stored"], read: (part: LargePart["stored"]) => Json) {
    this.stored = stored;
    this.#read = read;
    LargePart.exist = true;
  }

  /** The part, perhaps with large parts of its own. */
  read(): Json {
    return this.#read(this.stored);
  }
}

/** Lists and objects with large parts somewhere inside. */
const holders = new WeakSet<object>();

export function hasLarge(value: unknown): boolean {
  if (!LargePart.exist) return false;
  return typeof value === "object" && value !== null && (value instanceof LargePart || holders.has(value));
}

/** The same list or object. It is remembered if there is a large part in one of its values. */
export function holding<T extends object>(value: T, values?: Iterable<unknown>): T {
  if (!LargePart.exist) return value;
  for (const each of values ?? Object.values(value)) {
    if (!hasLarge(each)) continue;
    holders.add(value);
    break;
  }
  return value;
}

/** A large part itself, perhaps with large parts of its own; any other value as it is. */
export function opened<T extends Json | undefined>(value: T): T {
  return value instanceof LargePart ? (value.read() as T) : value;
}

/** The value for everyone else: plain data, frozen. Its large parts are read when they are looked at, and each time anew. */
export function readable<T extends Json | undefined>(value: T): T {
  if (!hasLarge(value)) return value;
  if (value instanceof LargePart) return readable(value.read() as T);
  const copy: Json[] | Record<string, Json> = Array.isArray(value) ? [] : {};
  for (const key of Object.keys(value as object)) {
    const inner = (value as Record<string, Json>)[key]!;
    const property = hasLarge(inner) ? { get: () => readable(inner) } : { value: inner };
    Object.defineProperty(copy, key, { ...property, enumerable: true });
  }
  return Object.freeze(copy) as T;
}

/** The large parts that were written or read last. They stay in memory, so a run without very many of them reads nothing twice. */
export class RecentParts {
  readonly #mostBytes: number;
  readonly #parts = new Map<string, { readonly value: Json; readonly bytes: number }>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The part that is kept there, from memory if it is there, too. Frozen, since several may read it. */
  get(stored: LargePart["stored"], load: () => Json): Json {
    const key = partKey(stored);
    const known = this.#parts.get(key);
    if (known === undefined) return this.add(stored, load());
    this.#parts.delete(key);
    this.#parts.set(key, known);
    return known.value;
  }

  add(stored: LargePart["stored"], value: Json): Json {
    const key = partKey(stored);
    if (this.#parts.has(key)) return value;
    const { bytes } = stored;
    this.#parts.set(key, { value: deepFreeze(value), bytes });
    this.#bytes += bytes;
    for (const [oldest, part] of this.#parts) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#parts.delete(oldest);
      this.#bytes -= part.bytes;
    }
    return value;
  }
}

/** A value may be the same JSON as the parts of another one. */
export function partKey({ blob, split }: LargePart["stored"]): string {
  return split === true ? `${blob} in parts` : blob;
}
