/** So many at a time; the others wait in the order in which they came. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Undefined: taken at once. */
  take(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** A place that one step wants, has or leaves to others for a while. */
export class Seat {
  readonly #places: Places;
  #isWanted = false;
  #isTaken = false;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Undefined: taken at once, or before. */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return undefined;
    this.#isWanted = true;
    const free = this.#places.take();
    if (free !== undefined) return free.then(() => this.#came());
    this.#isTaken = true;
    return undefined;
  }

  give(): void {
    this.#isWanted = false;
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#places.give();
  }

  #came(): void {
    if (this.#isWanted && !this.#isTaken) this.#isTaken = true;
    else this.#places.give();
  }
}

/** Queues by name. One that nobody has given a size has room for all. */
export class Queues {
  readonly #places: ReadonlyMap<string, Places>;

  constructor(sizes: Readonly<Record<string, number>> = {}) {
    this.#places = new Map(Object.entries(sizes).map(([name, size]) => [name, new Places(size)]));
  }

  of(name: string | undefined): Places | undefined {
    return name === undefined ? undefined : this.#places.get(name);
  }
}
