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
  const view = new Proxy<Json[]>([], frozenView(slice));
  slices.set(view, slice);
  return view;
}

/**
 * Items are read where they are. Whoever asks for more than items gets a frozen copy, made once: it is the target of the
 * proxy, so that what is said of it is true.
 */
function frozenView({ items, length }: Slice): ProxyHandler<Json[]> {
  const copied = (target: Json[]): readonly Json[] => {
    if (Object.isExtensible(target)) {
      for (let at = 0; at < length; at++) target.push(items[at]!);
      Object.freeze(target);
    }
    return target;
  };
  return {
    get: (target, key, receiver) => {
      if (key === "length") return length;
      const at = indexOf(key);
      if (at === undefined) return Reflect.get(target, key, receiver);
      return at < length ? items[at] : undefined;
    },
    has: (target, key) => {
      const at = indexOf(key);
      return at === undefined ? Reflect.has(target, key) : at < length;
    },
    ownKeys: (target) => Reflect.ownKeys(copied(target)),
    getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(copied(target), key),
    isExtensible: (target) => Reflect.isExtensible(copied(target)),
    preventExtensions: (target) => Object.isFrozen(copied(target)),
    defineProperty: (target, key, descriptor) => Reflect.defineProperty(copied(target), key, descriptor),
    set: () => false,
    deleteProperty: () => false,
    setPrototypeOf: () => false,
  };
}

/** Undefined for anything that is not an index. */
function indexOf(key: string | symbol): number | undefined {
  if (typeof key !== "string") return undefined;
  const at = Number(key);
  return Number.isInteger(at) && at >= 0 && String(at) === key ? at : undefined;
}
