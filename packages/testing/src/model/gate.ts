/** A place where a streamed reply waits until the test lets it continue, so that slow streams need no sleeps. */
export class ModelGate {
  #permits = 0;
  #open = false;
  #waiting: (() => void)[] = [];
  #arrivals: (() => void)[] = [];

  /** Lets `count` waiting (or future) streams pass once. */
  release(count = 1): void {
    this.#permits += count;
    while (this.#permits > 0 && this.#waiting.length > 0) {
      this.#permits -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Lets every stream pass, now and later. */
  open(): void {
    this.#open = true;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Resolves once a stream waits at the gate. */
  async reached(): Promise<void> {
    if (this.#waiting.length > 0) return;
    await new Promise<void>((resolve) => this.#arrivals.push(resolve));
  }

  /** Waits for a permit, or until `gone` says that the client has left. */
  async pass(gone: AbortSignal): Promise<void> {
    if (this.#open || gone.aborted) return;
    if (this.#permits > 0) {
      this.#permits -= 1;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      for (const arrived of this.#arrivals.splice(0)) arrived();
      gone.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((go) => go !== resolve);
        resolve();
      });
    });
  }
}
