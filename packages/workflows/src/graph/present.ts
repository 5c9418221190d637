/** The same, with keys that may be missing in place of keys that may be undefined. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out what is undefined: data has no word for it. */
export function present<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Present<T>;
}
