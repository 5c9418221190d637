// Whether a tool call is allowed. Pure, and fails closed: anything not known to be harmless or allowed is refused.
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { exceeded, exceededText, longestWork } from "./budget.ts";
import { withCommands } from "./command-names.ts";
import { agentsFor, hasPanel, isBuildAllowed, needsRed, roleOf } from "./gates.ts";
import { personCommand, raiseCommand } from "./person-commands.ts";
import type { Role } from "./phase-name.ts";
import { type Access, accessIn, isOutput, phaseOfOutput, phases, usesTdd } from "./phases.ts";
import { whyNotReadOnly } from "./read-only-shell.ts";
import { type CallRefusal, howToContinue, notInThisPhase, planNotApproved, refuse } from "./refusal.ts";
import { lookUp, type MagnusState } from "./state.ts";
import { isTestFile } from "./test-files.ts";
import { editedPaths, kindOf, staysInPage } from "./tool-kind.ts";

export interface AttemptedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly session: string;
  /** Empty if unknown: then it may only read. */
  readonly agent: string;
  readonly isChild: boolean;
  readonly depth: number;
  readonly at: number;
  /** What relative paths are relative to; default: the worktree. */
  readonly directory?: string;
  /** The plugin asks, not the agent that called it. */
  readonly isPlugin?: boolean;
}

export type CallDecision = { readonly do: "allow" } | CallRefusal;

const allow: CallDecision = { do: "allow" };

const builders: ReadonlySet<Role> = new Set(["developer", "backend", "ui-developer"]);

/** Decides about every call in the run's sessions, at any depth. */
export function decide(state: MagnusState, call: AttemptedCall): CallDecision {
  const kind = kindOf(call.tool, state.options.readOnlyTools);
  const { status, phase } = state;
  const who = call.agent || "this agent";
  const role = roleOf(state, call.agent);
  if (kind === "read" || kind === "state") return allow;
  if (kind === "shell" && whyNotReadOnly(argument(call, "command")) === undefined) return allow;
  if (status.kind === "done" || status.kind === "cancelled") {
    // The session belongs to the person again, but the run's agents stay blocked.
    if (!call.isChild && role === undefined) return allow;
    const start = withCommands("`/implement <feature>`", state.commandNames);
    const satisfy = `the user starts another run with ${start}, or continues with another agent`;
    return refuse("finished", `the run ${state.run} is ${status.kind}`, satisfy, "there is nothing left to waive");
  }
  if (status.kind === "paused") {
    const missing = `the run is paused (${status.reason}): ${status.detail}`;
    return refuse("paused", missing, howToContinue(state, status), notWaivable(state));
  }
  switch (kind) {
    case "tests":
      return role === undefined ? notInThisPhase(state, "this tool is only for the run's own agents") : allow;
    case "review": {
      const judge = phases[phase].judge?.role;
      if (call.isChild && judge !== undefined && role === judge) return allow;
      const why =
        judge === undefined
          ? "it has no review step"
          : `only ${agentsFor(state, judge).join(" or ")} may review, in its own session`;
      return notInThisPhase(state, `the ${phase} phase does not accept a review from ${who}: ${why}`);
    }
    case "edit": {
      const paths = editedPaths(call.tool, call.args);
      if (paths === undefined) return notInThisPhase(state, "the path to write; this call does not specify one");
      const decisions = paths.map((path) => decidePath(state, call, path));
      return decisions.find((decision) => decision.do === "refuse") ?? allow;
    }
    case "delegate":
      return decideDelegation(state, call);
    case "shell":
      return decideShell(state, call);
    case "unknown": {
      // Tools of other plugins and servers are as powerful as a shell, so the same agents get them, once building is allowed.
      if (!isBuildAllowed(state)) return planNotApproved(state);
      const access = accessOf(state, call.agent);
      if (access === "build" || access === "try") return allow;
      const isDesigner = access === "report" && role === "designer";
      if (isDesigner && staysInPage(call.tool, call.args)) return allow;
      const subject = isDesigner
        ? `${who} may only view pages, without naming files or running code outside the page, and`
        : who;
      const why = `may not use ${call.tool} in the ${phase} phase: it is not known to be read-only`;
      return notInThisPhase(state, `${subject} ${why}`);
    }
  }
}

function decidePath(state: MagnusState, call: AttemptedCall, path: string): CallDecision {
  const place = placeOf(state, path, call.directory);
  const access = accessOf(state, call.agent);
  if (place.kind === "off-limits") return offLimits(state, `agents may not write ${path}: ${place.what}`);
  if (place.kind === "session") {
    const owner = phaseOfOutput(place.path);
    if (access === undefined || access === "look") {
      return notInThisPhase(state, `${call.agent || "this agent"} may not write files in the ${state.phase} phase`);
    }
    if (owner !== undefined && owner !== state.phase) {
      return notInThisPhase(state, `${place.path} is written in the ${owner} phase`);
    }
    const writer = lookUp(state.reports, place.path);
    if (writer === undefined || writer === call.agent) return allow;
    const own = `write your own file, for example ${dirname(place.path)}/${call.agent}.md`;
    return refuse("phase", `${place.path} is ${writer}'s report`, own, "a review cannot be replaced by another one");
  }
  if (!isBuildAllowed(state)) return planNotApproved(state);
  if (access !== "build") {
    const everyone = accessIn(state, state.phase);
    const roles = (Object.keys(everyone) as Role[]).filter((role) => everyone[role] === "build");
    const names = roles.flatMap((role) => agentsFor(state, role));
    const who = names.length === 0 ? "no agent" : `only ${names.join(" or ")}`;
    return notInThisPhase(state, `${who} may change ${place.path} in the ${state.phase} phase`);
  }
  const testFirst = usesTdd(state) && state.phase === "implementation" && needsRed(state) && !place.isTest;
  if (!testFirst) return allow;
  const missing = "a failing test: write one first for what you want to build";
  const waive = `the user types ${personCommand(state, "waive", "red_test")}`;
  return refuse("red_test", missing, "write the test, then call run_tests", waive);
}

/** The report of a review that this path is, relative to the session folder; undefined if it is none. */
export function reportAt(state: MagnusState, path: string, directory?: string): string | undefined {
  const place = placeOf(state, path, directory);
  return place.kind === "session" &&
    phases[state.phase].outputs.some((output) => output.endsWith("/") && isOutput(output, place.path))
    ? place.path
    : undefined;
}

/** Where a path leads, judged by its text. The caller has already followed symbolic links. */
type EditedPlace =
  | { readonly kind: "session"; readonly path: string }
  | { readonly kind: "project"; readonly path: string; readonly isTest: boolean }
  /** No agent may write it: what governs the run, and what is outside the project. */
  | { readonly kind: "off-limits"; readonly what: string };

function placeOf(
  state: Pick<MagnusState, "worktree" | "folder" | "options">,
  path: string,
  directory?: string,
): EditedPlace {
  const way = relative(state.worktree, resolve(directory ?? state.worktree, path)).replaceAll("\\", "/");
  if (way === "" || way === ".." || way.startsWith("../") || isAbsolute(way) || path.includes("\0")) {
    return { kind: "off-limits", what: "it is outside the project" };
  }
  // Some file systems treat these as the same name.
  const parts = way
    .normalize("NFC")
    .toLowerCase()
    .split("/")
    .map((part) => part.replace(/[. ]+$/, ""));
  if (parts.includes(".git")) return { kind: "off-limits", what: "it belongs to git" };
  if (parts.includes(".opencode") || /^(opencode|magnus-opus)\.jsonc?$/.test(parts.at(-1)!)) {
    return { kind: "off-limits", what: "it contains OpenCode or Magnus Opus settings" };
  }
  const sessions = `${state.folder.slice(0, state.folder.lastIndexOf("/"))}/`.toLowerCase();
  const folder = `${state.folder}/`.toLowerCase();
  const plain = parts.join("/");
  if (!`${plain}/`.startsWith(sessions))
    return { kind: "project", path: way, isTest: isTestFile(way, state.options.testFiles) };
  const inside = plain.slice(folder.length);
  if (!plain.startsWith(folder) || inside === "") return { kind: "off-limits", what: "it belongs to another run" };
  if (/^(journal|session-meta|\.)/.test(inside)) return { kind: "off-limits", what: "it is the run's own record" };
  if (/^reviews\/[^/]+\/consensus[^/]*$/.test(inside))
    return { kind: "off-limits", what: "it is the report of all reviewers, which the plugin writes" };
  return { kind: "session", path: inside };
}

const asPerson =
  /magnus-opus\S*\s+(approve|reject|waive|resume|cancel|raise)\b|\bopencode\s+(run|serve|attach|web|acp)\b/;

function decideShell(state: MagnusState, call: AttemptedCall): CallDecision {
  const command = argument(call, "command");
  const why = whyNotReadOnly(command)!;
  if (!isBuildAllowed(state)) {
    return {
      ...planNotApproved(state),
      missing: `${planNotApproved(state).missing}; until then the shell is read-only, and ${why}`,
    };
  }
  const access = accessOf(state, call.agent);
  if (access !== "build" && access !== "try") {
    return notInThisPhase(
      state,
      `${call.agent || "this agent"} may use the shell only to read in this phase, and ${why}`,
    );
  }
  // Only a speed bump: a shell can spell this differently. The journal detects that (sessions/journal.ts).
  const plain = typeof command === "string" ? command.replace(/["'\\]/g, "") : undefined;
  const isHarmless = plain !== undefined && !asPerson.test(plain) && !plain.includes(`${state.folder}/journal`);
  if (isHarmless) return allow;
  const said = typeof command === "string" ? `: ${command.slice(0, 200)}` : "";
  return offLimits(state, `a shell command may not touch the run's record or act on the user's behalf${said}`);
}

function decideDelegation(state: MagnusState, call: AttemptedCall): CallDecision {
  const wanted = argument(call, "subagent_type");
  const role = typeof wanted === "string" ? roleOf(state, wanted) : undefined;
  const access = accessIn(state, state.phase);
  const isOrchestrator = roleOf(state, call.agent) === "orchestrator" && !call.isChild;
  if (role !== undefined && isOrchestrator && call.isPlugin !== true && hasPanel(state, role)) {
    const missing = "a review by all of its models, which the plugin asks in the same words";
    const waive = personCommand(state, "waive", "phase");
    return refuse("phase", missing, "call `magnus_review`, which asks all of them", waive);
  }
  if (role === undefined || access[role] === undefined || (!isOrchestrator && role !== "explorer")) {
    if (role !== undefined && builders.has(role) && !isBuildAllowed(state)) return planNotApproved(state);
    const roles = (Object.keys(access) as Role[]).filter((name) => isOrchestrator || name === "explorer");
    const names = roles.flatMap((name) => agentsFor(state, name));
    return notInThisPhase(
      state,
      `in the ${state.phase} phase, ${call.agent} may delegate to ${names.join(", ")}, not ${wanted}`,
    );
  }
  if (access[role] === "build" && !isBuildAllowed(state)) return planNotApproved(state);
  // A resumed session must belong to this run: no gate would guard any other session.
  const id = argument(call, "task_id");
  if (id !== undefined && id !== null && id !== "") {
    const member = typeof id === "string" ? lookUp(state.sessions, id) : undefined;
    if (member?.parent === undefined || member.agent !== wanted) {
      const missing = `one of this run's ${wanted} sessions; ${id} is not one`;
      return refuse("session", missing, "omit `task_id` to start a new session", "this cannot be waived");
    }
  }
  const sinceThen = Math.min(Math.max(0, call.at - state.at), longestWork);
  const over = exceeded(state, true, sinceThen);
  const cancel = `only the user can: ${personCommand(state, "cancel")} ends the run`;
  if (over !== undefined) {
    return refuse("budget", exceededText(over), `the user types ${raiseCommand(state, over)}`, cancel);
  }
  const { depth: ofRun = 1 } = state.budget.run;
  const { depth: ofPhase = Number.POSITIVE_INFINITY } = state.budget.phases[state.phase] ?? {};
  const depth = Math.min(ofRun, ofPhase);
  if (call.depth < depth) return allow;
  const limits = [...(call.depth < ofRun ? [] : ["depth"]), ...(call.depth < ofPhase ? [] : ["phase.depth"])];
  const raise = limits.map((limit) => personCommand(state, "raise", limit)).join(" and ");
  const satisfy = `do the work in this session, or ask the user to type ${raise}`;
  return refuse("depth", `the run's sessions may be nested at most ${depth} deep`, satisfy, cancel);
}

function accessOf(state: MagnusState, agent: string): Access | undefined {
  const role = roleOf(state, agent);
  return role && accessIn(state, state.phase)[role];
}

function offLimits(state: MagnusState, missing: string): CallRefusal {
  const satisfy = `only the user may do this. If the run pauses after that: ${personCommand(state, "resume")}`;
  return refuse("record", missing, satisfy, notWaivable(state));
}

function notWaivable(state: MagnusState): string {
  return `this cannot be waived; ${personCommand(state, "cancel")} ends the run`;
}

function argument({ args }: AttemptedCall, name: string): unknown {
  return typeof args === "object" && args !== null ? (args as Record<string, unknown>)[name] : undefined;
}
