import type { Budget } from "./budget.ts";
import type { JournalEntry, RunRevised, StepNote, Stored } from "./events.ts";
import type { Json } from "./json.ts";
import type { RunCtx } from "./run-ctx.ts";
import type { RunState, RunStatus } from "./run-state.ts";

export interface StartRequest {
  /** Up to 64 lower-case letters, digits, dots, dashes and underscores. */
  readonly runId: string;
  readonly graph: Json;
  readonly input: Json;
  readonly budget?: Budget;
  /** The workflow's name, for display. */
  readonly name?: string;
  readonly workspace?: Json;
  /** The hosts that a worker needs for it. */
  readonly needs?: readonly string[];
}

/** The program of every run. It makes its calls on `ctx` and does nothing else. */
export type Interpret = (ctx: RunCtx, run: StartedRun) => Promise<Json>;

/** What was recorded when the run was started. */
export type StartedRun = Pick<RunState, "graph" | "input" | "name" | "workspace">;

/** What every engine can do. One contract suite tests them all. */
export interface Engine {
  readonly name: string;
  /** Creates the run. `exists`: a run with this id was started before, and nothing was changed. */
  start(request: StartRequest): Promise<"started" | "exists">;
  /** Sends an answer, which is kept even if the run does not wait for it yet. `ignored`: another signal with this key came first. */
  signal(runId: string, key: string, value: Json): Promise<"kept" | "ignored">;
  /** Aborts running steps and ends the run as cancelled. Does nothing to a run that has ended. */
  cancel(runId: string): Promise<void>;
  status(runId: string): Promise<RunStatus>;
  /** The records so far; with `follow`, also those to come until the run ends or stops, or its owner releases it or dies. */
  journal(runId: string, options?: JournalQuery): AsyncIterable<JournalEntry>;
  /** Works on every run that no other process works on, until you stop it. */
  work(options: WorkOptions): Promise<Worker>;
}

export interface JournalQuery {
  readonly follow?: boolean;
  /** Only records after this one. */
  readonly after?: number;
}

export interface WorkOptions {
  /** How many runs it works on at a time; runs that wait for a signal or a date do not count. */
  readonly concurrency: number;
}

export interface Worker {
  /** Aborts running steps, which run again later or elsewhere, and releases the runs. */
  stop(): Promise<void>;
}

/** What this package's engines can do in addition. */
export interface LocalEngine extends Engine {
  /** Works on this run now. Rejects with `run-held`, naming the process, if another process already does. */
  run(runId: string): Promise<RunHandle>;
  /** The fold of the whole journal and of messages that its owner has not read yet. */
  state(runId: string): Promise<RunState>;
  /**
   * The whole value of a result in an event or in the state, or only what is at a path in it (`["outputs", "summary"]`);
   * undefined if nothing is there. Rejects with `damaged` if a value is not what was written.
   */
  load(runId: string, stored: Stored, path?: readonly string[]): Promise<Json | undefined>;
  /** The whole value, but its large parts are read when they are looked at, and each time anew. */
  loadLarge(runId: string, stored: Stored): Promise<Json>;
  /**
   * A function that returns what the run's steps have reported since its last call: an agent's prompt, texts, tool calls and
   * changed files. Long texts are shortened. Nothing if the transcript was removed.
   */
  notes(runId: string): () => Promise<StepNote[]>;
  /** Changes whenever the run does, and is cheap to read. Undefined if there is no such run. */
  stamp(runId: string): Promise<string | undefined>;
  /** Sets the named limits. A run that stopped at a limit continues when it is worked on again. */
  raise(runId: string, budget: Budget): Promise<void>;
  /**
   * Continues with a changed workflow: only with other functions, or with another graph from a node on. Rejects with
   * `run-held` if a process works on the run.
   */
  revise(runId: string, revision: Omit<RunRevised, "type">): Promise<void>;
  /** Lets a failed run retry what failed. */
  reopen(runId: string): Promise<void>;
  list(): Promise<RunSummary[]>;
  /** Removes only runs that have ended, the oldest first. */
  prune(policy: PrunePolicy): Promise<Pruned>;
  /** Ends the connections of an engine that has some. It cannot be used afterwards. */
  close(): Promise<void>;
}

/** A run that this process works on. Iterate over it for everything since this process took it. */
export interface RunHandle extends AsyncIterable<JournalEntry["event"] | StepNote> {
  readonly runId: string;
  /**
   * How it ended, stopped, or was released. Rejects if the run cannot be worked on, because it is damaged or the disk is full;
   * or with `diverged` if another program started it. Then it has been released, and that program can continue it.
   */
  readonly ended: Promise<RunStatus>;
  /** Stops working on the run, which can be resumed later. */
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
  /** Removes runs that ended longer ago than this. */
  readonly olderThanMs?: number;
  /** Removes the oldest runs until all runs together are below this size. */
  readonly maxBytes?: number;
  /** Removes only the transcripts of these runs; the runs stay. */
  readonly transcripts?: boolean;
  readonly dryRun?: boolean;
}

export interface Pruned {
  readonly removed: readonly string[];
  readonly bytes: number;
}
