// Lists that grow a little with every step. Copying and freezing the whole list each time would make a step cost as much
// as all steps before it.
import type { Json } from "../../run/json.ts";

/** A list and what was appended to it later share one array. Only the first `length` items belong to this list. */
interface Slice {
  readonly items: Json[];
  readonly length: number;
}

/** Of the lists created here. */
const slices = new WeakMap<readonly Json[], Slice>();

/**
 * A frozen list with more items at its end. The original list stays as it is; nothing is copied unless both keep growing.
 * The proxy reads items from the shared array. Callers that need more than items get a frozen copy, made once: it is the
 * proxy's target, so what the proxy reports about itself is true.
 */
export function appended(list: readonly Json[] | undefined, more: readonly Json[]): readonly Json[] {
  const known = list && slices.get(list);
  const items = known !== undefined && known.items.length === known.length ? known.items : [...(list ?? [])];
  for (const item of more) items.push(item);
  const { length } = items;
  const copied = (target: Json[]): readonly Json[] => {
    if (Object.isExtensible(target)) {
      for (let at = 0; at < length; at++) target.push(items[at]!);
      Object.freeze(target);
    }
    return target;
  };
  const view = new Proxy<Json[]>([], {
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
  });
  slices.set(view, { items, length });
  return view;
}

/** Undefined for anything that is not an index. */
function indexOf(key: string | symbol): number | undefined {
  if (typeof key !== "string") return undefined;
  const at = Number(key);
  return Number.isInteger(at) && at >= 0 && String(at) === key ? at : undefined;
}
