// Asks every reviewer of a phase at the same time, each in a session of its own, and puts together what they submit.
import { DurableError } from "@atomic/durable-files/errors";
import { count } from "@atomic/terminal/count";
import { whyNotLaunch } from "../../background/next.ts";
import type { BackgroundTask } from "../../background/task.ts";
import { withCommands } from "../../run/command-names.ts";
import { type Consensus, consensusOf } from "../../run/consensus.ts";
import { decide } from "../../run/decide.ts";
import { agentsFor, currentVotes, quorumOf, roleOf } from "../../run/gates.ts";
import { isReport, phases } from "../../run/phases.ts";
import { type CallRefusal, refusalText } from "../../run/refusal.ts";
import { voterName } from "../../run/review.ts";
import { lookUp, type MagnusState, rootOf, visitsOf } from "../../run/state.ts";
import { Sessions } from "../../sessions/sessions.ts";
import { reviewBrief, reviewReport } from "../../words/review-words.ts";
import { stepWords } from "../../words/step-words.ts";
import { list, say } from "../../words/template.ts";
import type { Call } from "../approval/ask-person.ts";
import type { BackgroundTasks } from "../background/background-tasks.ts";
import { launchChild } from "../background/launch-child.ts";
import { backgroundOf } from "../background/loaded.ts";
import { classicModels } from "../hooks/messages.ts";
import type { DrivenRun } from "../live/driven-run.ts";
import type { Magnus } from "../live/magnus.ts";

interface Reviewer {
  readonly agent: string;
  /** `provider/model`; undefined if OpenCode chooses. */
  readonly model: string | undefined;
}

interface AskedReviewer extends Reviewer {
  readonly session: string;
}

interface UnaskedReviewer extends Reviewer {
  readonly why: string;
}

const usualMinutes = 10;

export async function runReview(magnus: Magnus, call: Call): Promise<string> {
  await magnus.events.idle();
  const found = await magnus.runs.of(call.session);
  if (found?.kind !== "driven")
    return withCommands(
      "This session has no run. The user can start a review here: `/magnus-review <path>`.",
      magnus.settings.commandNames,
    );
  const { run } = found;
  const state = await run.refreshWithFiles();
  if (call.session !== run.root || roleOf(state, call.agent) !== "orchestrator")
    return `Only the orchestrator of run ${state.run} may do this, in session ${run.root}.`;
  const { judge, outputs, title } = phases[state.phase];
  const [folder = ""] = outputs;
  if (state.status.kind !== "running" || judge === undefined || !folder.endsWith("/"))
    return `There is nothing to review now (${title}).\n\n${stepWords(state, magnus.settings.unable)}`;

  // A model may call a tool twice at once.
  if (busy.has(run)) return "The reviewers are already being asked. Wait for their result.";
  busy.add(run);
  try {
    return await askAll(magnus, call, run, state);
  } finally {
    busy.delete(run);
  }
}

const busy = new WeakSet<DrivenRun>();

async function askAll(magnus: Magnus, call: Call, run: DrivenRun, state: MagnusState): Promise<string> {
  const background = await backgroundOf(magnus);
  const voted = new Set(currentVotes(state).flatMap((vote) => ("verdict" in vote.submission ? [voterName(vote)] : [])));
  const wanted = (await reviewersOf(magnus, state)).filter(
    ({ agent, model }) => !voted.has(voterName({ reviewer: agent, model })),
  );
  const { asked, unasked, refusal } = await ask({ magnus, background, call, run }, wanted);
  if (asked.length === 0 && unasked.length > 0) {
    // Recorded only now: a run that has used up its budget is paused, and no agent could submit anything.
    if (refusal !== undefined) await recordRefusal(run, call, refusal);
    return refusal === undefined ? notAskedText(unasked) : refusalText(state, "magnus_review", refusal);
  }
  const minutes = magnus.settings.config.reviewModels?.minutes ?? usualMinutes;
  const signal = AbortSignal.any([call.abort, AbortSignal.timeout(Math.min(minutes * 60_000, 2 ** 31 - 1))]);
  const tasks = await Promise.all(asked.map(({ session }) => background.ended(session, signal)));
  if (call.abort.aborted) return await reportStopped(magnus, run, asked, unasked);
  const late = `it did not answer within ${minutes < 1 ? count(Math.round(minutes * 60), "second") : count(minutes, "minute")}`;
  for (const [at, { session }] of asked.entries()) {
    if (tasks[at] !== undefined) continue;
    background.dispatch({ type: "cancelled", id: session, why: late });
    await background.ended(session, call.abort);
  }
  const sessions = asked.map(({ session }) => session);
  background.dispatch({ type: "handed", parent: call.session, delivery: call.id, tasks: sessions });
  for (const [at, { agent, model, session }] of asked.entries()) {
    if (run.state.votes.some((vote) => vote.session === session)) continue;
    const by = { kind: "agent", agent, session } as const;
    const submission = { abstains: tasks[at] === undefined ? late : whySilent(tasks[at]) };
    await run.append({
      type: "review-submitted",
      at: Date.now(),
      by,
      submission,
      ...(model !== undefined && { model }),
    });
  }
  return await conclude({ magnus, background, call, run }, unasked);
}

/** One for each model: those that the command or the settings name, or those of the phase's agents. */
async function reviewersOf(magnus: Magnus, state: MagnusState): Promise<readonly Reviewer[]> {
  const { judge } = phases[state.phase];
  const agents = judge === undefined ? [] : agentsFor(state, judge.role);
  const { reviewModels = [] } = state.options;
  const { agents: configured, config } = magnus.settings;
  if (state.phase === "code-review" && reviewModels.length > 0) {
    const agentOf = (model: string) => agents.find((agent) => lookUp(configured, agent)?.model === model) ?? agents[0]!;
    return reviewModels.map((model) => ({ agent: agentOf(model), model }));
  }
  const connected = await magnus.opencode.models();
  const { providerID, modelID } = magnus.models.get(rootOf(state) ?? "") ?? {};
  const own = providerID === undefined ? undefined : `${providerID}/${modelID}`;
  const reviewers = agents.map((agent) => {
    const preset = config.model_preset === "classic" ? classicModels[magnus.settings.roleOf(agent) ?? ""] : undefined;
    const model = lookUp(configured, agent)?.model ?? preset;
    return { agent, model: model !== undefined && connected.has(model) ? model : own };
  });
  // Two on the same model would be one vote.
  const names = reviewers.map(({ agent, model }) => voterName({ reviewer: agent, model }));
  return reviewers.filter((_, at) => names.indexOf(names[at]!) === at);
}

interface ReviewContext {
  readonly magnus: Magnus;
  readonly background: BackgroundTasks;
  readonly call: Call;
  readonly run: DrivenRun;
}

/** Launches the reviewers, and says why some could not be asked. `refusal`: the run's own, if that is why. */
async function ask(
  { magnus, background, call, run }: ReviewContext,
  wanted: readonly Reviewer[],
): Promise<{
  readonly asked: readonly AskedReviewer[];
  readonly unasked: readonly UnaskedReviewer[];
  readonly refusal?: CallRefusal | undefined;
}> {
  const asked: AskedReviewer[] = [];
  const unasked: UnaskedReviewer[] = [];
  let refusal: CallRefusal | undefined;
  const agents = await background.client.agents();
  const chain = await background.client.ancestry(call.session);
  for (const reviewer of wanted) {
    const { agent: name, model } = reviewer;
    const { state } = run;
    const agent = agents.find((each) => each.name === name);
    if (agent === undefined) {
      const why = `OpenCode has no agent \`${name}\`; the user can find out with ${withCommands("`/magnus-help agents`", state.commandNames)} whether it is disabled`;
      unasked.push({ ...reviewer, why });
      continue;
    }
    const attempt = { tool: "task", args: { subagent_type: name }, session: call.session, agent: call.agent };
    const decision = decide(state, { ...attempt, isChild: false, depth: 0, at: Date.now(), isPlugin: true });
    if (decision.do === "refuse") {
      refusal = decision;
      unasked.push({ ...reviewer, why: decision.missing });
      continue;
    }
    const root = chain.at(-1)?.id ?? call.session;
    const limit = whyNotLaunch(background.state, background.limits, { root, depth: chain.length });
    if (limit !== undefined) {
      unasked.push({ ...reviewer, why: limit });
      continue;
    }
    const slash = model?.indexOf("/") ?? 0;
    try {
      const session = await launchChild(
        { magnus, background, call },
        {
          ...{ chain, agent, prompt: promptFor(state), isReviewing: true, isAwaited: true },
          description: `${phases[state.phase].title}${model === undefined ? "" : ` by ${model}`}`,
          model:
            model === undefined ? undefined : { providerID: model.slice(0, slash), modelID: model.slice(slash + 1) },
        },
      );
      if (session === undefined) unasked.push({ ...reviewer, why: "the user stopped the agents" });
      else asked.push({ ...reviewer, session });
    } catch (error) {
      if (!(error instanceof DurableError)) throw error;
      unasked.push({ ...reviewer, why: `${error.message}. ${error.hint ?? ""}`.trim() });
    }
  }
  return { asked, unasked, refusal };
}

async function recordRefusal(run: DrivenRun, { session, agent }: Call, { gate, missing }: CallRefusal): Promise<void> {
  await run.record({ type: "call-refused", session, agent, tool: "magnus_review", gate, missing });
}

function notAskedText(unasked: readonly UnaskedReviewer[]): string {
  const lines = unasked.map(({ agent: reviewer, model, why }) => `${voterName({ reviewer, model })}: ${why}`);
  return `No reviewer could be asked:\n${list(lines)}`;
}

/** They take part in the report, but not in the vote: the next review asks them again. */
function unaskedVotes(unasked: readonly UnaskedReviewer[]) {
  return unasked.map(({ agent: reviewer, model, why }) => {
    return { reviewer, model, session: "", submission: { abstains: `it could not be asked: ${why}` } };
  });
}

function promptFor(state: MagnusState): string {
  const { phase, folder, description } = state;
  const before = visitsOf(state, phase) - 1;
  const isOnly = isReport(state);
  return say(`review/${phase}`, {
    target: isOnly ? description : "",
    request: isOnly ? "" : description,
    plan: isOnly ? "" : `${folder}/${phases.architecture.outputs[0]}`,
    earlier: before === 0 ? "" : `${folder}/${reportPath(state, before)}`,
  });
}

/** Relative to the session folder. Each visit has its own. */
function reportPath({ phase }: MagnusState, visit: number): string {
  return `${phases[phase].outputs[0]}consensus${visit === 1 ? "" : `-${visit}`}.md`;
}

/** Why a reviewer that has ended submitted nothing. */
function whySilent({ stage }: BackgroundTask): string {
  if (stage.kind !== "over") return "it has not ended";
  const { outcome } = stage;
  switch (outcome.kind) {
    case "completed":
      return outcome.text === "" ? "it said nothing" : "it answered without submitting a review";
    case "deleted":
      return "its session was deleted";
    case "interrupted":
      return "OpenCode stopped while it was working";
    default:
      return `it ${outcome.kind === "timed-out" ? "did not answer" : outcome.kind === "failed" ? "failed" : `was ${outcome.kind}`}: ${outcome.why.slice(0, 300)}`;
  }
}

/** Reports what was submitted before the user stopped the agents. The run is paused, so nothing is concluded: the review can continue. */
async function reportStopped(
  magnus: Magnus,
  run: DrivenRun,
  asked: readonly AskedReviewer[],
  unasked: readonly UnaskedReviewer[],
): Promise<string> {
  const { state } = run;
  const submission = { abstains: "the user stopped it before it answered" };
  const missing = asked.filter(({ session }) => !state.votes.some((vote) => vote.session === session));
  const silent = [
    ...missing.map(({ agent, model, session }) => ({ reviewer: agent, model, session, submission })),
    ...unaskedVotes(unasked),
  ];
  const report = await writeReport(magnus, state, consensusOf([...currentVotes(state), ...silent], quorumOf(state)));
  const who = silent.map(voterName).join(", ");
  const text = `The user stopped the review${who === "" ? "" : ` before ${who} answered`}. What was submitted counts: see \`${state.folder}/${report}\`.`;
  // OpenCode may have ended the call already, and then shows no result.
  magnus.opencode.show(text, "info");
  return text;
}

async function writeReport(magnus: Magnus, state: MagnusState, consensus: Consensus): Promise<string> {
  const { phase, description } = state;
  const report = reportPath(state, visitsOf(state, phase));
  const target = phase === "plan-review" ? `the plan for "${description}"` : description;
  await new Sessions(magnus.workplace.directory).writeReport(state.run, report, reviewReport(target, consensus));
  return report;
}

/** Writes the report and tells the orchestrator. A run that only reports is done then. */
async function conclude({ magnus, call, run }: ReviewContext, unasked: readonly UnaskedReviewer[]): Promise<string> {
  const { state } = run;
  const { phase } = state;
  const consensus = consensusOf([...currentVotes(state), ...unaskedVotes(unasked)], quorumOf(state));
  const { verdict, because, label, agreement } = consensus;
  const report = await writeReport(magnus, state, consensus);
  await run.record({
    ...{ type: "review-concluded", phase, report, verdict, because, label },
    ...(agreement !== undefined && { agreement }),
  });
  await run.refreshWithFiles();
  if (isReport(state)) {
    const by = { kind: "agent", agent: call.agent, session: call.session } as const;
    await run.append({ type: "phase-ready", at: Date.now(), by, phase });
  }
  const next = isReport(state) ? stepWords(run.state, magnus.settings.unable) : say("review/next");
  return [reviewBrief(consensus, `${state.folder}/${report}`), next].filter(Boolean).join("\n\n");
}
