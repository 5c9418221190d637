// The project's open runs, read again and again while the prompt line is there.
import { statSync } from "node:fs";
import { isExplained } from "@atomic/durable-files/explained-error";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import { RunReader } from "../live/run-reader.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import { hasEnded } from "../view/run-status.ts";
import type { RunView } from "../view/run-view.ts";

/** How often a run is looked at, and how often for new ones. */
const everyMs = 250;
const idleMs = 1000;
/** A folder that has not changed for so long has no run that is just being started. */
const settledMs = 10_000;

export interface OpenRun {
  readonly view: RunView;
  readonly status: RunStatus;
}

interface FollowedRun {
  readonly reader: RunReader;
  readonly createdAt: number;
  status: RunStatus;
}

export interface OpenRunsListener {
  changed(): void;
  /** A run that was open has ended. */
  ended(run: OpenRun): void;
  failed(error: unknown): void;
}

export class OpenRuns {
  readonly #runs: ProjectRuns;
  readonly #listener: OpenRunsListener;
  readonly #open = new Map<string, FollowedRun>();
  /** Runs that cannot be read, as they were. */
  readonly #unreadable = new Map<string, string | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #failure: string | undefined;
  #listedAt: number | undefined;
  #isStopped = false;

  constructor(runs: ProjectRuns, listener: OpenRunsListener) {
    this.#runs = runs;
    this.#listener = listener;
  }

  /** Newest first. */
  get list(): readonly OpenRun[] {
    const all = [...this.#open.values()].sort((a, b) => b.createdAt - a.createdAt);
    return all.flatMap(({ reader: { view }, status }) =>
      // The state of the journal does not know whether its process is still there.
      view === undefined ? [] : [{ view: { ...view, state: { ...view.state, status } }, status }],
    );
  }

  /** Looks now, and from then on again and again. One look at a time, so no event is taken twice. */
  async look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#lookOnce());
    await this.#looking;
  }

  async #lookOnce(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    try {
      if (await this.#read()) this.#listener.changed();
      this.#failure = undefined;
    } catch (error) {
      // Said once: the next look may go better.
      const failure = String(error);
      if (failure !== this.#failure) this.#listener.failed(error);
      this.#failure = failure;
    }
    if (!this.#isStopped) {
      this.#timer = setTimeout(() => void this.look(), this.#open.size > 0 ? everyMs : idleMs);
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #read(): Promise<boolean> {
    const { engine, folder } = this.#runs;
    let hasChanged = false;
    // A database does not say when its list of runs has changed.
    const changedAt = folder === undefined ? Date.now() : statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt !== undefined && changedAt !== this.#listedAt) {
      // The folder of a run is there a moment before the run is, and does not change when it is.
      this.#listedAt = Date.now() - changedAt > settledMs ? changedAt : undefined;
      for (const { runId, status, createdAt } of await engine.list()) {
        if (hasEnded(status) || status.kind === "damaged" || this.#open.has(runId)) continue;
        this.#open.set(runId, { reader: new RunReader(engine, runId), createdAt, status });
      }
    }
    for (const [runId, run] of this.#open) {
      const stamp = await engine.stamp(runId);
      // It may have been removed.
      if (stamp === undefined) {
        this.#open.delete(runId);
        hasChanged = true;
        continue;
      }
      if (this.#unreadable.has(runId) && this.#unreadable.get(runId) === stamp) continue;
      let isNew: boolean;
      let status: RunStatus;
      try {
        isNew = await run.reader.read();
        status = await engine.status(runId);
      } catch (error) {
        if (!(isExplained(error) && error.code === "damaged")) throw error;
        // The others are still followed.
        this.#unreadable.set(runId, stamp);
        this.#listener.failed(error);
        continue;
      }
      hasChanged ||= isNew || status.kind !== run.status.kind;
      run.status = status;
      const { view } = run.reader;
      if (!hasEnded(status) || view === undefined) continue;
      this.#open.delete(runId);
      this.#listener.ended({ view: { ...view, state: { ...view.state, status } }, status });
    }
    return hasChanged;
  }
}
