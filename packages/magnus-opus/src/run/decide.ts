// Whether a tool call may happen. Pure, and closed: what is not known to be harmless or released is refused.
import { exceeded, exceededText, longestWork } from "./budget.ts";
import { isReleased, needsRed, roleOf } from "./gates.ts";
import { cancelCommand, raiseCommand, resumeCommand } from "./person-commands.ts";
import type { Role } from "./phase-name.ts";
import { type Access, accessIn, phaseOfOutput, phases, usesTdd } from "./phases.ts";
import { placeOf } from "./place.ts";
import { whyNotReadOnly } from "./read-only-shell.ts";
import { isPaused, notInThisPhase, notReleased, type Refusal, type RefusalGate } from "./refusal.ts";
import { lookUp, type RunState } from "./state.ts";
import { editedPaths, kindOf, staysInPage } from "./tool-kind.ts";

export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
  readonly session: string;
  /** Empty when it is not known: then it may only look. */
  readonly agent: string;
  readonly isChild: boolean;
  readonly depth: number;
  readonly at: number;
  /** What relative paths are relative to; default: the worktree. */
  readonly directory?: string;
}

export type Decision = { readonly do: "allow" } | Refusal;

const allow: Decision = { do: "allow" };

/** For every call of a session that belongs to the run, in every session below it too. */
export function decide(state: RunState, call: ToolCall): Decision {
  const kind = kindOf(call.tool, state.options.readOnlyTools);
  const { status } = state;
  if (kind === "read" || kind === "state") return allow;
  if (kind === "shell" && whyNotReadOnly(argument(call, "command")) === undefined) return allow;
  if (status.kind === "done" || status.kind === "cancelled") return afterTheEnd(state, call);
  if (status.kind === "paused") return isPaused(state, status);
  switch (kind) {
    case "tests":
      return roleOf(state, call.agent) === undefined ? notInThisPhase(state, "an agent of this run") : allow;
    case "review":
      return decideReview(state, call);
    case "edit":
      return decideEdit(state, call);
    case "delegate":
      return decideDelegation(state, call);
    case "shell":
      return decideShell(state, call);
    case "unknown":
      return decideUnknown(state, call);
  }
}

/** The session is a person's again, but not the agents' that worked for the run. */
function afterTheEnd(state: RunState, call: ToolCall): Decision {
  if (!call.isChild && roleOf(state, call.agent) === undefined) return allow;
  const satisfy = "a person starts another run with `/implement <feature>`, or goes on with another agent";
  return refuse("finished", `the run ${state.run} is ${state.status.kind}`, satisfy, "there is nothing left to waive");
}

function decideReview(state: RunState, call: ToolCall): Decision {
  const judge = phases[state.phase].judge?.role;
  if (call.isChild && judge !== undefined && roleOf(state, call.agent) === judge) return allow;
  const who = judge === undefined ? "it judges nothing" : `only ${judge} judges, in a session of its own`;
  return notInThisPhase(state, `the phase ${state.phase} takes no review from ${call.agent || "this agent"}: ${who}`);
}

function decideEdit(state: RunState, call: ToolCall): Decision {
  const paths = editedPaths(call.tool, call.args);
  if (paths === undefined) return notInThisPhase(state, "the path to write, which this call does not tell");
  for (const path of paths) {
    const decision = decidePath(state, call, path);
    if (decision.do === "refuse") return decision;
  }
  return allow;
}

function decidePath(state: RunState, call: ToolCall, path: string): Decision {
  const place = placeOf(state, path, call.directory);
  const access = accessOf(state, call.agent);
  if (place.kind === "off-limits") return offLimits(state, `${path} is not to be written: ${place.what}`);
  if (place.kind === "session") {
    const owner = phaseOfOutput(place.path);
    if (access === undefined || access === "look") {
      return notInThisPhase(state, `${call.agent || "this agent"} writes no file in the phase ${state.phase}`);
    }
    if (owner === undefined || owner === state.phase) return allow;
    return notInThisPhase(state, `${place.path} is written in the phase ${owner}`);
  }
  if (!isReleased(state)) return notReleased(state);
  if (access !== "build") {
    return notInThisPhase(state, `${whoBuilds(state)} may change ${place.path} in the phase ${state.phase}`);
  }
  const testFirst = usesTdd(state) && state.phase === "implementation" && needsRed(state) && !place.isTest;
  if (!testFirst) return allow;
  const missing = "a test that fails: write it first, for what is to be built";
  return refuse("red-test", missing, "write the test, then call run_tests", waiveAllTests(state));
}

function decideShell(state: RunState, call: ToolCall): Decision {
  const command = argument(call, "command");
  const why = whyNotReadOnly(command)!;
  if (!isReleased(state)) {
    return {
      ...notReleased(state),
      missing: `${notReleased(state).missing}; until then the shell only reads, and ${why}`,
    };
  }
  const access = accessOf(state, call.agent);
  if (access !== "build" && access !== "try") {
    return notInThisPhase(state, `${call.agent || "this agent"} uses the shell only to read here, and ${why}`);
  }
  if (typeof command === "string" && !touchesRecord(state, command)) return allow;
  const told = typeof command === "string" ? `: ${command.slice(0, 200)}` : "";
  return offLimits(state, `a shell command may not touch the record of the run or act for a person${told}`);
}

/** A bump, no wall: whoever has a shell can spell this in another way. The journal finds out (journal.ts). */
function touchesRecord(state: RunState, command: string): boolean {
  const plain = command.replace(/["'\\]/g, "");
  const asPerson =
    /magnus-opus\S*\s+(approve|reject|waive|resume|cancel|raise)\b|\bopencode\s+(run|serve|attach|web|acp)\b/;
  return asPerson.test(plain) || plain.includes(`${state.folder}/journal`);
}

function decideDelegation(state: RunState, call: ToolCall): Decision {
  const wanted = argument(call, "subagent_type");
  const role = typeof wanted === "string" ? roleOf(state, wanted) : undefined;
  const access = accessIn(state, state.phase);
  const isOrchestrator = roleOf(state, call.agent) === "orchestrator" && !call.isChild;
  if (role === undefined || access[role] === undefined || (!isOrchestrator && role !== "explorer")) {
    if (role !== undefined && builders.has(role) && !isReleased(state)) return notReleased(state);
    const names = Object.keys(access).filter((name) => isOrchestrator || name === "explorer");
    return notInThisPhase(
      state,
      `in the phase ${state.phase} ${call.agent} may ask ${names.join(", ")}, not ${wanted}`,
    );
  }
  if (access[role] === "build" && !isReleased(state)) return notReleased(state);
  return decideSession(state, call, wanted as string) ?? decideCost(state, call);
}

/** Work that goes on in an old session stays in the run: in a session of nobody's there would be no gate. */
function decideSession(state: RunState, call: ToolCall, agent: string): Refusal | undefined {
  const id = argument(call, "task_id");
  if (id === undefined || id === null || id === "") return undefined;
  const member = typeof id === "string" ? lookUp(state.sessions, id) : undefined;
  if (member?.parent !== undefined && member.agent === agent) return undefined;
  const missing = `a session of this run for ${agent}; ${id} is none`;
  return refuse("session", missing, "leave `task_id` out, for a new session", "nobody can waive this");
}

const builders: ReadonlySet<Role> = new Set(["developer", "backend", "ui-developer"]);

function decideCost(state: RunState, call: ToolCall): Decision {
  const sinceThen = Math.min(Math.max(0, call.at - state.at), longestWork);
  const over = exceeded(state, true, sinceThen);
  const cancel = `only a person can: ${cancelCommand(state)} ends the run`;
  if (over !== undefined) {
    return refuse("budget", exceededText(over), `a person types ${raiseCommand(state, over.limit)}`, cancel);
  }
  const depth = Math.min(
    state.budget.run.depth ?? 1,
    state.budget.phases[state.phase]?.depth ?? Number.POSITIVE_INFINITY,
  );
  if (call.depth < depth) return allow;
  const satisfy = `do the work in this session, or a person types ${raiseCommand(state, "depth")}`;
  return refuse("depth", `sessions of the run go ${depth} deep`, satisfy, cancel);
}

/** Tools of other plugins and servers: as free as a shell, so they come with the release, for those who have the shell. */
function decideUnknown(state: RunState, call: ToolCall): Decision {
  if (!isReleased(state)) return notReleased(state);
  const access = accessOf(state, call.agent);
  if (access === "build" || access === "try") return allow;
  const isDesigner = access === "report" && roleOf(state, call.agent) === "designer";
  if (isDesigner && staysInPage(call.tool, call.args)) return allow;
  const who = call.agent || "this agent";
  const others = isDesigner ? `${who} looks at pages, without a file and without code outside of the page,` : who;
  return notInThisPhase(
    state,
    `${others} has no use for ${call.tool} in the phase ${state.phase}: it is not known to only read`,
  );
}

function accessOf(state: RunState, agent: string): Access | undefined {
  const role = roleOf(state, agent);
  return role && accessIn(state, state.phase)[role];
}

function whoBuilds(state: RunState): string {
  const access = accessIn(state, state.phase);
  const names = (Object.keys(access) as Role[]).filter((role) => access[role] === "build");
  return names.length === 0 ? "nobody" : `only ${names.join(" or ")}`;
}

function waiveAllTests(state: RunState): string {
  return `a person types \`/waive all_tests_pass <why>\` (or in a shell \`magnus-opus waive ${state.run} all_tests_pass "<why>"\`)`;
}

function offLimits(state: RunState, missing: string): Refusal {
  const satisfy = `a person does it; an agent never can. If the run stops then: ${resumeCommand(state)}`;
  return refuse("record", missing, satisfy, `nobody can waive this; ${cancelCommand(state)} ends the run`);
}

function refuse(gate: RefusalGate, missing: string, satisfy: string, waive: string): Refusal {
  return { do: "refuse", gate, missing, satisfy, waive };
}

function argument({ args }: ToolCall, name: string): unknown {
  return typeof args === "object" && args !== null ? (args as Record<string, unknown>)[name] : undefined;
}
