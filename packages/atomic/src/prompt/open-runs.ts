// The project's open runs, read again and again while the prompt line is there.
import { statSync } from "node:fs";
import { hostname } from "node:os";
import { isExplained } from "@atomic/durable-files/explained-error";
import type { RunState, RunStatus } from "@atomic/workflows/internal/run/run-state";
import { RunReader } from "../live/run-reader.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import { questionsOf } from "../view/questions.ts";
import { hasEnded } from "../view/run-status.ts";
import type { RunView } from "../view/run-view.ts";

/** How often a run is looked at, and how often for new ones. */
const everyMs = 250;
const idleMs = 1000;
/** A run that was started here has a process, which needs a moment until it works on it. */
const startingMs = 5000;
/** A folder that has not changed for so long has no run that is just being started. */
const settledMs = 10_000;

export interface OpenRun {
  /** With the answers that its process has not read yet. */
  readonly view: RunView;
  readonly status: RunStatus;
}

interface FollowedRun {
  readonly reader: RunReader;
  status: RunStatus;
  /** With those in the inbox; undefined while nothing is asked. */
  signals?: RunState["signals"] | undefined;
}

export interface OpenRunsListener {
  changed(): void;
  /** A run that was open has ended. */
  ended(run: OpenRun): void;
  /** A run that was open can no longer be read. */
  damaged(runId: string, error: unknown): void;
  failed(error: unknown): void;
}

export class OpenRuns {
  readonly #runs: ProjectRuns;
  readonly #listener: OpenRunsListener;
  readonly #open = new Map<string, FollowedRun>();
  /** Runs that were started here, until they are first read: a short one may have ended by then. */
  readonly #started = new Set<string>();
  /** The processes of runs that were started or continued here, and since when. */
  readonly #starting = new Map<string, { readonly pid: number; readonly since: number }>();
  /** Runs whose end was shown, as they were then: one that is continued ends once more. */
  readonly #ended = new Map<string, string | undefined>();
  /** Runs that cannot be read, as they were. */
  readonly #unreadable = new Map<string, string | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #failure: unknown;
  #listedAt: number | undefined;
  #isStopped = false;

  constructor(runs: ProjectRuns, listener: OpenRunsListener) {
    this.#runs = runs;
    this.#listener = listener;
  }

  /** Why the last look failed; undefined if it did not. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Newest first. */
  get list(): readonly OpenRun[] {
    const all = [...this.#open.values()].flatMap(({ reader: { view }, status, signals = view?.state.signals }) =>
      // The state of the journal knows neither whether its process is still there, nor what is in the inbox.
      view === undefined || signals === undefined
        ? []
        : [{ view: { ...view, state: { ...view.state, status, signals } }, status }],
    );
    return all.sort((a, b) => b.view.state.createdAt - a.view.state.createdAt);
  }

  /** A process was started for this run. Until that works on it, the run counts as running. */
  starts(runId: string, pid = 0): void {
    this.#starting.set(runId, { pid, since: Date.now() });
  }

  /** That process has refused the run. */
  refuses(runId: string): void {
    this.#starting.delete(runId);
  }

  /** Looks at a run that was started here. Its end is shown even if it came before any look. */
  async follow(runId: string, pid: number): Promise<void> {
    this.#started.add(runId);
    this.starts(runId, pid);
    await this.look();
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
      if (String(error) !== String(this.#failure)) this.#listener.failed(error);
      this.#failure = error;
    }
    if (!this.#isStopped) {
      this.#timer = setTimeout(() => void this.look(), this.#open.size > 0 ? everyMs : idleMs);
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #orStarting(runId: string, status: RunStatus): RunStatus {
    const starting = this.#starting.get(runId);
    if (starting === undefined) return status;
    const isIdle = status.kind === "pending" || status.kind === "interrupted";
    if (isIdle && Date.now() - starting.since <= startingMs)
      return { kind: "running", owner: { pid: starting.pid, host: hostname() } };
    // If it is idle again, that is news.
    this.#starting.delete(runId);
    return status;
  }

  async #read(): Promise<boolean> {
    const { engine, folder } = this.#runs;
    let hasChanged = false;
    for (const [runId, stamp] of this.#unreadable) {
      if ((await engine.stamp(runId)) === stamp) continue;
      // It may have been repaired: it is looked for as a new one is.
      this.#unreadable.delete(runId);
      this.#listedAt = undefined;
    }
    // A database does not say when its list of runs has changed.
    const changedAt = folder === undefined ? Date.now() : statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt !== undefined && changedAt !== this.#listedAt) {
      // The folder of a run is there a moment before the run is, and does not change when it is.
      const isSettled = Date.now() - changedAt > settledMs;
      for (const { runId, status } of await engine.list()) {
        const isHere = this.#open.has(runId) || this.#unreadable.has(runId);
        if (hasEnded(status) || isHere) continue;
        if (status.kind === "damaged") {
          this.#unreadable.set(runId, await engine.stamp(runId));
          continue;
        }
        this.#open.set(runId, { reader: new RunReader(engine, runId), status });
      }
      this.#listedAt = isSettled ? changedAt : undefined;
    }
    for (const runId of this.#started) {
      const stamp = await engine.stamp(runId);
      this.#started.delete(runId);
      // With its own --engine it is somewhere else.
      if (this.#open.has(runId) || stamp === undefined || stamp === this.#ended.get(runId)) continue;
      this.#open.set(runId, { reader: new RunReader(engine, runId), status: { kind: "pending" } });
    }
    for (const [runId, run] of this.#open) {
      const stamp = await engine.stamp(runId);
      // It may have been removed.
      if (stamp === undefined) {
        this.#open.delete(runId);
        hasChanged = true;
        continue;
      }
      let isNew: boolean;
      let status: RunStatus;
      try {
        isNew = await run.reader.read();
        const { view } = run.reader;
        // Only a run that asks is read with its inbox: no other one waits for what is in there.
        const isAsking = view !== undefined && questionsOf(view.state).length > 0;
        const now = isAsking ? await engine.state(runId) : { status: await engine.status(runId), signals: undefined };
        status = this.#orStarting(runId, now.status);
        run.signals = now.signals;
      } catch (error) {
        if (!(isExplained(error) && error.code === "damaged")) throw error;
        // What was read of it is not how it is now. The others are still followed.
        this.#unreadable.set(runId, stamp);
        this.#open.delete(runId);
        hasChanged = true;
        this.#listener.damaged(runId, error);
        continue;
      }
      hasChanged ||= isNew || status.kind !== run.status.kind;
      run.status = status;
      const { view } = run.reader;
      if (!hasEnded(status) || view === undefined) continue;
      this.#ended.set(runId, await engine.stamp(runId));
      this.#open.delete(runId);
      this.#listener.ended({ view: { ...view, state: { ...view.state, status } }, status });
    }
    return hasChanged;
  }
}
