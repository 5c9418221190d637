// The gate. Every call of every session of a run comes through here before it happens; to throw is to refuse it.

import { type Decision, decide, type ToolCall } from "../../run/decide.ts";
import { hasFreeHand } from "../../run/free-hand.ts";
import { type Refusal, refusalText } from "../../run/refusal.ts";
import { defaultRunOptions } from "../../run/run-options.ts";
import { lookUp, type RunState } from "../../run/state.ts";
import { editedPaths, kindOf } from "../../run/tool-kind.ts";
import { realPath } from "../../sessions/workplace.ts";
import { say } from "../../words/template.ts";
import type { LiveRun } from "../live/live-run.ts";
import type { Magnus } from "../live/magnus.ts";
import type { Found } from "../live/runs.ts";
import type { ToolBefore } from "./opencode-hooks.ts";

export async function beforeTool(
  magnus: Magnus,
  { tool, sessionID: session, callID: id }: ToolBefore["input"],
  args: unknown,
): Promise<void> {
  const refusal = await whyRefused(magnus, { tool, session, id, args });
  if (refusal !== undefined) throw new Error(refusal);
}

/** What cannot be found out is refused. */
async function whyRefused(magnus: Magnus, attempt: Attempt): Promise<string | undefined> {
  const { tool } = attempt;
  if (kindOf(tool, defaultRunOptions.readOnlyTools) === "read") return undefined;
  try {
    await magnus.events.over();
    const found = await magnus.runs.of(attempt.session);
    return found === undefined ? undefined : await whyRefusedInRun(magnus, found, attempt);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    magnus.opencode.tell(`${tool} was refused: ${why}`);
    return say("failed", { tool, why });
  }
}

interface Attempt {
  readonly tool: string;
  readonly session: string;
  readonly id: string;
  readonly args: unknown;
}

async function whyRefusedInRun(magnus: Magnus, found: Found, attempt: Attempt): Promise<string | undefined> {
  const { tool } = attempt;
  const agent = magnus.agents.get(attempt.session) ?? "";
  if (found.kind === "closed") {
    const isOurs = kindOf(tool, []) === "state"; // says so itself
    return isOurs ? undefined : say("elsewhere", { run: found.id, why: found.why, hint: found.hint });
  }
  if (found.kind === "over") return refusalIn(found.state, decideIn(magnus, found.state, attempt, agent), tool);
  const { run } = found;
  await joinIfNew(magnus, run, attempt.session, agent);
  const state = await run.look();
  const known = agent || lookUp(state.sessions, attempt.session)?.agent || "";
  const decision = decideIn(magnus, state, attempt, known);
  if (decision.do === "allow") return begin(magnus, state, attempt, known);
  const { gate, missing } = decision;
  await run.record({ type: "call-refused", session: attempt.session, agent: known, tool, gate, missing });
  return refusalText(state, tool, decision);
}

function begin({ calls }: Magnus, { run, options }: RunState, { tool, session, id, args }: Attempt, agent: string) {
  if (hasFreeHand(tool, args, options.readOnlyTools)) calls.begin(id, { run, session, agent, tool });
  return undefined;
}

function refusalIn(state: RunState, decision: Decision, tool: string): string | undefined {
  return decision.do === "allow" ? undefined : refusalText(state, tool, decision);
}

/** Files are judged by where they really lie. */
function decideIn({ workplace }: Magnus, state: RunState, { tool, session, args }: Attempt, agent: string): Decision {
  const member = lookUp(state.sessions, session);
  const isChild = member?.parent !== undefined || member === undefined;
  const { directory } = workplace;
  const call: ToolCall = { tool, args, session, agent, isChild, depth: member?.depth ?? 1, at: Date.now(), directory };
  const paths = kindOf(tool, []) === "edit" ? editedPaths(tool, args) : undefined;
  if (paths === undefined) return decide(state, call);
  const decisions = paths.map((path) =>
    decide(state, { ...call, tool: "write", args: { filePath: realPath(path, directory) } }),
  );
  return decisions.find((each): each is Refusal => each.do === "refuse") ?? { do: "allow" };
}

/** Its first message has made it a member, unless this process did not see that. */
async function joinIfNew(magnus: Magnus, run: LiveRun, session: string, agent: string): Promise<void> {
  if (lookUp(run.state.sessions, session) !== undefined) return;
  const parent = (await magnus.opencode.session(session))?.parentID ?? run.root;
  await run.join({ session, parent, agent });
}
