/** Which question a command opens: the first one, and if it is typed again, the next one, round and round. */
export class QuestionRound {
  readonly #opened = new Set<string>();
  #session: string | undefined;

  /**
   * @param keys Of the questions that wait, those of the session on screen first.
   * @param session On screen; another one begins a new round.
   */
  next(keys: readonly string[], session: string | undefined): string | undefined {
    if (session !== this.#session || keys.every((key) => this.#opened.has(key))) this.#opened.clear();
    this.#session = session;
    const key = keys.find((each) => !this.#opened.has(each));
    if (key !== undefined) this.#opened.add(key);
    return key;
  }
}
