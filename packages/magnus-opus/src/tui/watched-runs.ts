// The project's unfinished runs, read again only when their files change.
import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { QuietWatch } from "@atomic/workflows/internal/entities/watch/quiet-watch";
import type { MagnusEvent } from "../run/event.ts";
import { isOver, type MagnusState } from "../run/state.ts";
import { readRun } from "../sessions/journal.ts";
import { Sessions } from "../sessions/sessions.ts";
import { journalName, runPlace } from "../sessions/workplace.ts";

export interface WatchedRun {
  readonly state: MagnusState;
  /** The last refused call, if nothing was decided since. */
  readonly refusal: Extract<MagnusEvent, { type: "call-refused" }> | undefined;
}

export class WatchedRuns {
  readonly #directory: string;
  readonly #sessions: Sessions;
  readonly #watch: QuietWatch;
  readonly #changed: (runs: readonly WatchedRun[]) => void;
  readonly #known = new Map<string, { readonly stamp: string; readonly run: WatchedRun | undefined }>();

  constructor(
    directory: string,
    on: { readonly changed: (runs: readonly WatchedRun[]) => void; readonly failed: (error: unknown) => void },
  ) {
    this.#directory = directory;
    this.#sessions = new Sessions(directory);
    this.#changed = on.changed;
    this.#watch = new QuietWatch(async () => this.look(), on.failed);
  }

  look(): void {
    let isNew = false;
    // Read again after a folder has been watched, so nothing falls between.
    do {
      for (const { id, folder } of this.#sessions.list()) {
        const file = statSync(join(folder, journalName), { throwIfNoEntry: false });
        const stamp = file === undefined ? "" : `${file.size} ${file.mtimeMs}`;
        if (this.#known.get(id)?.stamp === stamp) continue;
        this.#known.set(id, { stamp, run: stamp === "" ? undefined : this.#read(id) });
        isNew = true;
      }
    } while (this.#watch.follow(this.#targets()));
    if (isNew) this.#changed([...this.#known.values()].flatMap(({ run }) => run ?? []).toSorted(newestFirst));
  }

  close(): void {
    this.#watch.close();
  }

  #targets() {
    const open = [...this.#known].flatMap(([id, { run }]) => (run !== undefined && isOver(run.state) ? [] : [id]));
    const folders = [this.#sessions.folder, ...open.map((id) => join(this.#sessions.folder, id))];
    return folders.map((folder) => {
      return { base: this.#directory, path: relative(this.#directory, folder).replaceAll("\\", "/"), deep: false };
    });
  }

  /** Undefined for a journal that is only half written, or damaged: `/magnus-status` reports it. */
  #read(id: string): WatchedRun | undefined {
    const { journal, seal } = runPlace({ directory: this.#directory, worktree: this.#directory }, id);
    try {
      const { state, events } = readRun(journal, seal);
      if (state === undefined) return undefined;
      const last = events.findLast(({ type, by }) => type === "call-refused" || by.kind === "person");
      return { state, refusal: last?.type === "call-refused" ? last : undefined };
    } catch (error) {
      if (error instanceof DurableError) return undefined;
      throw error;
    }
  }
}

function newestFirst(one: WatchedRun, other: WatchedRun): number {
  return other.state.startedAt - one.state.startedAt;
}
