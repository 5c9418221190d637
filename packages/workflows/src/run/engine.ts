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
  /** Kept also if nobody waits yet. `ignored`: somebody was first. */
  signal(runId: string, key: string, value: Json): Promise<"kept" | "ignored">;
  /** Aborts what runs, then the run ends as cancelled. Nothing happens to a run that has ended. */
  cancel(runId: string): Promise<void>;
  status(runId: string): Promise<RunStatus>;
  /** The records so far; with `follow`, also those to come until the run ends, stops or loses its owner, who gives it back or dies. */
  journal(runId: string, options?: JournalQuery): AsyncIterable<JournalEntry>;
  /** Works on every run that nobody else works on, until it is stopped. */
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
  /** Aborts running steps, which happen again elsewhere or later, and gives the runs back. */
  stop(): Promise<void>;
}

/** What the engines of this package can do besides. */
export interface LocalEngine extends Engine {
  readonly name: "embedded" | "memory";
  /** Works on this run now. Rejects with `run-held` if somebody does already, naming them. */
  run(runId: string): Promise<RunHandle>;
  /** The fold of the whole journal, and of messages that its owner has not seen yet. */
  state(runId: string): Promise<RunState>;
  /** New limits for the ones named. A run that had stopped for them goes on when it is worked on again. */
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
   * How it ended, stopped, or was given back. Rejects if the run cannot be worked on: damaged, disk full; or `diverged`, if
   * this is not the program that began it. Then it has been given back, and that program can go on with it.
   */
  readonly ended: Promise<RunStatus>;
  /** Gives the run back, to be resumed later. */
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
