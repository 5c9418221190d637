// Calls of the agents of a run during which a program of theirs can be at work. OpenCode's port cannot tell a program from a
// person: such a program can type commands there.
export interface OpenCall {
  readonly run: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
}

export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  begin(id: string, call: OpenCall): void {
    this.#calls.set(keyOf(call.session, id), call);
  }

  end(session: string, id: string): void {
    this.#calls.delete(keyOf(session, id));
  }

  endAll(session: string): void {
    for (const [key, call] of this.#calls) if (call.session === session) this.#calls.delete(key);
  }

  isOpen(call: string): boolean {
    return [...this.#calls.keys()].some((key) => key.endsWith(` ${call}`));
  }

  /** One of this run if there is, else one of another. */
  find(run: string): OpenCall | undefined {
    const all = [...this.#calls.values()];
    return all.find((call) => call.run === run) ?? all[0];
  }
}

function keyOf(session: string, id: string): string {
  return `${session} ${id}`;
}
