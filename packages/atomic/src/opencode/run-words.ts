// What the plugin says about runs. Pure.
import { painter, withoutColour } from "@atomic/terminal/paint";
import type { AnswerReading } from "@atomic/terminal/questions";
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, truncate } from "@atomic/terminal/width";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunState, RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { DialogChoice } from "@atomic/workflows/internal/view/dialog";
import { later } from "@atomic/workflows/internal/view/later";
import type { Toast } from "@atomic/workflows/internal/view/terminal-api";
import { isFromProgram } from "../runs/run-setup.ts";
import { progressLines } from "../view/progress.ts";
import { answerTo, choiceOf, headline, questionsOf, questionText, type RunQuestion } from "../view/questions.ts";
import { describeStatus, hasEnded, nextStep, statusColour } from "../view/run-status.ts";
import type { RunView } from "../view/run-view.ts";
import type { FollowedRun } from "./followed-runs.ts";

const paint = painter(true);
const noOwner = { pid: 0, host: "" };

/** The runs that the status line is about: those that are worked on, and those that ask. */
export function openRuns(runs: readonly FollowedRun[]): readonly FollowedRun[] {
  const asks = ({ questions }: FollowedRun): number => (questions.length > 0 ? 0 : 1);
  return runs
    .filter(({ view, questions, isWorkedOn }) => !hasEnded(view.state.status) && (isWorkedOn || questions.length > 0))
    .toSorted((one, other) => asks(one) - asks(other));
}

/** A run that asks is waiting, whether a process waits with it or not; one whose process is gone only looks as if it were running. */
export function shownStatus({ view: { state }, questions, isWorkedOn }: FollowedRun): RunStatus {
  const { status } = state;
  if (hasEnded(status)) return status;
  const owner = "owner" in status ? status.owner : noOwner;
  if (questions.length > 0)
    return { kind: "waiting", owner, for: questions.map(({ key }) => ({ kind: "signal", key })) };
  const isOwned = status.kind === "running" || status.kind === "waiting";
  return isOwned && !isWorkedOn ? { kind: "interrupted", owner } : status;
}

/** Less says nothing. */
const leastAbout = 12;

/** Empty if all runs have ended. */
export function statusLine(runs: readonly FollowedRun[], columns: number): string {
  const [first, ...others] = openRuns(runs);
  if (first === undefined) return idleLine(runs, columns);
  const { state } = first.view;
  const name = safeLine(`${state.name ?? "run"} ${first.runId}`);
  const [question] = first.questions;
  const questions = [first, ...others].reduce((sum, run) => sum + Math.max(1, run.questions.length), 0);
  const more = questions === 1 ? "" : ` · ${questions - 1} more`;
  const after = `${more} · /runs`;
  const about =
    question === undefined ? safeLine(describeStatus(state.status)) : `asks: ${headline(question) || "your answer"}`;
  const colour = question === undefined ? statusColour(state.status) : "yellow";
  // In a narrow terminal, what it is about and where to answer come before who it is.
  const leads = [`${paint("dim", "atomic")} ${name} `, `${name} `, ""];
  const roomAfter = (lead: string): number => columns - displayWidth(withoutColour(lead) + after);
  const least = Math.min(leastAbout, displayWidth(about));
  const lead = leads.find((each) => roomAfter(each) >= least) ?? "";
  return `${lead}${paint(colour, truncate(about, Math.max(1, roomAfter(lead))))}${paint("dim", after)}`;
}

/** Open runs that no process works on. However many and old they are, they take one line. */
function idleLine(runs: readonly FollowedRun[], columns: number): string {
  const idle = runs.filter(({ view }) => !hasEnded(view.state.status)).length;
  if (idle === 0) return "";
  const [about, after] = [`${idle} idle ${idle === 1 ? "run" : "runs"}`, " · /runs"];
  const line = [`atomic ${about}${after}`, `${about}${after}`].find((each) => displayWidth(each) <= columns);
  return paint("dim", line ?? `${truncate(about, Math.max(1, columns - displayWidth(after)))}${after}`);
}

/** A run as a tree. It moves only when something happens, so times are those of its last event. */
export function treeText(
  { state, ...view }: RunView,
  size: { readonly columns: number; readonly rows: number },
): string {
  const canvas = { ...size, colour: true, now: state.updatedAt };
  return progressLines(state.graph as unknown as GraphJson, { state, ...view }, canvas).join("\n");
}

export function shownView(run: FollowedRun): RunView {
  return { ...run.view, state: { ...run.view.state, status: shownStatus(run) } };
}

/** The newest run as a tree, the others in a line each. */
export function sidebarText(
  runs: readonly FollowedRun[],
  size: { readonly columns: number; readonly rows: number },
): string {
  const [first, ...others] = runs;
  if (first === undefined) return "";
  const lines = others.slice(0, 5).map((run) => {
    const named = `${safeLine(run.view.state.name ?? "run")} ${run.runId}`;
    return paint("dim", truncate(`${named}  ${safeLine(describeStatus(shownStatus(run)))}`, size.columns));
  });
  return [treeText(shownView(first), { ...size, rows: size.rows - lines.length }), ...lines].join("\n");
}

/** The question with what can be chosen; the options are listed below it. */
export function questionBody(question: RunQuestion, columns: number): string {
  return questionText({ ...question, options: [] }, { columns, colour: true });
}

/** What you are shown when a dialog closes by itself; words that you were typing are not lost. */
export function closedMessage(
  runId: string,
  key: string,
  run: FollowedRun | undefined,
  { typed, hasWorkers }: { readonly typed: string; readonly hasWorkers: boolean },
): string {
  return `${safeLine(`${runId}: ${whyClosed(key, run, hasWorkers)}`)}${notSent(typed)}`;
}

const lost = "the run was removed or can no longer be read";

/** The run whose tree was on the screen. */
export function lostMessage(runId: string): string {
  return safeLine(`${runId}: ${lost}`);
}

function whyClosed(key: string, run: FollowedRun | undefined, hasWorkers: boolean): string {
  if (run === undefined) return lost;
  const { status, calls, signals } = run.view.state;
  if (!signals.has(key)) {
    if (hasEnded(status)) return "the run has ended";
    const wait = calls.get(key);
    if (wait?.kind === "wait" && wait.phase === "closed") return "this question no longer needs an answer";
  }
  const why = "this question was answered elsewhere";
  const next = howToContinue(run, hasWorkers);
  return next === undefined ? why : `${why}. ${next}`;
}

/** Undefined if a process or a worker continues it, or if it has to be answered first. */
function howToContinue(run: FollowedRun, hasWorkers: boolean): string | undefined {
  const status = shownStatus(run);
  const isTaken = hasWorkers && status.kind !== "stopped";
  if (run.isWorkedOn || run.questions.length > 0 || isTaken || hasEnded(status)) return undefined;
  const next = nextStep(run.view.state, status, hasWorkers);
  return next && `No process is working on the run. To continue: ${next}`;
}

/** The end of a message about a dialog that closed by itself. */
export function notSent(typed: string): string {
  return typed === "" ? "" : safeLine(`. What you typed was not sent: ${typed}`);
}

/**
 * What becomes of a run whose question you have just answered: its process continues, or OpenCode starts one.
 *
 * @param state With the answer.
 */
export function afterAnswer(
  state: RunState,
  status: RunStatus,
  hasWorkers: boolean,
): { readonly continues: boolean; readonly message: string } {
  const { runId, workspace } = state;
  const isLeft = ["pending", "interrupted", "stopped"].includes(status.kind);
  if (!isLeft) return { continues: false, message: `${runId} continues` };
  if (questionsOf(state).length > 0) return { continues: false, message: `${runId} has another question for you` };
  if (status.kind !== "stopped" && !isFromProgram(workspace))
    return { continues: !hasWorkers, message: hasWorkers ? `A worker continues ${runId}` : `${runId} continues` };
  const next = nextStep(state, status, hasWorkers) ?? "";
  return {
    continues: false,
    message: safeLine(`${runId} has your answer, but no process is working on it. To continue: ${next}`),
  };
}

/** What became of a run that you have just cancelled: it may have ended before, while you were asked. */
export function afterCancel(runId: string, status: RunStatus): Omit<Toast, "title"> {
  if (!hasEnded(status)) return { variant: "info", message: `${runId} is being cancelled` };
  if (status.kind === "cancelled") return { variant: "success", message: `${runId} is cancelled` };
  return { variant: "info", message: endedMessage(runId, status) };
}

export function endedMessage(runId: string, status: RunStatus): string {
  return safeLine(`${runId} has ended: ${describeStatus(status)}`);
}

/** How a run has ended that you started here; undefined if it has not, or if it was you who ended it. */
export function endOf({ runId, view: { state } }: FollowedRun): Omit<Toast, "title"> | undefined {
  const { status, name } = state;
  const run = `${name ?? "run"} ${runId}`;
  if (status.kind === "done") return { variant: "success", message: safeLine(`${run} is done`) };
  if (status.kind !== "failed") return undefined;
  return { variant: "error", message: safeLine(`${run} ${describeStatus(status)}`), duration: 10_000 };
}

/** The first one is harmless: it is selected when the dialog opens. */
export function choicesFor(question: RunQuestion): readonly DialogChoice[] {
  const harmless = { isHarmless: true } as const;
  const postpone = { title: "Later", value: later, description: "the status line keeps it", ...harmless };
  switch (question.kind) {
    case "approval":
      return [postpone, { title: "Yes", value: "yes" }, { title: "No", value: "no", ...harmless }];
    case "permission":
      return [
        postpone,
        { title: "Allow once", value: "yes" },
        { title: "Allow in this run", value: "always", description: safeLine(question.covers ?? "") },
        { title: "Deny", value: "no", ...harmless },
        { title: "Deny and say why", value: "no", asksFor: "What should the agent do instead?", ...harmless },
      ];
    case "choice": {
      const options = question.options.map(({ label, description }, at) => ({
        title: safeLine(label),
        description: description === undefined ? undefined : safeLine(description),
        value: String(at + 1),
      }));
      return question.multiple ? options : [postpone, ...options];
    }
    case "text":
      return [{ title: "Answer", value: "text", asksFor: "Your answer" }];
  }
}

/** What a choice in the dialog means to the run, as `atomic approve` would send it. Undefined for "later". */
export function chosenAnswer(
  question: RunQuestion,
  values: readonly string[],
  words: string | undefined,
): AnswerReading<Json> | undefined {
  if (values.includes(later)) return undefined;
  if (question.kind === "choice") {
    const places = values.map((each) => Number(each) - 1);
    return choiceOf(question, places);
  }
  if (question.kind === "text") return answerTo(question, { words });
  return values.includes("no") ? answerTo(question, { words, deny: true }) : answerTo(question, { words: values[0] });
}

/** The agents' sessions of a run, the newest last. */
export function sessionsOf({
  calls,
}: RunView["state"]): readonly { readonly node: string; readonly host: string; readonly id: string }[] {
  return [...calls].flatMap(([key, call]) => {
    if (!key.endsWith(":session") || call.kind !== "step" || call.phase.kind !== "finished") return [];
    // A prompt that is too long for a line is kept beside the session.
    const { value, rest = value } = call.phase.result as { readonly value?: Json; readonly rest?: Json };
    const { session } = (rest ?? {}) as { readonly session?: { readonly host?: unknown; readonly id?: unknown } };
    if (typeof session?.host !== "string" || typeof session.id !== "string") return [];
    return [{ node: key.slice(0, -":session".length), host: session.host, id: session.id }];
  });
}
