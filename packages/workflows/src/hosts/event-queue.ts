interface Waiting<T> {
  readonly resolve: (result: IteratorResult<T>) => void;
  readonly reject: (reason: unknown) => void;
}

/** Carries events from their producers to one consumer. */
export class EventQueue<T> implements AsyncIterable<T> {
  #waiting: Waiting<T> | undefined;
  readonly #items: T[] = [];
  #end: { readonly reason?: unknown } | undefined;

  push(item: T): void {
    if (this.#end !== undefined) return;
    if (this.#waiting === undefined) this.#items.push(item);
    else this.#settle().resolve({ done: false, value: item });
  }

  /** Events that were pushed before are still delivered. */
  end(): void {
    this.#end ??= {};
    if (this.#waiting !== undefined) this.#settle().resolve({ done: true, value: undefined });
  }

  /** Events that were pushed before are still delivered: a turn that fails has cost something too. */
  fail(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { reason };
    if (this.#waiting !== undefined) this.#settle().reject(reason);
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: async () => {
        if (this.#items.length > 0) return { done: false, value: this.#items.shift() as T };
        if (this.#end !== undefined && "reason" in this.#end) throw this.#end.reason;
        if (this.#end !== undefined) return { done: true, value: undefined };
        return await new Promise((resolve, reject) => {
          this.#waiting = { resolve, reject };
        });
      },
    };
  }

  #settle(): Waiting<T> {
    const waiting = this.#waiting as Waiting<T>;
    this.#waiting = undefined;
    return waiting;
  }
}
