// Lists that grow by a little, step after step. To copy and freeze them each time would make a step cost as much as all
// that came before it.
import type { Json } from "../../run/json.ts";

/** A list and what was appended to it later lie in one. Only the first so many items belong to it. */
interface Slice {
  readonly items: Json[];
  readonly length: number;
}

/** Of the lists that were made here. */
const slices = new WeakMap<readonly Json[], Slice>();

/** A frozen list with more at its end. The one before stays as it is; nothing is copied unless both go on growing. */
export function appended(list: readonly Json[] | undefined, more: readonly Json[]): readonly Json[] {
  const known = list && slices.get(list);
  const items = known !== undefined && known.items.length === known.length ? known.items : [...(list ?? [])];
  for (const item of more) items.push(item);
  const slice = { items, length: items.length };
  const view = new Proxy<Json[]>([], new FrozenView(slice));
  slices.set(view, slice);
  return view;
}

/**
 * Items are read where they are. Whoever asks for more than items gets a frozen copy, made once: it is the target of the
 * proxy, so that what is said of it is true.
 */
class FrozenView implements ProxyHandler<Json[]> {
  readonly #slice: Slice;

  constructor(slice: Slice) {
    this.#slice = slice;
  }

  get(target: Json[], key: string | symbol, receiver: unknown): unknown {
    const { items, length } = this.#slice;
    if (key === "length") return length;
    const at = indexOf(key);
    if (at === undefined) return Reflect.get(target, key, receiver);
    return at < length ? items[at] : undefined;
  }

  has(target: Json[], key: string | symbol): boolean {
    const at = indexOf(key);
    return at === undefined ? Reflect.has(target, key) : at < this.#slice.length;
  }

  ownKeys(target: Json[]): (string | symbol)[] {
    return Reflect.ownKeys(this.#copied(target));
  }

  getOwnPropertyDescriptor(target: Json[], key: string | symbol): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.#copied(target), key);
  }

  isExtensible(target: Json[]): boolean {
    return Reflect.isExtensible(this.#copied(target));
  }

  preventExtensions(target: Json[]): boolean {
    return Object.isFrozen(this.#copied(target));
  }

  defineProperty(target: Json[], key: string | symbol, descriptor: PropertyDescriptor): boolean {
    return Reflect.defineProperty(this.#copied(target), key, descriptor);
  }

  set(): boolean {
    return false;
  }

  deleteProperty(): boolean {
    return false;
  }

  setPrototypeOf(): boolean {
    return false;
  }

  #copied(target: Json[]): readonly Json[] {
    if (Object.isExtensible(target)) {
      const { items, length } = this.#slice;
      for (let at = 0; at < length; at++) target.push(items[at]!);
      Object.freeze(target);
    }
    return target;
  }
}

/** Undefined for what is no place in a list. */
function indexOf(key: string | symbol): number | undefined {
  if (typeof key !== "string") return undefined;
  const at = Number(key);
  return Number.isInteger(at) && at >= 0 && String(at) === key ? at : undefined;
}
