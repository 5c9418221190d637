// The runs of the current project.
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findRun, noRuns } from "@atomic/terminal/find-run";
import { Refusal, UsageError } from "@atomic/terminal/refusal";
import type { MagnusEvent } from "../run/event.ts";
import { isOver, type MagnusState } from "../run/state.ts";
import { type RunPlace, readRun } from "../sessions/journal.ts";
import { type SessionSummary, Sessions } from "../sessions/sessions.ts";
import { journalName, runPlace, sessionsFolder } from "../sessions/workplace.ts";

export interface RunName {
  readonly id: string;
  readonly place: RunPlace;
}

interface FoundRun extends RunName {
  readonly events: readonly MagnusEvent[];
  readonly state: MagnusState;
}

const hints = {
  list: "`magnus-opus list` lists them.",
  start: "`/implement <feature>` in OpenCode starts one.",
} as const;

export class Project {
  readonly directory: string;
  readonly #sessions: Sessions;

  constructor(directory: string) {
    this.directory = directory;
    this.#sessions = new Sessions(directory);
  }

  /** Runs that have a journal, newest first. */
  runs(): readonly SessionSummary[] {
    return this.#sessions.list().filter(({ folder }) => existsSync(join(folder, journalName)));
  }

  /** By its id or any unique prefix. */
  named(typed: string): RunName {
    const ids = this.#sessions.list().map((session) => session.id);
    const id = findRun(typed, ids, hints);
    return { id, place: this.#placeOf(id) };
  }

  /** The named run; otherwise the newest one that has not ended, or else the newest. */
  find(typed: string | undefined): FoundRun {
    let id: string;
    if (typed === undefined) {
      const all = this.runs().map((run) => run.id);
      if (all.length === 0) throw noRuns(hints);
      const open = all.find((each) => {
        const state = this.state(each);
        return state !== undefined && !isOver(state);
      });
      id = open ?? all[0]!;
    } else {
      id = this.named(typed).id;
    }
    const place = this.#placeOf(id);
    const { events, state } = existsSync(place.journal)
      ? readRun(place.journal, place.seal)
      : { events: [], state: undefined };
    if (state !== undefined) return { id, events, state, place };
    throw new Refusal("journal-unreadable", {
      message: `${place.journal} contains no readable run.`,
      at: place.journal,
      hint: "The file was not changed.",
      exitCode: 3,
    });
  }

  /** Undefined if nothing can be read. */
  state(id: string): MagnusState | undefined {
    const { journal, seal } = this.#placeOf(id);
    return readRun(journal, seal).state;
  }

  #placeOf(id: string): RunPlace {
    return runPlace({ directory: this.directory, worktree: this.directory }, id);
  }
}

/** The named folder, or the nearest parent folder with sessions. */
export function findProject(cwd: string, named: string | undefined): Project {
  if (named !== undefined) {
    const folder = resolve(cwd, named);
    if (!existsSync(folder))
      throw new UsageError(`there is no folder ${folder}`, {
        hint: "Pass --project the folder that OpenCode runs in.",
      });
    return new Project(realpathSync(folder));
  }
  const here = realpathSync(cwd);
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, sessionsFolder))) return new Project(folder);
    if (dirname(folder) === folder) return new Project(here);
  }
}
