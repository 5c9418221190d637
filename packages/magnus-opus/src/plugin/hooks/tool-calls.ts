// The gate. Every tool call in a run's sessions passes through here first; throwing refuses it.
import { delegatedAgent } from "../../delegate/category.ts";
import { withoutBlanks } from "../../delegate/without-blanks.ts";
import { withCommands } from "../../run/command-names.ts";
import { type AttemptedCall, type CallDecision, decide, reportAt } from "../../run/decide.ts";
import { needsRed } from "../../run/gates.ts";
import { personCommand } from "../../run/person-commands.ts";
import { usesTdd } from "../../run/phases.ts";
import { whyNotReadOnly } from "../../run/read-only-shell.ts";
import { type CallRefusal, refusalText } from "../../run/refusal.ts";
import { defaultRunOptions } from "../../run/run-options.ts";
import { lookUp, type MagnusState } from "../../run/state.ts";
import { editedPaths, kindOf, mayRunPrograms } from "../../run/tool-kind.ts";
import { realPath } from "../../sessions/workplace.ts";
import { elsewhereWords } from "../../words/elsewhere-words.ts";
import { fill, say, words } from "../../words/template.ts";
import type { DrivenRun } from "../live/driven-run.ts";
import type { Magnus } from "../live/magnus.ts";
import { readsOnly } from "../setup/read-only-shell-rule.ts";
import type { ShellEnv, ToolAfter, ToolBefore } from "./opencode-hooks.ts";

/** Fails closed: if anything about the call cannot be determined, it is refused. */
export async function beforeTool(
  magnus: Magnus,
  { tool, sessionID: session, callID: id }: ToolBefore["input"],
  args: unknown,
): Promise<void> {
  if (kindOf(tool, defaultRunOptions.readOnlyTools) === "read") return;
  let refusal: string | undefined;
  try {
    await magnus.events.idle();
    refusal = await whyRefused(magnus, { tool, session, id, args });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    magnus.opencode.notify(`${tool} was refused: ${why}`);
    refusal = fill(withCommands(words("failed"), magnus.settings.commandNames), { tool, why });
  }
  if (refusal !== undefined) throw new Error(refusal);
}

type Attempt = Pick<AttemptedCall, "tool" | "session" | "args"> & { readonly id: string };

async function whyRefused(magnus: Magnus, attempt: Attempt): Promise<string | undefined> {
  const { tool, session, id, args } = attempt;
  const found = await magnus.runs.of(session);
  const agent = magnus.agents.get(session) ?? "";
  if (found === undefined) return whyNotForReader(magnus, agent, attempt);
  if (found.kind === "closed") {
    const isOurs = kindOf(tool, []) === "state"; // says so itself
    return isOurs ? undefined : elsewhereWords(magnus.settings.commandNames, found);
  }
  if (found.kind === "over") {
    const decision = decideIn(magnus, found.state, attempt, agent);
    return decision.do === "allow" ? undefined : refusalText(found.state, tool, decision);
  }
  const { run } = found;
  // Its first message made the session a member, unless this process missed it.
  if (lookUp(run.state.sessions, session) === undefined) {
    const parent = (await magnus.opencode.session(session))?.parentID ?? run.root;
    await run.join({ session, parent, agent });
  }
  let state = await run.refresh();
  const known = agent || lookUp(state.sessions, session)?.agent || "";
  let decision = decideIn(magnus, state, attempt, known);
  const reports = kindOf(tool, []) === "edit" ? (editedPaths(tool, args) ?? []) : [];
  const { directory } = magnus.workplace;
  const unclaimed = reports
    .flatMap((path) => reportAt(state, realPath(path, directory), directory) ?? [])
    .filter((path) => lookUp(state.reports, path) === undefined);
  if (decision.do === "allow" && unclaimed.length > 0) {
    // Two reviewers may write to the same path at the same time: the first one in the journal owns it.
    for (const path of unclaimed) state = await run.record({ type: "report-claimed", path, session, agent: known });
    decision = decideIn(magnus, state, attempt, known);
  }
  if (decision.do === "allow") {
    if (mayRunPrograms(tool, args, state.options.readOnlyTools)) {
      magnus.calls.begin(id, { run: state.run, session, agent: known, tool });
    }
    return undefined;
  }
  const { gate, missing } = decision;
  await run.record({ type: "call-refused", session, agent: known, tool, gate, missing });
  // OpenCode's screen shows only that the call failed. What governs the run is reported anyway.
  if (gate !== "record") magnus.opencode.show(`${tool} was refused (${gate}): ${missing}`, "warning");
  return refusalText(state, tool, decision);
}

/** Outside a run, an agent that only reads has the same shell as in one, unless the user's settings give it another. */
function whyNotForReader({ settings }: Magnus, agent: string, { tool, args }: Attempt): string | undefined {
  const role = settings.roleOf(agent);
  if (role === undefined || !readsOnly(role) || kindOf(tool, []) !== "shell") return undefined;
  if (lookUp(settings.config.agents ?? {}, role)?.permission?.bash !== undefined) return undefined;
  const why = whyNotReadOnly((args as { readonly command?: unknown } | undefined)?.command);
  return why === undefined ? undefined : say("read-only", { agent, why });
}

/** Judges files by their real location, with links resolved. */
function decideIn(
  { workplace, settings }: Magnus,
  state: MagnusState,
  { tool, session, args }: Attempt,
  agent: string,
): CallDecision {
  const member = lookUp(state.sessions, session);
  const { directory } = workplace;
  // An unknown session is treated as a child.
  const { parent, depth } = member ?? { parent: session, depth: 1 };
  const call = { tool, args, session, agent, isChild: parent !== undefined, depth, at: Date.now(), directory };
  if (kindOf(tool, []) === "delegate" && tool !== "task") {
    // Ours say it differently; the same rules apply.
    const given = withoutBlanks(args);
    const { resume } = (given ?? {}) as { readonly resume?: unknown };
    const asTask = { subagent_type: delegatedAgent(settings, given), task_id: resume };
    return decide(state, { ...call, tool: "task", args: asTask });
  }
  const paths = kindOf(tool, []) === "edit" ? editedPaths(tool, args) : undefined;
  if (paths === undefined) return decide(state, call);
  const decisions = paths.map((path) =>
    decide(state, { ...call, tool: "write", args: { filePath: realPath(path, directory) } }),
  );
  return decisions.find((each): each is CallRefusal => each.do === "refuse") ?? { do: "allow" };
}

/** What a shell changed although the test comes first; empty if nothing. An edit tool is refused before it does. */
export async function builtBeforeTest(run: DrivenRun): Promise<string> {
  const { state } = run;
  if (state.phase !== "implementation" || !usesTdd(state) || !needsRed(state)) return "";
  const paths = await run.changedBeforeTest();
  if (paths.length === 0) return "";
  const shown = `${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`;
  return `${shown} changed before a test has failed. Restore what was there, write the test, and call run_tests; then build. To continue without it: the user types ${personCommand(state, "waive", "red_test")}.`;
}

/** Marks everything an agent starts with its run. A command that a person types after `!` is not an agent's call. */
export function markShell(
  { calls, programs, runs }: Magnus,
  { sessionID = "", callID = "" }: ShellEnv["input"],
  { env }: ShellEnv["output"],
): void {
  const run = runs.known(sessionID);
  if (run !== undefined && calls.isOpen(callID)) Object.assign(env, programs.env(run.state.run, callID));
}

/** Records what a tool changed right away, so the next decision takes it into account. */
export async function afterTool(
  magnus: Magnus,
  { tool, sessionID }: ToolAfter["input"],
  result: ToolAfter["output"],
): Promise<void> {
  const { metadata, output } = result;
  const run = magnus.runs.known(sessionID);
  if (run === undefined) return;
  // Our programs refuse an agent that decides for a person, and the person should know that it tried. `magnus-opus` records
  // attempts itself.
  const tried = /^.* needs the user's decision, but .* is running this command/m.exec(String(output ?? ""))?.[0];
  if (tried !== undefined && !tried.includes("magnus-opus ")) {
    const agent = magnus.agents.get(sessionID) ?? "";
    await run.record({ type: "call-refused", session: sessionID, agent, tool, gate: "record", missing: tried });
  }
  const { sessionId: child, background } = (metadata ?? {}) as {
    readonly sessionId?: unknown;
    readonly background?: unknown;
  };
  // A background task of OpenCode's own goes on.
  if (tool === "task" && typeof child === "string" && background !== true) await run.end(child, "idle");
  if (kindOf(tool, run.state.options.readOnlyTools) !== "read") await run.refresh();
  const early = kindOf(tool, []) === "shell" ? await builtBeforeTest(run) : "";
  if (early !== "") result.output = `${result.output ?? ""}\n\nMagnus Opus (gate: red_test): ${early}`;
}
