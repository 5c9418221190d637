// The unfinished tool calls of a run's agents, and the prompts that OpenCode really showed for them.

export interface OpenCall {
  readonly run: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
}

/**
 * Calls during which a program started by an agent may be running. OpenCode's port cannot tell a program from a person, so such
 * a program could type commands.
 */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  begin(id: string, call: OpenCall): void {
    this.#calls.set(`${call.session} ${id}`, call);
  }

  end(session: string, id: string): void {
    this.#calls.delete(`${session} ${id}`);
  }

  endAll(session: string): void {
    for (const [key, call] of this.#calls) if (call.session === session) this.#calls.delete(key);
  }

  isOpen(call: string): boolean {
    return [...this.#calls.keys()].some((key) => key.endsWith(` ${call}`));
  }

  /** A call of this run if there is one, otherwise one of another run. */
  find(run: string): OpenCall | undefined {
    const all = [...this.#calls.values()];
    return all.find((call) => call.run === run) ?? all[0];
  }
}

/** Prompts that OpenCode has really shown, by the tool call that asked for them. */
export class ShownPrompts {
  readonly #shown = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  readonly #timeoutMs: number;

  /** How long OpenCode may take to report a prompt that has already been answered. */
  constructor(timeoutMs = 5_000) {
    this.#timeoutMs = timeoutMs;
  }

  add(call: string): void {
    this.#shown.add(call);
    this.#waiting.get(call)?.();
  }

  /** OpenCode does not wait for its event listeners, so an answer can arrive before the event about its prompt. */
  async wasShown(call: string): Promise<boolean> {
    if (this.#shown.has(call)) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#timeoutMs);
      this.#waiting.set(call, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#waiting.delete(call);
    return this.#shown.has(call);
  }
}
