// How a run ended, or why it was left.
import { count, formatDuration } from "@atomic/terminal/count";
import type { ExitCode, Interrupt } from "@atomic/terminal/exit-codes";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { jsonPieces } from "@atomic/terminal/json";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import type { Output } from "@atomic/terminal/process-output";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { FinalAnswer } from "@atomic/workflows/internal/graph/answer";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunState, RunStatus } from "@atomic/workflows/internal/run/run-state";
import { formatSpent, isShortened } from "../report/format.ts";
import { isFromProgram } from "../runs/run-setup.ts";
import { howToAnswer, questionsOf, questionText, runnable, type Suggestion, suggestionLines } from "./questions.ts";
import { describeStatus, nextStep, statusColour } from "./run-status.ts";
import type { RunView } from "./run-view.ts";

/** A run that was watched until it ended, or until it was left. */
export interface SummarizedRun {
  readonly view: RunView;
  readonly status: RunStatus;
  /** Why it was left, if it was. */
  readonly left?: Interrupt | "no-wait";
  /** What the workflow said at its end, if it is done. */
  readonly answer?: FinalAnswer | undefined;
  /** How the workflow's own code ended this process, if it did; the end of a sentence. */
  readonly broken?: string;
  /** The run is in a database, so a worker continues it if you do not. */
  readonly hasWorkers?: boolean;
}

const symbols: Partial<Record<RunStatus["kind"], string>> = { done: "✓", failed: "✗", cancelled: "–" };

/** The outcome, and the commands that continue the run, if any do. */
export function summaryBelowLines(watched: SummarizedRun, page: Page): string {
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

/** The same below a picture, which already shows the outcome of a run that is done, but not a question that you were not asked. */
export function summaryBelowPicture(watched: SummarizedRun, page: Page): string {
  if (watched.status.kind === "done") return "";
  const questions = watched.left === "no-wait" ? questionsOf(watched.view.state) : [];
  return questions.map((question) => questionText(question, page)).join("") + summaryBelowLines(watched, page);
}

/** How it ended, or why it was left, as the end of a sentence about the run. */
function outcomeOf({ status, left, broken }: SummarizedRun): string {
  const leftText = left === "no-wait" ? "is waiting for an answer" : "was stopped and can be resumed";
  const isIdle = status.kind === "pending";
  const why = left === undefined ? `${isIdle ? "is " : ""}${describeStatus(status)}` : leftText;
  if (broken === undefined) return why;
  return status.kind === "interrupted" ? `interrupted: ${broken}` : `${why}, but ${broken}`;
}

/** Who continues a run that no process works on, after something was sent to it. */
export function whoContinues({ runId, workspace }: RunState, hasWorkers: boolean, page: Page): string {
  if (isFromProgram(workspace))
    return `No process is working on it. To continue, run the program again with runId "${runId}".\n`;
  const command = runnable(`atomic resume ${runId}`, page);
  return hasWorkers
    ? `A worker continues it. To work on it here instead: ${command}\n`
    : `No process is working on it. Continue with: ${command}\n`;
}

function suggestionsFor({ view: { state }, status, hasWorkers = false }: SummarizedRun): readonly Suggestion[] {
  const open = questionsOf(state);
  const answers = open.flatMap((question) => howToAnswer(state.runId, question));
  const next = nextStep(state, status);
  const then = answers.length > 0 ? "then" : "";
  const orWorker =
    hasWorkers && (status.kind === "pending" || status.kind === "interrupted") ? "or a worker does it" : "";
  const isCut = status.kind === "failed" && isShortened(status.error.message);
  return [
    ...answers,
    ...(next === undefined ? [] : [{ command: next, does: [then, orWorker].filter((part) => part !== "").join(", ") }]),
    ...(isCut ? [{ command: `atomic show ${state.runId} --full`, does: "the full reason" }] : []),
  ];
}

/**
 * A text as it is, anything else as JSON. Nothing for what says nothing. A terminal gets what is safe to show; a file or a pipe
 * gets every character, and a line break at the end if there is none. In pieces, because the outputs of a map may be longer
 * than a string can be.
 */
export function* outputPieces(output: Json | undefined, to: Pick<Output, "isTTY">): Generator<string, void> {
  if (output === undefined || output === null || output === "") return;
  if (typeof output !== "string") {
    yield* jsonPieces(output as object, "  ");
  } else if (!to.isTTY) {
    yield output;
    if (!output.endsWith("\n")) yield "\n";
  } else if (output.trim() !== "") yield `${escapeForTerminal(output.trimEnd())}\n`;
}

/** What the workflow said at its end. The answers of several branches have their labels above them. */
export function* answerPieces(
  { answer }: Pick<SummarizedRun, "answer">,
  to: Pick<Output, "isTTY">,
): Generator<string, void> {
  if (answer?.branches !== true) return yield* outputPieces(answer?.value, to);
  const answers = Object.entries(answer.value as { readonly [label: string]: Json });
  for (const [at, [label, value]] of answers.entries()) {
    yield `${at === 0 ? "" : "\n"}${safeLine(label)}:\n`;
    yield* outputPieces(value, to);
  }
}

/** A line of `--json` for a program that started the run: it waits, for what, and what a person would type. */
export function waitingRecord({ state }: RunView, at: number, page: Page): object {
  const { runId } = state;
  const questions = questionsOf(state);
  const commands = questions.flatMap((each) => howToAnswer(runId, each));
  return { runId, type: "waiting", questions, hint: commands.map((each) => commandLine(each, page)).join("\n"), at };
}

/** Ready to copy, with what it does as a comment. */
export function commandLine({ command, does }: Suggestion, page: Page): string {
  return `${runnable(command, page)}${does === "" ? "" : `  # ${does}`}`;
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

/** The last line of `--json`, in pieces: a result may be longer than a text can be. */
export function resultPieces(watched: SummarizedRun, exitCode: ExitCode, page: Page): Iterable<string> {
  const { view, status, left, answer } = watched;
  const { runId, name: workflow, spent, updatedAt: at } = view.state;
  const failure = status.kind === "failed" ? status.error : undefined;
  const commands = suggestionsFor(watched).map((each) => commandLine(each, page));
  const hint = [...(failure?.hint === undefined ? [] : [failure.hint]), ...commands].join("\n") || undefined;
  const error = {
    code: (exitCode === 6 ? failure?.code : undefined) ?? errorCodes[exitCode] ?? "run-failed",
    message: outcomeOf(watched),
    hint,
  };
  const questions = questionsOf(view.state);
  return jsonPieces({
    ...{ ok: exitCode === 0, error: exitCode === 0 ? undefined : error },
    ...{
      runId,
      type: "result",
      version: 1,
      workflow,
      status,
      answer: answer?.value,
      left,
      spent,
      questions,
      exitCode,
      at,
    },
  });
}
