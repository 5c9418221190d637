export interface TranscriptWait {
  /** Only entries from this position on; take `entries.length` as a mark before you act. */
  readonly after?: number;
  /** Milliseconds until the wait fails (default: 60 s). */
  readonly deadline?: number;
}

/** What an agent host said, in order, and the means to wait for what it has not said yet. */
export class Transcript<Entry> {
  readonly entries: Entry[] = [];
  readonly #listeners = new Set<() => void>();
  #end: string | undefined;

  add(entry: Entry): void {
    this.entries.push(entry);
    this.#changed();
  }

  /** Nothing more will come: all pending waits fail with this reason. */
  close(reason: string): void {
    this.#end ??= reason;
    this.#changed();
  }

  /** The first entry, past or future, that matches; `what` names it in the error. */
  async waitFor(
    what: string,
    matches: (entry: Entry) => boolean,
    { after = 0, deadline = 60_000 }: TranscriptWait = {},
  ): Promise<Entry> {
    let timer: NodeJS.Timeout | undefined;
    let look = (): void => undefined;
    try {
      return await new Promise<Entry>((resolve, reject) => {
        look = () => {
          const found = this.entries.findIndex((entry, index) => index >= after && matches(entry));
          if (found >= 0) resolve(this.entries[found] as Entry);
          else if (this.#end !== undefined) reject(new Error(`No ${what}: ${this.#end}`));
        };
        timer = setTimeout(() => reject(new Error(`No ${what} within ${deadline} ms`)), deadline);
        this.#listeners.add(look);
        look();
      });
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(look);
    }
  }

  #changed(): void {
    for (const look of [...this.#listeners]) look();
  }
}
