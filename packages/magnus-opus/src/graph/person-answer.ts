// What a person is asked, and what an answer means: the same actions as everywhere else.

import { readYesNo } from "@atomic/terminal/questions";
import { nextStep } from "../run/next-step.ts";
import { type ActName, acts, personAct } from "../run/person-act.ts";
import { type Act, type Acted, no } from "../run/person-actions.ts";
import { offerCommands } from "../run/person-commands.ts";
import { phases } from "../run/phases.ts";
import { type MagnusEvents, runOf, StepRecord } from "./record.ts";

/** Whether only a person can continue. */
export function waits(events: MagnusEvents): boolean {
  const { do: what } = nextStep(runOf(events));
  return what === "wait" || what === "paused";
}

export function question(events: MagnusEvents, problem: string): string {
  offerCommands({ commands: "answers" });
  const state = runOf(events);
  const step = nextStep(state);
  const lines = problem === "" ? [] : [`Nothing was recorded: ${problem}`];
  let answers = ['"raise iterations=5"', '"reject <what to change>"'];
  if (step.do === "paused") {
    lines.push(`The run is paused (${step.reason}): ${step.detail}.`);
    answers = [step.reason === "budget" ? '"raise usd=5"' : "yes to continue"];
    if (step.reason === "stuck") answers = ["yes to try again", '"reject <what to change>"'];
  } else if (state.workflow === "UNCLEAR" && state.phase === "requirements") {
    answers = ['"approve --type=MIXED" (or UI_FOCUSED, API_FOCUSED)'];
  } else if (step.do === "wait" && step.missing.some(({ gate }) => gate === "user_approval")) {
    answers = ["yes to approve", '"reject <what to change>"'];
  }
  if (step.do === "wait") {
    const { title } = phases[state.phase];
    const { outputs } = phases[state.phase === "plan-review" ? "architecture" : state.phase];
    lines.push(`${title} of "${state.description}" needs ${step.missing.map(({ what }) => what).join("; ")}.`);
    if (outputs.length > 0) lines.push(`Read first: ${outputs.map((name) => `${state.folder}/${name}`).join(", ")}.`);
    if (step.concerns.length > 0) lines.push(`Worth knowing: ${step.concerns.join("; ")}.`);
  }
  return [...lines, `Answer ${[...answers, '"waive <gate> <reason>"', 'or "cancel <reason>"'].join(", ")}.`].join("\n");
}

export interface Answered {
  readonly events: MagnusEvents;
  /** Why the answer was not accepted; empty if it was. */
  readonly problem: string;
}

/** A word for yes, or text as after a command. */
export function answered(events: MagnusEvents, answer: string): Answered {
  offerCommands({ commands: "answers" });
  const record = new StepRecord(events);
  const act: Act = { by: { kind: "person", how: "shell" }, at: Date.now() };
  const { state } = record;
  const [first = "", ...rest] = answer.trim().split(/\s+/);
  const name = acts.find((each): each is ActName => each === first.replace(/:$/, "").toLowerCase());
  const isYes = readYesNo(answer);
  let acted: Acted;
  if (isYes === true) {
    acted = personAct(state.status.kind === "paused" ? "resume" : "approve", "", state, act);
  } else if (name !== undefined) {
    acted = personAct(name, rest.join(" "), state, act);
  } else {
    const because = isYes === false ? "a rejection must say what to change" : "this is not a valid answer";
    acted = no(because, `Answer yes, or start your answer with ${acts.join(", ")}.`);
  }
  if (!acted.ok) return { events: [], problem: `${acted.because}. ${acted.hint}` };
  record.add(acted.event);
  return { events: record.added, problem: "" };
}
