// A run's next step, as the orchestrator reads it: only this one.
import { withNames } from "../run/agent-names.ts";
import { roleOf } from "../run/gates.ts";
import { type NextStep, nextStep } from "../run/next-step.ts";
import { personCommand } from "../run/person-commands.ts";
import type { PhaseName } from "../run/phase-name.ts";
import { accessIn, gateOf, isReport, phases } from "../run/phases.ts";
import { findingText, type Objection, verdictOf } from "../run/review.ts";
import { lookUp, type MagnusState } from "../run/state.ts";
import type { UnableAgents } from "./help-words.ts";
import { fill, list, say, words } from "./template.ts";

type Wanted = Extract<NextStep, { do: "wait" }>["missing"][number];

/** The phases whose agents need the design. */
const showsDesign: ReadonlySet<string> = new Set<PhaseName>([
  ...(["requirements", "architecture", "plan-review", "implementation"] as const),
  ...(["design-validation", "ui-fixes", "review-fixes", "testing"] as const),
]);

/** `unable`: agents that cannot do their job, and why. */
export function stepWords(state: MagnusState, unable: UnableAgents = {}): string {
  const step = nextStep(state);
  const { description, folder, status } = state;
  switch (step.do) {
    case "work": {
      // In the testing phase, building agents are listed separately from the tester.
      const access = accessIn(state, state.phase);
      const isTesting = state.phase === "testing";
      const isBuilding = (agent: string): boolean => access[roleOf(state, agent)!] === "build";
      const named = isTesting ? step.agents.filter(isBuilding) : step.agents;
      const agents = named.map((agent) =>
        lookUp(unable, agent) === undefined
          ? `\`${agent}\``
          : `\`${agent}\` (not available: tell the user why, see below)`,
      );
      // The plugin writes the reports of reviews.
      const artifacts = step.artifacts.filter((path) => !path.endsWith("/")).map((path) => `\`${path}\``);
      const without = step.agents.flatMap((name) => lookUp(unable, name) ?? []);
      return say("work", {
        title: step.title,
        task: fill(withNames(words(`phases/${step.phase}`), state.names), {
          ...{ agents: agents.join(" and "), folder, description },
        }),
        figma: showsDesign.has(step.phase) ? (state.options.figmaUrl ?? "") : "",
        tdd: step.tdd === undefined ? "" : withNames(words(`tdd-${step.tdd}`), state.names),
        notes: step.notes === undefined ? "" : say("rejected", { notes: step.notes.replaceAll("\n", "\n> ") }),
        findings: reviewWords(step),
        artifacts: list(artifacts),
        missing: list([...step.missing.map(({ what }) => what), ...without]),
      });
    }
    case "wait": {
      const { phase, missing, concerns } = step;
      const approved = gateOf(state, state.phase) === "user_approval" ? state.phase : "architecture";
      const files = phases[approved].outputs.map((name) => `\`${folder}/${name}\``).join(", ");
      const isApproval = missing.some(({ gate }) => gate === "user_approval");
      return say("wait", {
        phase,
        missing: list(missing.map((lack) => wantedWords(lack))),
        objections: list(step.objections.map(objectionText)),
        read: isApproval ? `Read first: ${files}. To send it back: ${personCommand(state, "reject")}.` : "",
        concerns: concerns.length === 0 ? "" : `Worth knowing: ${concerns.join("; ")}.`,
      });
    }
    case "paused":
      return say("paused", {
        reason: step.reason,
        detail: step.detail,
        satisfy: step.satisfy,
        findings: step.reason === "stuck" ? reviewWords(step) : "",
      });
    case "over": {
      const files = Object.keys(state.artifacts).toSorted();
      const shown = isReport(state) ? files : files.filter((path) => path === "final-summary.md");
      return say("over", {
        how: status.kind,
        where: shown.length === 0 ? "" : `See ${shown.map((path) => `\`${folder}/${path}\``).join(", ")}.`,
        why: status.kind === "cancelled" && status.why !== "" ? `Why: ${status.why}` : "",
      });
    }
  }
}

/** What a check said that sent the work back; empty if none did. */
function reviewWords({ findings, objections }: Pick<Extract<NextStep, { do: "work" }>, "findings" | "objections">) {
  if (objections.length === 0) return "";
  return say("findings", {
    objections: list(objections.map(objectionText)),
    findings: list(findings.map(findingText)),
  });
}

/** Who objects, with which model, and in which words. */
export function objectionText({ reviewer, model, submission }: Objection): string {
  const who = model === undefined ? reviewer : `${reviewer} (${model})`;
  return `${who}: ${verdictOf(submission)}. ${submission.summary.replaceAll("\n", " ")}`;
}

export function wantedWords({ what, needs, satisfy, waive }: Wanted): string {
  return needs === "person" ? `${what}: ${satisfy}; to continue without it: ${waive}` : what;
}
