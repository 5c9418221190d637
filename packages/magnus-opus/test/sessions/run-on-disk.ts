// A run on disk, and what people and other processes do to it.
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { EventOf, MagnusEvent, PersonIdentity } from "../../src/run/event.ts";
import * as persons from "../../src/run/person-actions.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { openRun, type RunJournal, type RunPlace } from "../../src/sessions/journal.ts";
import { anna, SimulatedRun, startEvent } from "../run/simulated-run.ts";

const shell: PersonIdentity = { kind: "person", how: "shell", name: "anna" };
export const start = startEvent({ options: { skipPlanReview: true } }) as EventOf<"run-started">;

export async function place() {
  const folder = await temporaryFolder("magnus-");
  const at: RunPlace = { journal: join(folder.path, "run", "journal.jsonl"), seal: join(folder.path, "seal.json") };
  await Bun.write(join(folder.path, "run", ".keep"), "");
  return Object.assign(folder, { at });
}

/** The events of a run that has come as far as that phase. */
export function until(phase: string): readonly MagnusEvent[] {
  const run = new SimulatedRun({ options: { skipPlanReview: true } });
  while (run.state.phase !== phase) if (!run.step()) run.person(persons.approve);
  return run.events.slice(1);
}

export async function act(
  place: RunPlace,
  action: (state: MagnusState, act: persons.Act) => persons.Acted,
  by = shell,
): Promise<void> {
  await using run = await openRun(place, { drive: false });
  const acted = action(run.state, { by, at: run.state.at + 1 });
  if (!acted.ok) throw new Error(acted.because);
  await run.append(acted.event);
}

export const paused = { kind: "paused", reason: "journal-changed" };

/** Seven times the same, as a shell would: each is right for where the run stands by then. */
export async function waiveToTheEnd(place: RunPlace): Promise<void> {
  await using run = await openRun(place, { drive: false });
  while (run.state.status.kind === "running") {
    const who = { by: shell, at: run.state.at + 1 };
    const acted = persons.waive(run.state, who, { gate: "phase", why: "trust me" });
    if (!acted.ok) throw new Error(acted.because);
    await run.append(acted.event);
  }
}

export const asAnna = (run: RunJournal) => ({ by: anna, at: run.state.at + 1 });

export async function say(run: RunJournal, acted: persons.Acted): Promise<MagnusState> {
  if (!acted.ok) throw new Error(acted.because);
  return await run.append(acted.event);
}

/** Persons' events are made anew: copies are not written. */
export async function replay(run: RunJournal, events: readonly MagnusEvent[]): Promise<void> {
  for (const event of events) await run.append(event);
}
