// The next step of a run, as the orchestrator reads it: this step and no other.
import { type NextStep, nextStep } from "../run/next-step.ts";
import { rejectCommand } from "../run/person-commands.ts";
import type { Role } from "../run/phase-name.ts";
import { accessIn, gateOf, isReport, phases } from "../run/phases.ts";
import type { Finding } from "../run/review.ts";
import { lookUp, type RunState } from "../run/state.ts";
import type { UnableAgents } from "./help-words.ts";
import { list, say } from "./template.ts";

type Wanted = Extract<NextStep, { do: "wait" }>["missing"][number];

/** `unable`: agents that cannot do their part, and why. */
export function stepWords(state: RunState, unable: UnableAgents = {}): string {
  const step = nextStep(state);
  switch (step.do) {
    case "work":
      return workWords(state, step, unable);
    case "wait":
      return waitWords(state, step);
    case "paused":
      return say("paused", { reason: step.reason, detail: step.detail, satisfy: step.satisfy });
    case "over":
      return overWords(state);
  }
}

function workWords(state: RunState, step: Extract<NextStep, { do: "work" }>, unable: UnableAgents): string {
  const without = step.agents.flatMap((name) => lookUp(unable, name) ?? []);
  const { description, folder } = state;
  const task = say(`phases/${step.phase}`, { agents: namesOf(state, step.agents, unable), folder, description });
  return say("work", {
    title: step.title,
    task,
    tdd: step.tdd === undefined ? "" : say(`tdd-${step.tdd}`),
    notes: step.notes === undefined ? "" : say("rejected", { notes: step.notes.replaceAll("\n", "\n> ") }),
    findings: step.findings.length === 0 ? "" : say("findings", { findings: list(step.findings.map(findingWords)) }),
    artifacts: list(
      step.artifacts.map((path) => `\`${path}\`${path.endsWith("/") ? " (one file for each review)" : ""}`),
    ),
    missing: list([...step.missing.map(({ what }) => what), ...without]),
  });
}

/** Whoever builds in a phase of tests is named apart from the tester. */
function namesOf(state: RunState, agents: readonly string[], unable: UnableAgents): string {
  const access = accessIn(state, state.phase);
  const isTesting = state.phase === "testing";
  const named = isTesting ? agents.filter((agent) => access[agent as Role] === "build") : agents;
  const cannot = (agent: string) =>
    lookUp(unable, agent) === undefined ? "" : " (which cannot: tell the person why, below)";
  return named.map((agent) => `\`${agent}\`${cannot(agent)}`).join(" and ");
}

function findingWords({ severity, file, line, problem, fix }: Finding): string {
  return `${severity} ${file}:${line} ${problem} Fix: ${fix}`;
}

function waitWords(state: RunState, { phase, missing, concerns }: Extract<NextStep, { do: "wait" }>): string {
  const isApproval = missing.some(({ gate }) => gate === "user_approval");
  return say("wait", {
    phase,
    missing: list(missing.map((lack) => wantedWords(lack))),
    read: isApproval ? `To read: ${toRead(state)}. To send it back: ${rejectCommand(state)}.` : "",
    concerns: concerns.length === 0 ? "" : `Worth knowing: ${concerns.join("; ")}.`,
  });
}

function toRead(state: RunState): string {
  const phase = gateOf(state, state.phase) === "user_approval" ? state.phase : "architecture";
  return phases[phase].outputs.map((name) => `\`${state.folder}/${name}\``).join(", ");
}

export function wantedWords({ what, needs, satisfy, waive }: Wanted): string {
  return needs === "person" ? `${what}: ${satisfy}; without it: ${waive}` : what;
}

function overWords(state: RunState): string {
  const { status, folder, artifacts } = state;
  const files = Object.keys(artifacts).toSorted();
  const named = isReport(state) ? files : files.filter((path) => path === "final-summary.md");
  return say("over", {
    how: status.kind,
    where: named.length === 0 ? "" : `See ${named.map((path) => `\`${folder}/${path}\``).join(", ")}.`,
    why: status.kind === "cancelled" && status.why !== "" ? `Why: ${status.why}` : "",
  });
}
