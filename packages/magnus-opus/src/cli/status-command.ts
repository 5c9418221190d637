// A run's status, on one screen.
import type { Command } from "@atomic/terminal/command";
import { formatDuration } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { waitsForPerson } from "../run/gates.ts";
import { heldLine } from "../run/held.ts";
import { nextStep } from "../run/next-step.ts";
import { phasesOf } from "../run/phases.ts";
import type { MagnusState } from "../run/state.ts";
import { money, tokens } from "../timeline/amounts.ts";
import { statusOf } from "../timeline/timeline.ts";
import { routeWords } from "../words/status-words.ts";
import { commandOf, type MagnusContext, newestRun } from "./command.ts";

export const statusCommand: Command<MagnusContext> = commandOf(
  {
    name: "status",
    summary: "Show where a run stands, what it is waiting for and what it has cost",
    details: [newestRun, "It does not disturb the OpenCode that drives the run."],
    arguments: { run: { count: "maybe", summary: "Its id or any unique prefix" } },
    options: {},
    examples: [
      {
        command: "magnus-opus status --json",
        shows: "The same for a program: `.waitsForPerson` says whether it is your turn.",
      },
    ],
  },
  async ({ project }, input) => {
    const { state } = project().find(input.run);
    return { text: (page) => statusText(state, page), json: statusJson(state) };
  },
);

function statusText(state: MagnusState, page: Page): string {
  const { held, budget } = state;
  const paint = painter(page.colour);
  const of = (limit: number | undefined, text: (amount: number) => string): string =>
    limit === undefined ? "" : ` of ${text(limit)}`;
  const { usd, tokens: used, ms, sessions } = state.spent.run;
  const spent = [
    `${money(usd)}${of(budget.run.usd, money)}`,
    `${tokens(used)}${of(budget.run.tokens, tokens)} tokens`,
    `${formatDuration(ms)}${of(budget.run.ms, formatDuration)} of work`,
    `${sessions}${of(budget.run.sessions, String)} sessions`,
  ].join(", ");
  const facts = {
    status: statusOf(state).status,
    type: `${state.flow}, ${state.workflow}`,
    spent,
    refusals: String(state.refusals),
    folder: `${state.worktree}/${state.folder}`,
  };
  const lines = [
    paragraph(safeLine(state.description), page, { lead: `${paint("bold", safeLine(state.run))}: `, indent: "  " }),
    ...Object.entries(facts).map(([name, value]) =>
      paragraph(safeLine(value), page, { lead: `  ${paint("dim", name.padEnd(8))}  `, indent: " ".repeat(12) }),
    ),
    "\n",
    ...routeWords(state).map((line) => `  ${line}\n`),
  ];
  if (held.length > 0) {
    lines.push(
      "\nHeld until you confirm it in OpenCode (an agent may have decided it):\n",
      ...held.map((each) => paragraph(safeLine(heldLine(each)), page, { lead: "  ", indent: "     " })),
    );
  }
  const step = nextStep(state);
  const wanted =
    step.do === "over"
      ? []
      : step.do === "paused"
        ? [`${step.reason}, ${step.detail}. To continue: ${step.satisfy}`]
        : step.missing.map(({ what, needs, satisfy }) => (needs === "person" ? `${what}: ${satisfy}` : what));
  if (wanted.length > 0) {
    if (step.do === "wait") wanted.push(`or send it back: ${step.reject}`);
    lines.push(
      step.do === "work" ? "\nThe agents still need to deliver:\n" : "\nIt is waiting for you:\n",
      ...wanted.map((text) => paragraph(safeLine(text), page, { lead: "  - ", indent: "    " })),
    );
  }
  const concerns = step.do === "wait" ? step.concerns : [];
  lines.push(...concerns.map((text) => paragraph(safeLine(text), page, { lead: "  note: ", indent: "    " })));
  return lines.join("");
}

function statusJson(state: MagnusState): object {
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
