import type { LocalEngine } from "../../src/run/engine.ts";

/** A worker that can be killed: a process, or something that cannot be told from one. */
export interface WorkerProcess {
  /**
   * Resolves once the line was said, by any step that it runs: `begin <key>`, `end <key>`, `abort <key>`; or of a run
   * that it cannot work on: `problem <run> <code>`.
   */
  said(line: string): Promise<void>;
  /** Lets steps that are held under this key end, now or later. `*`: all of them. */
  open(key: string): void;
  /** kill -9 */
  kill(): Promise<void>;
  /** Nothing happens in it until it wakes. If runs are leased, another worker may take what it has. */
  pause(): Promise<void>;
  wake(): Promise<void>;
  /** Gives its runs back and ends. */
  stop(): Promise<void>;
}

/** An engine under test, and a place that its processes share. Steps whose name begins with `hold` wait to be opened. */
export interface Harness extends AsyncDisposable {
  /** To start, signal, cancel and look: works on nothing itself. */
  readonly client: LocalEngine;
  worker(options?: { interpreter?: string; concurrency?: number }): Promise<WorkerProcess>;
  /** A worker has its runs only for a while, unless it shows that it is alive. */
  readonly isLeased: boolean;
  /** What all steps of all processes have said, in order. */
  outside(): Promise<string[]>;
}
