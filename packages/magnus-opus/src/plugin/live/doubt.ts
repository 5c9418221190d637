// Whether it was a person who typed. OpenCode's port cannot tell a program from one.
import { userInfo } from "node:os";
import type { PersonDecision } from "../../run/event.ts";
import { heldText, hold } from "../../run/held.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { Magnus } from "./magnus.ts";

/** Why an agent may have typed what has just arrived; undefined: nothing speaks for that. */
export function whyDoubted({ calls, programs, runs }: Magnus, id: string): string | undefined {
  const call = calls.find(id);
  if (call === undefined) return programs.doubt(runs.ids());
  const { agent, tool, session, run } = call;
  const whose = run === id ? "" : ` for the run ${run}`;
  return `typed while ${agent || "an agent"} had the shell${whose} (${tool} in ${session})`;
}

/** It is on record, and counts once a person confirms it. */
export async function holdTyped(run: DrivenRun, decision: PersonDecision, why: string): Promise<string> {
  const state = await run.append(hold(decision, `${userInfo().username}, in OpenCode`, why));
  return `Not counted yet. ${heldText(state.held)}. The run is paused. When the agents have stopped (Esc stops them), type \`/magnus-confirm <number>\` for what you want and \`/magnus-dismiss <number>\` for what you do not.`;
}
