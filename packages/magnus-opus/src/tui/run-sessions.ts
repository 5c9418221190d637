// Which runs can still be answered: a decision is a command in the session where the run began.
import { isOver, rootOf } from "../run/state.ts";
import type { WatchedRun } from "./watched-runs.ts";

/** A project can have hundreds. */
const mostOver = 5;

export class RunSessions {
  /** By session, whether OpenCode has it. */
  readonly #exists = new Map<string, boolean>();
  readonly #ask: (session: string) => Promise<boolean>;

  constructor(ask: (session: string) => Promise<boolean>) {
    this.#ask = ask;
  }

  /**
   * Those whose session OpenCode still has, or may have. It is asked about each session once.
   *
   * @param runs The newest first. Of those that are over, only the first ones are shown.
   */
  async withSession(runs: readonly WatchedRun[]): Promise<readonly WatchedRun[]> {
    const over = runs.filter(({ state }) => isOver(state)).slice(mostOver);
    const shown = runs.filter((run) => !over.includes(run));
    const there = await Promise.all(shown.map(({ state }) => this.#has(rootOf(state))));
    return shown.filter(({ state }, at) => there[at] && this.#exists.get(rootOf(state) ?? "") !== false);
  }

  async #has(root: string | undefined): Promise<boolean> {
    if (root === undefined) return false;
    const known = this.#exists.get(root);
    if (known !== undefined) return known;
    // Whatever the reason that there is no answer: it is no reason to hide a run.
    const exists = await this.#ask(root).catch(() => undefined);
    // It may have been deleted meanwhile.
    if (exists !== undefined && !this.#exists.has(root)) this.#exists.set(root, exists);
    return exists ?? true;
  }

  deleted(session: string): void {
    this.#exists.set(session, false);
  }
}
