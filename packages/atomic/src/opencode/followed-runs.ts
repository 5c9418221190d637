// The project's open runs, read again only when they change.
import { isExplained } from "@atomic/durable-files/explained-error";
import { QuietWatch } from "@atomic/workflows/internal/entities/watch/quiet-watch";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { RunStore } from "@atomic/workflows/internal/run/run-store";
import { questionsOf, type RunQuestion } from "../view/questions.ts";
import { hasEnded } from "../view/run-status.ts";
import { type RunView, RunViewer } from "../view/run-view.ts";
import { type ListedStamp, type RunSource, runSource } from "./run-sources.ts";

/** A run that has not ended, or has just ended. */
export interface FollowedRun {
  readonly runId: string;
  readonly view: RunView;
  /** With the answers that its process has not read yet. */
  readonly questions: readonly RunQuestion[];
  /** A process works on it, or did when something last happened. */
  readonly isWorkedOn: boolean;
}

interface Followed {
  readonly viewer: RunViewer;
  readonly entries: ReturnType<RunStore["tail"]>;
  readonly notes: ReturnType<RunStore["notes"]>;
  questions: readonly RunQuestion[];
  isWorkedOn: boolean;
}

interface FollowedRunsHooks {
  /** `lost`: runs that were removed since, or can no longer be read. */
  readonly changed: (runs: readonly FollowedRun[], lost: ReadonlySet<string>) => void;
  readonly failed: (error: unknown) => void;
}

export class FollowedRuns {
  readonly #source: RunSource;
  readonly #watch: QuietWatch;
  readonly #changed: FollowedRunsHooks["changed"];
  readonly #failed: (error: unknown) => void;
  readonly #followed = new Map<string, Followed>();
  /** Ended, or unreadable: they are not opened again unless they change. */
  readonly #left = new Map<string, string | undefined>();
  #stamps = new Map<string, string | undefined>();
  /** Followed from their creation to their end, even if that is between two looks. */
  readonly #expected = new Set<string>();
  /** Runs that cannot be shown, and were named since they could be read. */
  readonly #named = new Set<string>();
  #looking = false;

  private constructor(source: RunSource, watch: QuietWatch, on: FollowedRunsHooks) {
    this.#source = source;
    this.#watch = watch;
    this.#changed = on.changed;
    this.#failed = on.failed;
  }

  static async open(
    project: string,
    env: Readonly<Record<string, string | undefined>>,
    on: FollowedRunsHooks,
  ): Promise<FollowedRuns> {
    const watch: QuietWatch = new QuietWatch(() => followed.look(), on.failed);
    const followed = new FollowedRuns(await runSource(project, env, watch), watch, on);
    return followed;
  }

  get engine(): LocalEngine {
    return this.#source.engine;
  }

  /** Workers execute its runs, so none has to be continued here. */
  get hasWorkers(): boolean {
    return this.#source.hasWorkers;
  }

  /** A run that was just started: it is followed even if it has ended by now. */
  expect(runId: string): void {
    this.#expected.add(runId);
    this.#left.delete(runId);
    this.#watch.soon();
  }

  /** Looks now, and from then on whenever something changes. */
  async look(): Promise<void> {
    if (this.#looking || this.#watch.isClosed) return this.#watch.soon();
    this.#looking = true;
    try {
      let isNew = false;
      const damaged = new Map<string, unknown>();
      const shown = new Set(this.#followed.keys());
      const lost = new Set<string>();
      // Read again after a folder has been watched, so nothing falls between.
      do {
        const listed = await this.#source.list([...this.#followed.keys(), ...this.#expected]);
        for (const run of listed) isNew = (await this.#readOrLeave(run, damaged)) || isNew;
        for (const runId of this.#dropExcept(new Set(listed.map(({ runId }) => runId)))) lost.add(runId);
      } while (this.#source.follow(this.#left));
      for (const runId of damaged.keys()) if (shown.has(runId) && !this.#followed.has(runId)) lost.add(runId);
      if ((isNew || lost.size > 0) && !this.#watch.isClosed) this.#changed(this.runs, lost);
      // Last, so why a run is gone is what stays on the screen.
      this.#report(damaged);
      for (const [runId, { viewer }] of [...this.#followed]) {
        if (viewer.view === undefined || !hasEnded(viewer.view.state.status)) continue;
        this.#followed.delete(runId);
        this.#expected.delete(runId);
        this.#left.set(runId, this.#stamps.get(runId));
      }
    } finally {
      this.#looking = false;
    }
  }

  /** Returns the runs that were removed. */
  #dropExcept(listed: ReadonlySet<string>): readonly string[] {
    const left = this.#source.listsEnded ? this.#left.keys() : [];
    const gone = [...this.#followed.keys(), ...left].filter((runId) => !listed.has(runId));
    for (const runId of gone) {
      this.#drop(runId);
      this.#left.delete(runId);
      this.#named.delete(runId);
    }
    return gone;
  }

  #drop(runId: string): boolean {
    this.#stamps.delete(runId);
    this.#expected.delete(runId);
    return this.#followed.delete(runId);
  }

  /** One message for all of them, as a folder can have hundreds, and none for those that were named before. */
  #report(damaged: ReadonlyMap<string, unknown>): void {
    const fresh = [...damaged].filter(([runId]) => !this.#named.has(runId));
    for (const [runId] of fresh) this.#named.add(runId);
    const [first, ...others] = fresh;
    if (first === undefined) return;
    const [runId, error] = first;
    const why = error instanceof Error ? error.message : String(error);
    const more = others.length === 0 ? "See /runs" : `${others.length} more cannot be shown either; see /runs`;
    this.#failed(new Error(`Cannot show the run ${runId}: ${why}. ${more}`, { cause: error }));
  }

  /** The newest first. */
  get runs(): readonly FollowedRun[] {
    const found = [...this.#followed].flatMap(
      ([
        runId,
        {
          viewer: { view },
          questions,
          isWorkedOn,
        },
      ]) => (view === undefined ? [] : [{ runId, view, questions, isWorkedOn }]),
    );
    return found.sort((one, other) => other.view.state.createdAt - one.view.state.createdAt);
  }

  close(): void {
    this.#watch.close();
    this.#source.close().catch(this.#failed);
  }

  async #readOrLeave({ runId, stamp }: ListedStamp, damaged: Map<string, unknown>): Promise<boolean> {
    try {
      return await this.#read(runId, await stamp(), damaged);
    } catch (error) {
      const isShown = this.#drop(runId);
      this.#left.set(runId, undefined);
      // A folder whose name is not a run's id has no stamp.
      if (!isExplained(error) || error.code !== "bad-request") {
        const now = await this.#source.store.stamp(runId);
        // It was removed in the meantime.
        if (now === undefined) return isShown;
        this.#left.set(runId, now);
      }
      damaged.set(runId, error);
      return isShown;
    }
  }

  /** Whether anything about the run is new. */
  async #read(runId: string, stamp: string | undefined, damaged: Map<string, unknown>): Promise<boolean> {
    const { store } = this.#source;
    if (stamp === undefined || (this.#left.has(runId) && this.#left.get(runId) === stamp)) return false;
    let run = this.#followed.get(runId);
    if (run === undefined) {
      const isOver =
        !this.#left.has(runId) && !this.#expected.has(runId) && (await store.ends(runId))?.last.type === "run-ended";
      if (isOver || !(await this.#source.isYours(runId))) {
        this.#left.set(runId, stamp);
        return false;
      }
      this.#left.delete(runId);
      const viewer = new RunViewer();
      run = {
        viewer,
        entries: store.tail(runId, 0),
        notes: store.notes(runId),
        questions: [],
        isWorkedOn: false,
      };
      this.#followed.set(runId, run);
    }
    const notes = await run.notes();
    const isChanged = this.#stamps.get(runId) !== stamp;
    this.#stamps.set(runId, stamp);
    if (isChanged) for (const entry of await run.entries()) run.viewer.take(entry);
    for (const note of notes) run.viewer.note(note);
    const { view } = run.viewer;
    if (isChanged && view !== undefined) {
      const { status } = view.state;
      const isOwned = status.kind === "running" || status.kind === "waiting";
      run.isWorkedOn = isOwned
        ? await store.isAlive(runId, status.owner)
        : ["paused", "cancelling"].includes(status.kind);
      // Only a waiting run is read with its inbox: a busy one has no time for answers anyway.
      if (questionsOf(view.state).length === 0) run.questions = [];
      else {
        try {
          run.questions = questionsOf(await this.engine.state(runId));
        } catch (error) {
          // If only its inbox cannot be read, what it asks stays; its journal throws here.
          await store.read(runId);
          damaged.set(runId, error);
        }
      }
    }
    if (isChanged && !damaged.has(runId)) this.#named.delete(runId);
    return isChanged || notes.length > 0;
  }
}
