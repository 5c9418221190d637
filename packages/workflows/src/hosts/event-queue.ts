/** Carries events from their producers to one consumer. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #end: { readonly reason?: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(item: T): void {
    if (this.#end !== undefined) return;
    this.#items.push(item);
    this.#wake?.();
  }

  /** Events that were pushed before are still delivered. */
  end(): void {
    this.#end ??= {};
    this.#wake?.();
  }

  /** Events that were pushed before are still delivered: a turn that fails has cost something too. */
  fail(reason: unknown): void {
    this.#end ??= { reason };
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: async () => {
        while (this.#items.length === 0 && this.#end === undefined) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        if (this.#items.length > 0) return { done: false, value: this.#items.shift() as T };
        if (this.#end !== undefined && "reason" in this.#end) throw this.#end.reason;
        return { done: true, value: undefined };
      },
    };
  }
}
