/** Waits for something that has already happened or will happen: an event instead of a sleep. */
export class Waiting<Item> {
  readonly #waiters = new Set<Waiter<Item>>();
  #end: string | undefined;

  /** Announces to all waiting callers that `item` is new, or has changed. */
  announce(item: Item): void {
    for (const waiter of [...this.#waiters]) waiter.look(item);
  }

  /** Nothing more will come: all waits, present and future, fail with this reason. */
  close(reason: string): void {
    this.#end ??= reason;
    for (const waiter of [...this.#waiters]) waiter.giveUp(`: ${this.#end}`);
  }

  /**
   * The first that matches, of `known` or of what is announced later. `complaint` makes the error message of a failed wait from
   * ` within … ms.`, or `: ` and the reason for the end.
   */
  async first(
    known: readonly Item[],
    matches: (item: Item) => boolean,
    deadline: number,
    complaint: (why: string) => string,
  ): Promise<Item> {
    const found = known.find(matches);
    if (found !== undefined) return found;
    if (this.#end !== undefined) throw new Error(complaint(`: ${this.#end}`));
    let waiter: Waiter<Item> | undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Item>((resolve, reject) => {
        waiter = {
          look: (item) => {
            if (matches(item)) resolve(item);
          },
          giveUp: (why) => reject(new Error(complaint(why))),
        };
        timer = setTimeout(waiter.giveUp, deadline, ` within ${deadline} ms.`);
        this.#waiters.add(waiter);
      });
    } finally {
      clearTimeout(timer);
      if (waiter !== undefined) this.#waiters.delete(waiter);
    }
  }
}

interface Waiter<Item> {
  readonly look: (item: Item) => void;
  readonly giveUp: (why: string) => void;
}

/** A promise that is resolved from outside, to wait for an event instead of a time. */
export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
}

export function deferred(): Deferred {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The value, or undefined if it takes longer than `deadline` milliseconds. */
export async function within<Value>(deadline: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), deadline);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
