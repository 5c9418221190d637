/** A value that is known now, or comes later: a store on this machine answers at once, one across a network does not. */
export type Awaitable<T> = T | Promise<T>;

/** Continues with a value at once, or with a promise's value later: most values that could be promises are not. */
export function whenDone<T, U>(value: T | PromiseLike<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** What a call returns when its run stops here: nothing continues, nothing fails, and the memory is collected. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
