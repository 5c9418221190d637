// Which runs can still be answered: a decision is a command in the session where the run began.
import { rootOf } from "../run/state.ts";
import type { WatchedRun } from "./watched-runs.ts";

export class RunSessions {
  /** By session, whether OpenCode has it. */
  readonly #exists = new Map<string, boolean>();
  readonly #ask: (session: string) => Promise<boolean>;

  constructor(ask: (session: string) => Promise<boolean>) {
    this.#ask = ask;
  }

  /** Those whose session OpenCode still has. It is asked about each session once. */
  async withSession(runs: readonly WatchedRun[]): Promise<readonly WatchedRun[]> {
    for (const { state } of runs) {
      const root = rootOf(state);
      if (root === undefined || this.#exists.has(root)) continue;
      const exists = await this.#ask(root);
      // It may have been deleted meanwhile.
      if (!this.#exists.has(root)) this.#exists.set(root, exists);
    }
    return runs.filter(({ state }) => this.#exists.get(rootOf(state) ?? "") === true);
  }

  deleted(session: string): void {
    this.#exists.set(session, false);
  }
}
