// A person acts on a run from a shell: beside the OpenCode that drives it, or alone.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { Refusal } from "@atomic/terminal/refusal";
import { processWords } from "../plugin/live/agent-programs.ts";
import { LiveRun } from "../plugin/live/live-run.ts";
import { isDecision, type MagnusEvent, type PersonDecision } from "../run/event.ts";
import { hadFreeShell, hold } from "../run/held.ts";
import { type ActName, personAct } from "../run/person-act.ts";
import type { Act } from "../run/person-actions.ts";
import { isOutput, phases } from "../run/phases.ts";
import type { RunState } from "../run/state.ts";
import { changedArtifacts } from "../sessions/artifacts.ts";
import { openRun, type RunJournal } from "../sessions/journal.ts";
import type { Project, RunName } from "./project.ts";

export interface Done {
  readonly event: PersonDecision;
  readonly state: RunState;
  /** Who drives the run, in a sentence; undefined: nobody does. */
  readonly driver: string | undefined;
  /** Its number, if it is held: agents of the run have had a shell of their own, so nobody can know that this was a person. */
  readonly held: number | undefined;
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

/** An agent tried to decide: the run's owner is told, even if the agent hides what we print. */
export async function recordAttempt(
  project: Project,
  typed: string,
  { agent, command, at }: { readonly agent: string; readonly command: string; readonly at: number },
): Promise<void> {
  const run = project.runs().find(({ id }) => id.startsWith(typed));
  if (run === undefined) return;
  const missing = `${command} needs a person's decision, but ${agent} is running this command`;
  const { place } = project.named(run.id);
  const found = await openAsDriver({ id: run.id, place });
  const journal = "journal" in found ? found.journal : await openRun(place, { drive: false });
  const by = { kind: "plugin" } as const;
  try {
    await journal.append({ type: "call-refused", at, by, session: "", agent, tool: "bash", gate: "record", missing });
  } finally {
    journal.close();
  }
}

/** Nobody else works on it: we look at the files as OpenCode would, so that what is approved is what is there. */
async function actAlone({ directory }: Project, journal: RunJournal, wanted: Wanted): Promise<Done> {
  const { worktree } = journal.state;
  const live = new LiveRun(journal, { directory, worktree });
  try {
    if (!existsSync(worktree)) {
      throw new Refusal("worktree-gone", {
        message: `${worktree} does not exist anymore.`,
        hint: "A run belongs to the folder in which it was started.",
      });
    }
    await live.record({ type: "run-opened" });
    const before = await live.lookAtFiles();
    const event = eventOf(before, wanted);
    return doneWith(event, before, await live.append(heldIfDoubted(event, before)), undefined);
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
    return doneWith(event, before, await journal.append(heldIfDoubted(event, before)), driver);
  } finally {
    journal.close();
  }
}

/** A shell is what the agents have, too: from then on only OpenCode takes a decision as a person's. */
function heldIfDoubted(event: PersonDecision, state: RunState): MagnusEvent {
  if (!hadFreeShell(state)) return event;
  const from = `${event.by.name ?? "a person"} in a shell, ${processWords()}`;
  return hold(event, from, "decided in a shell, after agents have had one");
}

function doneWith(event: PersonDecision, before: RunState, state: RunState, driver: string | undefined): Done {
  return { event, state, driver, held: state.heldSoFar > before.heldSoFar ? state.heldSoFar : undefined };
}

async function openAsDriver({ place }: RunName): Promise<{ journal: RunJournal } | { driver: string }> {
  try {
    return { journal: await openRun(place, { drive: true }) };
  } catch (error) {
    if (!(error instanceof DurableError && error.code === "locked")) throw error;
    return { driver: error.message };
  }
}

function eventOf(state: RunState, { name, words, act }: Wanted): PersonDecision {
  const acted = personAct(name, words, state, act);
  if (acted.ok && isDecision(acted.event)) return acted.event;
  if (acted.ok) throw new TypeError(`${acted.event.type} is not decided in a shell.`);
  throw new Refusal("not-now", { message: `Nothing was recorded: ${acted.because}.`, hint: acted.hint });
}

/** What the driver has not seen yet is not what would be approved. */
function refuseIfChanged(state: RunState, event: PersonDecision): void {
  if (event.type !== "approved") return;
  const { outputs } = phases[event.phase];
  const changed = changedArtifacts(join(state.worktree, state.folder), state.artifacts);
  const found = changed.find(({ path }) => outputs.some((output) => isOutput(output, path)));
  if (found === undefined) return;
  throw new Refusal("changed-meanwhile", {
    message: `Nothing was recorded: ${found.path} has changed since OpenCode looked at it.`,
    hint: "Read it again, type `/magnus-status` in OpenCode, and repeat this.",
    exitCode: 3,
  });
}
