/** One after the other, in the order in which they came. One that fails does not stop the next. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  async take<Value>(act: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => undefined); // told to whoever took the turn
    return await turn;
  }

  /** When all that came so far is done. */
  async over(): Promise<void> {
    await this.#last;
  }
}
