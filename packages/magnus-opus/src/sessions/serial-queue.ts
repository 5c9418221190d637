/** Runs functions one at a time, in order. One that fails does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  async run<Value>(act: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => undefined); // the caller gets the error
    return await turn;
  }

  /** Resolves when everything queued so far is done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
