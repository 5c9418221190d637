// Where a run stands, on one screen.
import { formatDuration } from "@atomic/terminal/duration";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { waitsForPerson } from "../run/gates.ts";
import { heldLine } from "../run/held.ts";
import { type NextStep, nextStep } from "../run/next-step.ts";
import { phases, phasesOf } from "../run/phases.ts";
import { currentVisit, type RunState } from "../run/state.ts";
import { money, tokens } from "../timeline/amounts.ts";
import { statusOf } from "../timeline/summary.ts";
import { ageWords } from "../words/status-words.ts";
import type { Report } from "./command.ts";

export function statusReport(state: RunState): Report {
  return { text: (page) => statusText(state, page), json: statusJson(state) };
}

function statusText(state: RunState, page: Page): string {
  const paint = painter(page.colour);
  const fact = (name: string, value: string): string =>
    paragraph(safeLine(value), page, { lead: `  ${paint("dim", name.padEnd(8))}  `, indent: " ".repeat(12) });
  const step = nextStep(state);
  const notes = step.do === "wait" ? step.concerns : [];
  return [
    paragraph(safeLine(state.description), page, { lead: `${paint("bold", safeLine(state.run))}: `, indent: "  " }),
    fact("status", statusOf(state).status),
    fact("type", `${state.flow}, ${state.workflow}`),
    fact("spent", spentText(state)),
    fact("refusals", String(state.refusals)),
    fact("folder", `${state.worktree}/${state.folder}`),
    "\n",
    ...phasesOf(state).map((phase) => `  ${markOf(state, phase)} ${phases[phase].title}${ageWords(state, phase)}\n`),
    ...heldLines(state, page),
    ...wantedLines(step, page),
    ...notes.map((text) => paragraph(safeLine(text), page, { lead: "  note: ", indent: "    " })),
  ].join("");
}

function heldLines({ held }: RunState, page: Page): readonly string[] {
  if (held.length === 0) return [];
  const lines = held.map((each) => paragraph(safeLine(heldLine(each)), page, { lead: "  ", indent: "     " }));
  return ["\nHeld until you confirm it in OpenCode (an agent may have decided it):\n", ...lines];
}

function wantedLines(step: NextStep, page: Page): readonly string[] {
  if (step.do === "over") return [];
  const title = step.do === "work" ? "\nThe agents still owe:\n" : "\nIt waits for you:\n";
  const wanted =
    step.do === "paused"
      ? [`${step.reason}, ${step.detail}. To continue: ${step.satisfy}`]
      : step.missing.map(({ what, needs, satisfy }) => (needs === "person" ? `${what}: ${satisfy}` : what));
  const reject = step.do === "wait" ? [`or send it back: ${step.reject}`] : [];
  if (wanted.length === 0) return [];
  return [
    title,
    ...[...wanted, ...reject].map((text) => paragraph(safeLine(text), page, { lead: "  - ", indent: "    " })),
  ];
}

function spentText({ spent, budget }: RunState): string {
  const { usd, tokens: used, ms, sessions } = spent.run;
  const of = (limit: number | undefined, text: (amount: number) => string): string =>
    limit === undefined ? "" : ` of ${text(limit)}`;
  return [
    `${money(usd)}${of(budget.run.usd, money)}`,
    `${tokens(used)}${of(budget.run.tokens, tokens)} tokens`,
    `${formatDuration(ms)}${of(budget.run.ms, formatDuration)} of work`,
    `${sessions}${of(budget.run.sessions, String)} sessions`,
  ].join(", ");
}

function markOf(state: RunState, phase: RunState["phase"]): string {
  const isNow = state.phase === phase && currentVisit(state).left === undefined;
  if (isNow) return state.status.kind === "running" ? "▶" : "■";
  const last = state.visits.findLast((visit) => visit.phase === phase)?.left;
  return last === undefined ? "·" : { passed: "✓", waived: "~", "sent-back": "↺" }[last];
}

function statusJson(state: RunState): object {
  const { run, flow, workflow, description, status, phase, spent, budget, refusals, worktree, folder } = state;
  const step = nextStep(state);
  return {
    ...{
      run,
      flow,
      workflow,
      description,
      status,
      phase,
      phases: phasesOf(state),
      spent: spent.run,
      budget: budget.run,
    },
    ...{
      refusals,
      folder: `${worktree}/${folder}`,
      visits: state.visits,
      approvals: state.approvals,
      waivers: state.waivers,
      held: state.held,
    },
    waitsForPerson: status.kind === "paused" || (status.kind === "running" && waitsForPerson(state)),
    missing: step.do === "work" || step.do === "wait" ? step.missing : [],
  };
}
