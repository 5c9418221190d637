import type { Budget } from "./budget.ts";
import type { JournalEntry, StepNote } from "./events.ts";
import type { Json } from "./json.ts";
import type { RunCtx } from "./run-ctx.ts";
import type { RunState, RunStatus } from "./run-state.ts";

export interface StartRequest {
  /** Lower-case letters, digits, dot, dash and underscore; at most 64. */
  readonly runId: string;
  readonly graph: Json;
  readonly input: Json;
  readonly budget?: Budget;
  /** For people: the workflow's name. */
  readonly name?: string;
  readonly workspace?: Json;
}

/** The program of every run: makes its calls on `ctx` and nothing else. */
export type Interpret = (ctx: RunCtx, run: { readonly graph: Json; readonly input: Json }) => Promise<Json>;

/** What any engine can do. One contract suite holds them to it. */
export interface Engine {
  readonly name: "embedded" | "memory" | "dbos" | (string & {});
  /** Once per id: later calls do nothing. */
  start(request: StartRequest): Promise<void>;
  /** Kept even if the run does not wait yet. `ignored`: another signal with this key was first. */
  signal(runId: string, key: string, value: Json): Promise<"kept" | "ignored">;
  /** Aborts what runs, then the run ends as cancelled. Nothing happens to a run that has ended. */
  cancel(runId: string): Promise<void>;
  status(runId: string): Promise<RunStatus>;
  /** The records so far; with `follow`, also those to come until the run ends or stops, or its owner releases it or dies. */
  journal(runId: string, options?: JournalQuery): AsyncIterable<JournalEntry>;
  /** Works on every run that no other process works on, until it is stopped. */
  work(options: WorkOptions): Promise<Worker>;
}

export interface JournalQuery {
  readonly follow?: boolean;
  /** Only records after this one. */
  readonly after?: number;
}

export interface WorkOptions {
  /** How many runs are worked on at a time; those that wait for a signal or a date do not count. */
  readonly concurrency: number;
}

export interface Worker {
  /** Aborts running steps, which happen again elsewhere or later, and releases the runs. */
  stop(): Promise<void>;
}

/** What the engines of this package can do besides. */
export interface LocalEngine extends Engine {
  readonly name: "embedded" | "memory";
  /** Works on this run now. Rejects with `run-held` if a process already does, and names it. */
  run(runId: string): Promise<RunHandle>;
  /** The fold of the whole journal, and of messages that its owner has not seen yet. */
  state(runId: string): Promise<RunState>;
  /** Sets the named limits. A run that had stopped for them continues when it is worked on again. */
  raise(runId: string, budget: Budget): Promise<void>;
  /** Lets a failed run try again what has failed. */
  reopen(runId: string): Promise<void>;
  list(): Promise<RunSummary[]>;
  /** Removes ended runs, the oldest first, and nothing else. */
  prune(policy: PrunePolicy): Promise<Pruned>;
}

/** A run that this process works on. Iterating gives what happens from the beginning of this claim on. */
export interface RunHandle extends AsyncIterable<JournalEntry["event"] | StepNote> {
  readonly runId: string;
  /**
   * How it ended, stopped, or was released. Rejects if the run cannot be worked on: damaged, disk full; or `diverged`, if
   * this is not the program that began it. Then it has been released, and that program can continue it.
   */
  readonly ended: Promise<RunStatus>;
  /** Stops working on the run, so that it can be resumed later. */
  release(): Promise<void>;
}

export interface RunSummary {
  readonly runId: string;
  readonly name: string | undefined;
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly bytes: number;
}

export interface PrunePolicy {
  /** Runs that ended longer ago. */
  readonly olderThanMs?: number;
  /** As many of the oldest as it takes to keep all runs below this size. */
  readonly maxBytes?: number;
  readonly dryRun?: boolean;
}

export interface Pruned {
  readonly removed: readonly string[];
  readonly bytes: number;
}
