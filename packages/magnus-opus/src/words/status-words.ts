// A run's status, on one screen.

import { formatDuration } from "@atomic/terminal/count";
import { withCommands } from "../run/command-names.ts";
import type { PersonEvent } from "../run/event.ts";
import { isOutdated } from "../run/gates.ts";
import { heldLine } from "../run/held.ts";
import { nextStep } from "../run/next-step.ts";
import { approvalPhase, phases, phasesOf } from "../run/phases.ts";
import { currentVisit, type MagnusState } from "../run/state.ts";
import { wantedWords } from "./step-words.ts";
import { list, say } from "./template.ts";

export function statusWords(state: MagnusState): string {
  const step = nextStep(state);
  const missing = step.do === "work" || step.do === "wait" ? step.missing : [];
  const { run, description, folder, workflow, phase, status, refusals, held } = state;
  const route = phasesOf(state);
  const { spent, budget } = state;
  const amounts = [
    [spent.run.usd, budget.run.usd, (usd: number) => `$${usd.toFixed(2)}`, ""],
    [spent.run.tokens, budget.run.tokens, String, " tokens"],
    [spent.run.ms, budget.run.ms, formatDuration, ""],
    [spent.run.sessions, budget.run.sessions, String, " sessions"],
  ] as const;
  const cost = amounts.map(
    ([used, limit, text, unit]) => `${text(used)}${limit === undefined ? "" : ` of ${text(limit)}`}${unit}`,
  );
  return say("status", {
    run,
    description,
    folder,
    type: workflow,
    figma: state.options.figmaUrl ?? "",
    phase: phases[phase].title,
    place: `${route.indexOf(phase) + 1} of ${route.length}`,
    status: status.kind === "paused" ? `paused (${status.reason}): ${status.detail}` : status.kind,
    cost: cost.join(", "),
    refusals: String(refusals),
    route: routeWords(state).join("   "),
    held:
      held.length === 0
        ? ""
        : [
            withCommands("Waiting for you to confirm with `/magnus-confirm <number>`:", state.commandNames),
            list(held.map(heldLine)),
          ].join("\n"),
    missing: step.do === "paused" ? list([step.satisfy]) : list(missing.map(wantedWords)),
    concerns: step.do === "wait" && step.concerns.length > 0 ? `Worth knowing: ${step.concerns.join("; ")}.` : "",
  });
}

/** The run's phases, each marked with its status. A passed check is marked as outdated if the files have changed since. */
export function routeWords(state: MagnusState): readonly string[] {
  return phasesOf(state).map((name) => {
    const isNow = state.phase === name && currentVisit(state).left === undefined;
    const last = state.visits.findLast(({ phase }) => phase === name)?.left;
    const left = last === undefined ? "·" : { passed: "✓", waived: "~", "sent-back": "↺" }[last];
    const mark = isNow ? (state.status.kind === "running" ? "▶" : "■") : left;
    const age = isOutdated(state, name) ? " (outdated: the files have changed since)" : "";
    return `${mark} ${phases[name].title}${age}`;
  });
}

/** What waiving a whole phase implies, which is easily missed; empty if nothing. */
export function waiverWords(event: PersonEvent, state: MagnusState): string {
  if (event.type !== "waived" || event.gate !== "phase") return "";
  if (event.phase === approvalPhase(state, "architecture")) {
    return "This also waives the plan's approval, so building can start.";
  }
  return event.phase === "acceptance" ? "This also waives the result's approval." : "";
}
