/** The means to wait for something that has happened already or will: an event instead of a sleep. */
export class Waiting<Item> {
  readonly #waiters = new Set<(item: Item) => void>();

  /** Tells everybody who waits that `item` is new, or has changed. */
  tell(item: Item): void {
    for (const waiter of [...this.#waiters]) waiter(item);
  }

  /** The first that matches, of `known` or of what will be told; `complaint` completes the error past the deadline. */
  async first(
    known: readonly Item[],
    matches: (item: Item) => boolean,
    deadline: number,
    complaint: (deadline: string) => string,
  ): Promise<Item> {
    const found = known.find(matches);
    if (found !== undefined) return found;
    let timer: NodeJS.Timeout | undefined;
    let waiter: (item: Item) => void = () => undefined;
    try {
      return await new Promise<Item>((resolve, reject) => {
        waiter = (item) => {
          if (matches(item)) resolve(item);
        };
        this.#waiters.add(waiter);
        timer = setTimeout(() => reject(new Error(complaint(`within ${deadline} ms`))), deadline);
      });
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }
}
