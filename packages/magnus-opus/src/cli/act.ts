// A person acts on a run from a shell: beside the OpenCode that drives it, or alone.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { type ActName, personAct } from "../commands/person-act.ts";
import { changedArtifacts } from "../live/artifacts.ts";
import { LiveRun } from "../live/live-run.ts";
import type { PersonEvent } from "../run/event.ts";
import { openRun, type RunJournal } from "../run/journal.ts";
import type { Act } from "../run/person-actions.ts";
import { isOutput, phases } from "../run/phases.ts";
import { type RunState, visitsOf } from "../run/state.ts";
import { Refusal } from "./cli-error.ts";
import type { Project, RunName } from "./project.ts";

export interface Done {
  readonly event: PersonEvent;
  readonly state: RunState;
  /** Who drives the run, in a sentence; undefined: nobody does. */
  readonly driver: string | undefined;
  /** Agents of the run have had a shell of their own, so its driver cannot know that this was a person. */
  readonly isDoubted: boolean;
}

/** One act of a person's: its name, and the words behind it. */
export interface Wanted {
  readonly name: ActName;
  readonly words: string;
  readonly act: Act;
}

export async function actOn(project: Project, run: RunName, wanted: Wanted): Promise<Done> {
  const found = await openAsDriver(run);
  if ("journal" in found) return await actAlone(project, found.journal, wanted);
  return await actBeside(run, found.driver, wanted);
}

/** Nobody else works on it: we look at the files as OpenCode would, so that what is approved is what is there. */
async function actAlone({ directory }: Project, journal: RunJournal, wanted: Wanted): Promise<Done> {
  const { worktree } = journal.state;
  const live = new LiveRun(journal, { directory, worktree });
  try {
    if (!existsSync(worktree)) {
      throw new Refusal(`${worktree} is not there any more.`, "The run belongs to the folder in which it began.");
    }
    await live.record({ type: "run-opened" });
    const event = eventOf(await live.lookAtFiles(), wanted);
    return { event, state: await live.append(event), driver: undefined, isDoubted: false };
  } finally {
    await live.close();
  }
}

async function actBeside({ place }: RunName, driver: string, wanted: Wanted): Promise<Done> {
  const journal = await openRun(place, { drive: false });
  try {
    const before = journal.state;
    const event = eventOf(before, wanted);
    refuseIfChanged(before, event);
    const state = await journal.append(event);
    return { event, state, driver, isDoubted: visitsOf(before, "implementation") > 0 };
  } finally {
    journal.close();
  }
}

async function openAsDriver({ place }: RunName): Promise<{ journal: RunJournal } | { driver: string }> {
  try {
    return { journal: await openRun(place, { drive: true }) };
  } catch (error) {
    if (!(error instanceof DurableError && error.code === "locked")) throw error;
    return { driver: error.message };
  }
}

function eventOf(state: RunState, { name, words, act }: Wanted): PersonEvent {
  const acted = personAct(name, words, state, act);
  if (acted.ok) return acted.event;
  throw new Refusal(`Nothing was recorded: ${acted.because}.`, acted.hint);
}

/** What the driver has not seen yet is not what would be approved. */
function refuseIfChanged(state: RunState, event: PersonEvent): void {
  if (event.type !== "approved") return;
  const { outputs } = phases[event.phase];
  const changed = changedArtifacts(join(state.worktree, state.folder), state.artifacts);
  const found = changed.find(({ path }) => outputs.some((output) => isOutput(output, path)));
  if (found === undefined) return;
  throw new Refusal(
    `Nothing was recorded: ${found.path} has changed since OpenCode looked at it.`,
    "Read it again, type `/magnus-status` in OpenCode, and repeat this.",
  );
}
