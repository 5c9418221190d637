// How a run ended, or why it was left.

import { count } from "@atomic/terminal/count";
import { formatDuration } from "@atomic/terminal/duration";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Failure } from "@atomic/terminal/failure";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { jsonLine } from "@atomic/terminal/json";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { GraphJson } from "@atomic/workflows/graph/graph-json";
import type { RunStatus } from "@atomic/workflows/run/run-state";
import { describeEnd } from "../foreign-code.ts";
import type { Attended } from "../live/watch-run.ts";
import { formatSpent } from "../report/amounts.ts";
import { isShortened } from "../report/shorten.ts";
import { howToAnswer, type Suggestion, suggestionLines } from "./question.ts";
import { questionsOf } from "./questions.ts";
import { describeStatus, nextStep, statusColour } from "./run-status.ts";

const symbols: Partial<Record<RunStatus["kind"], string>> = { done: "✓", failed: "✗", cancelled: "–" };

/** What it came to, and the commands that go on with it, if some do. */
export function summaryBelowLines(attended: Attended, page: Page): string {
  return headText(attended, page) + hintText(attended, page) + suggestionLines(suggestions(attended), page);
}

/** The same below a picture, which says what a run that is done came to. */
export function summaryBelowPicture(attended: Attended, page: Page): string {
  return attended.status.kind === "done" ? "" : summaryBelowLines(attended, page);
}

function headText(attended: Attended, page: Page): string {
  const { state } = attended.view;
  const paint = painter(page.colour);
  const took = [
    `${formatDuration(state.updatedAt - state.createdAt)}, ${count(state.spent.steps, "step")}`,
    formatSpent(state.spent),
  ];
  const facts = took.filter((part) => part !== "").join(" · ");
  const { status } = attended;
  const symbol = paint(statusColour(status), symbols[status.kind] ?? "‖");
  return paragraph(`${safeLine(outcome(attended))} ${paint("dim", `(${facts})`)}`, page, {
    lead: `${symbol} ${safeLine(state.name ?? "run")} ${paint("bold", state.runId)} `,
    indent: "  ",
  });
}

/** How it ended, or why it was left, as the end of a sentence about the run. */
function outcome({ status, left, broken }: Attended): string {
  const why = left === undefined ? describeStatus(status) : leftText[left];
  if (broken === undefined) return why;
  return status.kind === "interrupted" ? `interrupted: ${describeEnd(broken)}` : `${why}, but ${describeEnd(broken)}`;
}

/** What its author says can be done about a failure. */
function hintText({ status }: Attended, page: Page): string {
  const hint = hintOf(status);
  return hint === undefined ? "" : paragraph(safeLine(hint), page, { lead: "  ", indent: "  " });
}

function hintOf(status: RunStatus): string | undefined {
  return status.kind === "failed" ? status.error.hint : undefined;
}

const leftText = {
  SIGINT: "was stopped and can be resumed",
  SIGTERM: "was stopped and can be resumed",
  SIGHUP: "was stopped and can be resumed",
  "no-wait": "waits for an answer",
} as const;

function answers({ view: { state } }: Attended): readonly Suggestion[] {
  const open = questionsOf(state);
  return open.flatMap((question) => howToAnswer(state.runId, question, open.length === 1));
}

function suggestions(attended: Attended): readonly Suggestion[] {
  return [...answers(attended), ...goOn(attended), ...lookUp(attended)];
}

/** Where the whole reason stands, if this is not all of it. */
function lookUp({ view: { state }, status }: Attended): readonly Suggestion[] {
  if (status.kind !== "failed" || !isShortened(status.error.message)) return [];
  return [{ command: `atomic show ${state.runId} --full`, does: "the whole reason" }];
}

function goOn(attended: Attended): readonly Suggestion[] {
  const next = nextStep(attended.view.state, attended.status);
  if (next === undefined) return [];
  return [{ command: next, does: answers(attended).length > 0 ? "then" : "" }];
}

/** Nodes whose output is somebody's text. Of others it is a count, a label, an answer. */
const speaking: readonly string[] = ["agent", "skill", "command", "tool"];

/** What the last node of a run that is done said. */
export function outputText({ view: { state }, status }: Attended): string {
  if (status.kind !== "done" || !("value" in status.result)) return "";
  const { outputs } = status.result.value as { readonly outputs?: Readonly<Record<string, unknown>> };
  const last = (state.graph as unknown as GraphJson).nodes.at(-1);
  const output = last === undefined || !speaking.includes(last.kind) ? undefined : outputs?.[last.id];
  if (typeof output !== "string" || output.trim() === "") return "";
  return `${escapeForTerminal(output.trimEnd())}\n`;
}

const errorCodes: Partial<Record<ExitCode, string>> = {
  4: "waiting",
  5: "budget-used-up",
  7: "workflow-ended",
  8: "cancelled",
  129: "interrupted",
  130: "interrupted",
  143: "interrupted",
};

/** The same that people are told. */
function errorOf(attended: Attended, exitCode: ExitCode): Omit<Failure, "exitCode"> {
  const commands = suggestions(attended).map(({ command, does }) => (does === "" ? command : `${command}  # ${does}`));
  const { status } = attended;
  const own = exitCode === 6 && status.kind === "failed" ? status.error.code : undefined;
  const hint = [...[hintOf(status) ?? []].flat(), ...commands].join("\n");
  return {
    code: own ?? errorCodes[exitCode] ?? "run-failed",
    message: outcome(attended),
    ...(hint !== "" && { hint }),
  };
}

/** The last line of `--json`. */
export function resultLine(attended: Attended, exitCode: ExitCode): string {
  const { view, status, left } = attended;
  const { state } = view;
  const { runId, name, spent, updatedAt } = state;
  return jsonLine({
    ok: exitCode === 0,
    ...(exitCode !== 0 && { error: errorOf(attended, exitCode) }),
    runId,
    type: "result",
    version: 1,
    ...(name !== undefined && { workflow: name }),
    status,
    ...(left !== undefined && { left }),
    spent,
    questions: questionsOf(state),
    exitCode,
    at: updatedAt,
  });
}
