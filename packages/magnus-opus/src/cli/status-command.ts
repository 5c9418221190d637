// A run's status, on one screen.
import type { Command } from "@atomic/terminal/command";
import { formatDuration } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { money, tokens } from "@atomic/workflows/internal/view/page-amounts";
import { waitsForPerson } from "../run/gates.ts";
import { heldLine } from "../run/held.ts";
import { nextStep } from "../run/next-step.ts";
import { phasesOf } from "../run/phases.ts";
import { statusOf } from "../timeline/timeline.ts";
import { routeWords } from "../words/status-words.ts";
import { commandOf, type MagnusContext, newestRun } from "./command.ts";

export const statusCommand: Command<MagnusContext> = commandOf(
  {
    name: "status",
    summary: "Show a run's status, what it is waiting for and what it has cost",
    details: [newestRun, "It does not interfere with the OpenCode instance driving the run."],
    arguments: { run: { count: "maybe", summary: "The run's id or any unique prefix of it" } },
    options: {},
    examples: [
      {
        command: "magnus-opus status --json",
        shows: "Show the status as JSON; `.waitsForPerson` is true when it is your turn.",
      },
    ],
  },
  async ({ project }, input) => {
    const { state } = project().find(input.run);
    const { run, flow, workflow, description, status, phase, spent, budget, refusals, held } = state;
    const folder = `${state.worktree}/${state.folder}`;
    const step = nextStep(state);
    const json = {
      ...{ run, flow, workflow, description, status, phase, phases: phasesOf(state), spent: spent.run },
      ...{ budget: budget.run, refusals, folder, visits: state.visits, approvals: state.approvals },
      ...{ waivers: state.waivers, held },
      waitsForPerson: status.kind === "paused" || (status.kind === "running" && waitsForPerson(state)),
      missing: step.do === "work" || step.do === "wait" ? step.missing : [],
    };
    return {
      json,
      text: (page) => {
        const paint = painter(page.colour);
        const amounts = [
          [spent.run.usd, budget.run.usd, money, ""],
          [spent.run.tokens, budget.run.tokens, tokens, " tokens"],
          [spent.run.ms, budget.run.ms, formatDuration, " of work"],
          [spent.run.sessions, budget.run.sessions, String, " sessions"],
        ] as const;
        const cost = amounts.map(
          ([used, limit, show, unit]) => `${show(used)}${limit === undefined ? "" : ` of ${show(limit)}`}${unit}`,
        );
        const facts = {
          status: statusOf(state).status,
          type: `${flow}, ${workflow}`,
          spent: cost.join(", "),
          refusals: String(refusals),
          folder,
        };
        const lines = [
          paragraph(safeLine(description), page, { lead: `${paint("bold", safeLine(run))}: `, indent: "  " }),
          ...Object.entries(facts).map(([name, value]) =>
            paragraph(safeLine(value), page, { lead: `  ${paint("dim", name.padEnd(8))}  `, indent: " ".repeat(12) }),
          ),
          "\n",
          ...routeWords(state).map((line) => `  ${line}\n`),
        ];
        if (held.length > 0) {
          lines.push(
            "\nWaiting for you to confirm in OpenCode (an agent may have made these decisions):\n",
            ...held.map((each) => paragraph(safeLine(heldLine(each)), page, { lead: "  ", indent: "     " })),
          );
        }
        const wanted: string[] = [];
        if (step.do === "paused") wanted.push(`${step.reason}, ${step.detail}. To continue: ${step.satisfy}`);
        for (const { what, needs, satisfy } of json.missing)
          wanted.push(needs === "person" ? `${what}: ${satisfy}` : what);
        if (wanted.length > 0) {
          if (step.do === "wait") wanted.push(`or send it back: ${step.reject}`);
          lines.push(
            step.do === "work" ? "\nThe agents still need to deliver:\n" : "\nIt is waiting for you:\n",
            ...wanted.map((each) => paragraph(safeLine(each), page, { lead: "  - ", indent: "    " })),
          );
        }
        const concerns = step.do === "wait" ? step.concerns : [];
        lines.push(...concerns.map((each) => paragraph(safeLine(each), page, { lead: "  note: ", indent: "    " })));
        return lines.join("");
      },
    };
  },
);
