// How a run ended, or why it was left.
import { count, formatDuration } from "@atomic/terminal/count";
import type { ExitCode, Interrupt } from "@atomic/terminal/exit-codes";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { jsonLine } from "@atomic/terminal/json";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import { formatSpent, isShortened } from "../report/format.ts";
import { howToAnswer, questionsOf, type Suggestion, suggestionLines } from "./questions.ts";
import { describeStatus, nextStep, statusColour } from "./run-status.ts";
import type { RunView } from "./run-view.ts";

/** A run that was watched until it ended, or until it was left. */
export interface WatchedRun {
  readonly view: RunView;
  readonly status: RunStatus;
  /** Why it was left, if it was. */
  readonly left?: Interrupt | "no-wait";
  /** How the workflow's own code ended this process, if it did; the end of a sentence. */
  readonly broken?: string;
}

const symbols: Partial<Record<RunStatus["kind"], string>> = { done: "✓", failed: "✗", cancelled: "–" };

/** The outcome, and the commands that continue the run, if any do. */
export function summaryBelowLines(watched: WatchedRun, page: Page): string {
  const { view, status } = watched;
  const { updatedAt, createdAt, spent, name, runId } = view.state;
  const paint = painter(page.colour);
  const took = [`${formatDuration(updatedAt - createdAt)}, ${count(spent.steps, "step")}`, formatSpent(spent)];
  const facts = took.filter((part) => part !== "").join(" · ");
  const symbol = paint(statusColour(status), symbols[status.kind] ?? "‖");
  const head = paragraph(`${safeLine(outcomeOf(watched))} ${paint("dim", `(${facts})`)}`, page, {
    lead: `${symbol} ${safeLine(name ?? "run")} ${paint("bold", runId)} `,
    indent: "  ",
  });
  // What the workflow's author says can be done about a failure.
  const hint = status.kind === "failed" ? status.error.hint : undefined;
  const advice = hint === undefined ? "" : paragraph(safeLine(hint), page, { lead: "  ", indent: "  " });
  return head + advice + suggestionLines(suggestionsFor(watched), page);
}

/** The same below a picture, which already shows the outcome of a run that is done. */
export function summaryBelowPicture(watched: WatchedRun, page: Page): string {
  return watched.status.kind === "done" ? "" : summaryBelowLines(watched, page);
}

/** How it ended, or why it was left, as the end of a sentence about the run. */
function outcomeOf({ status, left, broken }: WatchedRun): string {
  const leftText = left === "no-wait" ? "is waiting for an answer" : "was stopped and can be resumed";
  const why = left === undefined ? describeStatus(status) : leftText;
  if (broken === undefined) return why;
  return status.kind === "interrupted" ? `interrupted: ${broken}` : `${why}, but ${broken}`;
}

function suggestionsFor({ view: { state }, status }: WatchedRun): readonly Suggestion[] {
  const open = questionsOf(state);
  const answers = open.flatMap((question) => howToAnswer(state.runId, question, open.length === 1));
  const next = nextStep(state, status);
  const isCut = status.kind === "failed" && isShortened(status.error.message);
  return [
    ...answers,
    ...(next === undefined ? [] : [{ command: next, does: answers.length > 0 ? "then" : "" }]),
    ...(isCut ? [{ command: `atomic show ${state.runId} --full`, does: "the full reason" }] : []),
  ];
}

/** Nodes whose output is a text. For others it is a count, a label, an answer. */
const speaking: readonly string[] = ["agent", "skill", "command", "tool"];

/** The last output of a run that is done. */
export function outputText({ view: { state }, status }: WatchedRun): string {
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

/** The last line of `--json`. */
export function resultLine(watched: WatchedRun, exitCode: ExitCode): string {
  const { view, status, left } = watched;
  const { runId, name: workflow, spent, updatedAt: at } = view.state;
  const failure = status.kind === "failed" ? status.error : undefined;
  const commands = suggestionsFor(watched).map(({ command, does }) =>
    does === "" ? command : `${command}  # ${does}`,
  );
  const hint = [...(failure?.hint === undefined ? [] : [failure.hint]), ...commands].join("\n") || undefined;
  const error = {
    code: (exitCode === 6 ? failure?.code : undefined) ?? errorCodes[exitCode] ?? "run-failed",
    message: outcomeOf(watched),
    hint,
  };
  const questions = questionsOf(view.state);
  return jsonLine({
    ...{ ok: exitCode === 0, error: exitCode === 0 ? undefined : error },
    ...{ runId, type: "result", version: 1, workflow, status, left, spent, questions, exitCode, at },
  });
}
