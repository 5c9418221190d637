/** Prompts that OpenCode has really shown, by the call of a tool that wanted them. */
export class Prompts {
  readonly #shown = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  readonly #patience: number;

  /** How long OpenCode may take to tell of a prompt that has been answered already. */
  constructor(milliseconds = 5_000) {
    this.#patience = milliseconds;
  }

  saw(call: string): void {
    this.#shown.add(call);
    this.#waiting.get(call)?.();
  }

  /** OpenCode does not wait for those who hear of its events, so that an answer can be there before its question. */
  async wasShown(call: string): Promise<boolean> {
    if (this.#shown.has(call)) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#patience);
      this.#waiting.set(call, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#waiting.delete(call);
    return this.#shown.has(call);
  }
}
