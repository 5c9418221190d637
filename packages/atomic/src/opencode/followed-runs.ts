// The project's open runs, read again only when their files change.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { isExplained } from "@atomic/durable-files/explained-error";
import { QuietWatch } from "@atomic/workflows/internal/entities/watch/quiet-watch";
import { projectEngine } from "@atomic/workflows/internal/project-engine";
import { fileStore } from "@atomic/workflows/internal/run/embedded/file-store";
import { runsFolder } from "@atomic/workflows/internal/run/embedded/runs-folder";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { RunStore } from "@atomic/workflows/internal/run/run-store";
import { questionsOf, type RunQuestion } from "../view/questions.ts";
import { hasEnded } from "../view/run-status.ts";
import { type RunView, RunViewer } from "../view/run-view.ts";

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

/** How many ended runs are watched. */
const mostEnded = 20;

export class FollowedRuns {
  readonly engine: LocalEngine;
  readonly #project: string;
  readonly #store: RunStore;
  readonly #watch: QuietWatch;
  readonly #changed: (runs: readonly FollowedRun[]) => void;
  readonly #failed: (error: unknown) => void;
  readonly #followed = new Map<string, Followed>();
  /** Ended, or unreadable: they are not opened again unless they change. */
  readonly #left = new Map<string, string | undefined>();
  #stamps = new Map<string, string | undefined>();
  #looking = false;
  #hasFailed = false;

  constructor(
    project: string,
    on: { readonly changed: (runs: readonly FollowedRun[]) => void; readonly failed: (error: unknown) => void },
  ) {
    this.#project = project;
    this.#changed = on.changed;
    this.#failed = on.failed;
    this.#store = fileStore(runsFolder(project));
    this.engine = projectEngine(project, {
      interpret: async () => {
        throw new Error("This engine can only read runs.");
      },
    });
    this.#watch = new QuietWatch(() => this.look(), on.failed);
  }

  /** Looks now, and from then on whenever something changes. */
  async look(): Promise<void> {
    if (this.#looking || this.#watch.isClosed) return this.#watch.soon();
    this.#looking = true;
    try {
      let isNew = false;
      // Read again after a folder has been watched, so nothing falls between.
      do {
        for (const runId of await this.#store.ids()) isNew = (await this.#readOrLeave(runId)) || isNew;
      } while (this.#watch.follow(this.#targets()));
      if (isNew && !this.#watch.isClosed) this.#changed(this.runs);
      for (const [runId, { viewer }] of [...this.#followed]) {
        if (viewer.view === undefined || !hasEnded(viewer.view.state.status)) continue;
        this.#followed.delete(runId);
        this.#left.set(runId, this.#stamps.get(runId));
      }
    } finally {
      this.#looking = false;
    }
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
  }

  /** Open runs, those that are just being created, and a few that have ended: they may be retried. */
  #targets(): { readonly base: string; readonly path: string; readonly deep: boolean }[] {
    const root = runsFolder(this.#project);
    const names = existsSync(root) ? readdirSync(root).filter((name) => !name.startsWith(".")) : [];
    const changedAt = (runId: string): number => Number(this.#left.get(runId)?.split(" ")[1] ?? 0);
    const ended = names.filter((name) => this.#left.has(name)).sort((a, b) => changedAt(b) - changedAt(a));
    const watched = [...names.filter((name) => !this.#left.has(name)), ...ended.slice(0, mostEnded)];
    const folder = relative(this.#project, root).replaceAll("\\", "/");
    const paths = [folder, ...watched.map((runId) => `${folder}/${runId}`)];
    return paths.map((path) => ({ base: this.#project, path, deep: false }));
  }

  async #readOrLeave(runId: string): Promise<boolean> {
    try {
      return await this.#read(runId);
    } catch (error) {
      this.#followed.delete(runId);
      this.#left.set(runId, undefined);
      // A folder whose name is not a run's id has no stamp.
      if (!isExplained(error) || error.code !== "bad-request") {
        const stamp = await this.#store.stamp(runId);
        // It was removed in the meantime.
        if (stamp === undefined) return false;
        this.#left.set(runId, stamp);
      }
      // One message for all of them: a folder can have hundreds.
      if (this.#hasFailed) return false;
      this.#hasFailed = true;
      const why = error instanceof Error ? error.message : String(error);
      this.#failed(new Error(`The run ${runId} cannot be shown: ${why}. See /runs`, { cause: error }));
      return false;
    }
  }

  /** Whether anything about the run is new. */
  async #read(runId: string): Promise<boolean> {
    const stamp = await this.#store.stamp(runId);
    if (stamp === undefined || (this.#left.has(runId) && this.#left.get(runId) === stamp)) return false;
    let run = this.#followed.get(runId);
    if (run === undefined) {
      const isOver = !this.#left.has(runId) && (await this.#store.ends(runId))?.last.type === "run-ended";
      if (isOver || !this.#isYours(runId)) {
        this.#left.set(runId, stamp);
        return false;
      }
      this.#left.delete(runId);
      const viewer = new RunViewer();
      run = {
        viewer,
        entries: this.#store.tail(runId, 0),
        notes: this.#store.notes(runId),
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
        ? await this.#store.isAlive(runId, status.owner)
        : ["paused", "cancelling"].includes(status.kind);
      // Only a waiting run is read with its inbox: a busy one has no time for answers anyway.
      run.questions = questionsOf(view.state).length === 0 ? [] : questionsOf(await this.engine.state(runId));
    }
    return isChanged || notes.length > 0;
  }

  /** On a machine with several users, others answer for their own runs. */
  #isYours(runId: string): boolean {
    const user = process.getuid?.();
    const owner = statSync(join(runsFolder(this.#project), runId), { throwIfNoEntry: false })?.uid;
    return user === undefined || owner === user;
  }
}
