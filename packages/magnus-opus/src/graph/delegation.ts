// An agent is asked and answers. The same `decide` as for a task in OpenCode says whether it may be asked.
import { join } from "node:path";
import { lostReview, placedReview } from "../evidence/placed-review.ts";
import { MagnusSettings } from "../plugin/live/settings.ts";
import { decide } from "../run/decide.ts";
import { isRed, testVerdict } from "../run/evidence.ts";
import { nextStep } from "../run/next-step.ts";
import type { PhaseName, Role } from "../run/phase-name.ts";
import { accessIn, phases } from "../run/phases.ts";
import { readSubmission } from "../run/read-submission.ts";
import { findingText, type Submission } from "../run/review.ts";
import { type MagnusState, visitsOf } from "../run/state.ts";
import { stackAgent } from "../stacks/stack.ts";
import { objectionText } from "../words/step-words.ts";
import { type MagnusEvents, orchestrator, plugin, rootSession, runOf, StepRecord } from "./record.ts";

/** Opens a session for the role, or records a refusal; nothing if the phase has no work for it now. */
export async function ask(events: MagnusEvents, phase: PhaseName, role: Role): Promise<MagnusEvents> {
  const record = new StepRecord(events);
  const access = accessIn(record.state, phase)[role];
  if (record.state.phase !== phase || access === undefined || nextStep(record.state).do !== "work") return [];
  // In the testing phase, building agents only fix what the tests found, once per test run.
  if (phase === "testing" && access === "build") {
    const { evidence, tree, options } = record.state;
    const isToRepair = evidence.at(-1)?.tree === tree && !testVerdict(evidence, { ...options, tree }).passed;
    if (!isToRepair) return [];
  }
  await record.refresh();
  const { state } = record;
  const at = Date.now();
  const args = { subagent_type: role };
  const call = { tool: "task", args, session: rootSession, agent: orchestrator.agent, isChild: false, depth: 0, at };
  const decision = decide(state, call);
  if (decision.do === "refuse") {
    const { gate, missing } = decision;
    const { session, agent } = orchestrator;
    record.add({ type: "call-refused", at, by: plugin, session, agent, tool: "task", gate, missing });
  } else {
    const session = `${phase}-${visitsOf(state, phase)}-${Object.keys(state.sessions).length}`;
    record.add({ type: "session-joined", at, by: plugin, session, parent: rootSession, agent: role, depth: 1 });
  }
  return record.added;
}

/** The role's most recent session that is still open. */
export function openSession(state: MagnusState, role: Role): string | undefined {
  return Object.entries(state.sessions).findLast(([, { agent, isOpen }]) => agent === role && isOpen)?.[0];
}

/** Records what the agent left: files and, from a reviewer, the review in its reply. */
export async function replied(events: MagnusEvents, role: Role, text: string): Promise<MagnusEvents> {
  const record = new StepRecord(events);
  const session = openSession(record.state, role);
  if (session === undefined) return [];
  const before = record.state.tree;
  await record.refresh();
  const { phase, tree } = record.state;
  const access = accessIn(record.state, phase)[role];
  const at = Date.now();
  if (phases[phase].judge?.role === role) {
    const submission = reviewIn(text, record.state);
    record.add({ type: "review-submitted", at, by: { kind: "agent", agent: role, session }, submission });
  }
  record.add({ type: "session-ended", at, by: plugin, session, outcome: "idle" });
  if (tree !== before && access !== "build" && access !== "try") {
    const detail = `${role} changed the project's files in the ${phase} phase, in which agents may not do that`;
    record.add({ type: "paused", at, by: plugin, reason: "error", detail });
  }
  return record.added;
}

/** The host failed: a person decides how to continue. */
export function failed(events: MagnusEvents, role: Role, message: string): MagnusEvents {
  const record = new StepRecord(events);
  const at = Date.now();
  const session = openSession(record.state, role);
  if (session !== undefined) record.add({ type: "session-ended", at, by: plugin, session, outcome: "error" });
  record.add({ type: "paused", at, by: plugin, reason: "error", detail: `${role}: ${message}` });
  return record.added;
}

/** The last JSON block in a reply. Without one, or with an approval whose findings have no valid location, the reviewer abstains. */
function reviewIn(text: string, { worktree, folder }: MagnusState): Submission {
  const block = [...text.matchAll(/```(?:json)?[^\S\n]*\n(.*?)\n\s*```/gs)].at(-1)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(block);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const review = readSubmission(value);
  if ("abstains" in review) return review;
  const placed = placedReview(review, { worktree, directory: worktree, folder: join(worktree, folder) });
  return placed.review ?? lostReview(review, placed.problems);
}

export type PromptValues = Readonly<
  Record<"feature" | "folder" | "findings" | "notes" | "tests" | "figma" | "stack", string>
>;

/** The values for the graph's prompts. */
export function promptValues(events: MagnusEvents, role: Role): PromptValues {
  const state = runOf(events);
  const { stack } = new MagnusSettings({ directory: state.worktree, worktree: state.worktree }).stack;
  const step = nextStep(state);
  const found = step.do === "work" ? step.findings : [];
  const objections = step.do === "work" ? step.objections : [];
  const findings = [...objections.map(objectionText), ...found.map(findingText)].map((each) => `- ${each}`);
  const notes = step.do === "work" ? step.notes : undefined;
  const last = state.evidence.at(-1);
  let tests = "The tests have not been run yet. They will be run for you when you are done.";
  if (step.do === "work" && step.tdd === "red") {
    tests = "Write the tests for the change, and nothing else yet: they must fail before the change is made.";
  } else if (last !== undefined) {
    const counts = last.counts === undefined ? "" : `: ${last.counts.passed} passed, ${last.counts.failed} failed`;
    tests = `${last.argv.join(" ")}${counts}.${isRed(last, state.options.testCommand) ? " Make the tests pass without weakening any of them." : ""}`;
  }
  return {
    feature: state.description,
    folder: state.folder,
    findings: findings.length === 0 ? "None." : findings.join("\n"),
    notes: notes === undefined ? "None." : `> ${notes.replaceAll("\n", "\n> ")}`,
    tests,
    figma: state.options.figmaUrl ?? "None.",
    stack: `${stack.title}\n\n${stackAgent(stack, role).text}`,
  };
}
