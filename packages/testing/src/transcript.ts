import { Waiting } from "./waiting.ts";

export interface TranscriptWait {
  /** Only entries from this position on; take `entries.length` as a mark before you act. */
  readonly after?: number;
  /** Milliseconds until the wait fails (default: 60 s). */
  readonly deadline?: number;
}

/** What an agent host said, in order, and a way to wait for what it says next. */
export class Transcript<Entry> {
  readonly entries: Entry[] = [];
  readonly #waiting = new Waiting<Entry>();

  add(entry: Entry): void {
    this.entries.push(entry);
    this.#waiting.announce(entry);
  }

  /** Nothing more will come: all pending waits fail with this reason. */
  close(reason: string): void {
    this.#waiting.close(reason);
  }

  /** The first entry, past or future, that matches; `what` names it in the error. */
  async waitFor(
    what: string,
    matches: (entry: Entry) => boolean,
    { after = 0, deadline = 60_000 }: TranscriptWait = {},
  ): Promise<Entry> {
    return await this.#waiting.first(this.entries.slice(after), matches, deadline, (why) => `No ${what}${why}`);
  }
}
