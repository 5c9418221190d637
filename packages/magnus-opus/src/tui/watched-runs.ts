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

export interface FoundRuns {
  /** The newest first. */
  readonly runs: readonly WatchedRun[];
  /** Why a run cannot be read, by its id. */
  readonly damaged: ReadonlyMap<string, string>;
}

type Reading =
  | { readonly kind: "run"; readonly run: WatchedRun }
  | { readonly kind: "damaged"; readonly why: string }
  /** Nothing is recorded yet, or no longer. */
  | { readonly kind: "none" };

export class WatchedRuns {
  readonly #directory: string;
  readonly #sessions: Sessions;
  readonly #watch: QuietWatch;
  readonly #changed: (found: FoundRuns) => void;
  readonly #known = new Map<string, { readonly stamp: string; readonly reading: Reading }>();

  constructor(
    directory: string,
    on: { readonly changed: (found: FoundRuns) => void; readonly failed: (error: unknown) => void },
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
      const listed = this.#sessions.list();
      const gone = [...this.#known.keys()].filter((known) => listed.every(({ id }) => id !== known));
      for (const id of gone) this.#known.delete(id);
      isNew ||= gone.length > 0;
      for (const { id, folder } of listed) {
        const stamp = stampOf(join(folder, journalName));
        const known = this.#known.get(id);
        if (known?.stamp === stamp) continue;
        const reading: Reading = stamp === "" ? { kind: "none" } : this.#read(id, known?.reading);
        this.#known.set(id, { stamp, reading });
        isNew = true;
      }
    } while (this.#watch.follow(this.#targets()));
    if (isNew) this.#changed(this.#found());
  }

  #found(): FoundRuns {
    const runs: WatchedRun[] = [];
    const damaged = new Map<string, string>();
    for (const [id, { reading }] of this.#known) {
      if (reading.kind === "run") runs.push(reading.run);
      if (reading.kind === "damaged") damaged.set(id, reading.why);
    }
    return { runs: runs.toSorted(newestFirst), damaged };
  }

  close(): void {
    this.#watch.close();
  }

  #targets() {
    const open = [...this.#known].flatMap(([id, { reading }]) =>
      reading.kind === "run" && isOver(reading.run.state) ? [] : [id],
    );
    const folders = [this.#sessions.folder, ...open.map((id) => join(this.#sessions.folder, id))];
    return folders.map((folder) => {
      return { base: this.#directory, path: relative(this.#directory, folder).replaceAll("\\", "/"), deep: false };
    });
  }

  #read(id: string, before: Reading | undefined): Reading {
    const { journal, seal } = runPlace({ directory: this.#directory, worktree: this.#directory }, id);
    try {
      const { state, events } = readRun(journal, seal);
      if (state === undefined) {
        // The first event of a new run may be only half written.
        const isNew = before === undefined || before.kind === "none";
        return isNew ? { kind: "none" } : { kind: "damaged", why: `${journal} contains no readable run` };
      }
      const last = events.findLast(({ type, by }) => type === "call-refused" || by.kind === "person");
      return { kind: "run", run: { state, refusal: last?.type === "call-refused" ? last : undefined } };
    } catch (error) {
      if (!(error instanceof DurableError)) throw error;
      // It was removed in the meantime.
      return stampOf(journal) === "" ? { kind: "none" } : { kind: "damaged", why: error.message };
    }
  }
}

/** Empty if there is no file. */
function stampOf(journal: string): string {
  const file = statSync(journal, { throwIfNoEntry: false });
  return file === undefined ? "" : `${file.size} ${file.mtimeMs}`;
}

function newestFirst(one: WatchedRun, other: WatchedRun): number {
  return other.state.startedAt - one.state.startedAt;
}
