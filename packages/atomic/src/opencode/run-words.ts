// What the plugin says about runs. Pure.
import { painter, withoutColour } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, truncate } from "@atomic/terminal/width";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunState, RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { DialogChoice } from "@atomic/workflows/internal/view/dialog";
import { isFromProgram } from "../runs/run-setup.ts";
import { progressLines } from "../view/progress.ts";
import { headline, questionsOf, questionText, type RunQuestion } from "../view/questions.ts";
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

/** Empty if no run is open. */
export function statusLine(runs: readonly FollowedRun[], columns: number): string {
  const [first, ...others] = openRuns(runs);
  if (first === undefined) return "";
  const { state } = first.view;
  const name = safeLine(`${state.name ?? "run"} ${first.runId}`);
  const [question] = first.questions;
  const more = others.length === 0 ? "" : ` · ${others.length} more`;
  const after = `${more} · /runs`;
  const about = question === undefined ? safeLine(describeStatus(state.status)) : `asks: ${headline(question)}`;
  const colour = question === undefined ? statusColour(state.status) : "yellow";
  // In a narrow terminal, what it is about and where to answer come before who it is.
  const leads = [`${paint("dim", "atomic")} ${name} `, `${name} `, ""];
  const roomAfter = (lead: string): number => columns - displayWidth(withoutColour(lead) + after);
  const least = Math.min(leastAbout, displayWidth(about));
  const lead = leads.find((each) => roomAfter(each) >= least) ?? "";
  return `${lead}${paint(colour, truncate(about, Math.max(1, roomAfter(lead))))}${paint("dim", after)}`;
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

/** What a choice in the dialog says, in the words of `atomic approve`. */
export interface SaidAnswer {
  readonly words: string | undefined;
  readonly deny: boolean;
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
  return { continues: false, message: safeLine(`${runId} has your answer, but no process. To continue: ${next}`) };
}

const later = "later";

export function choicesFor(question: RunQuestion): readonly DialogChoice[] {
  const postpone: DialogChoice = { title: "Later", value: later, description: "the status line keeps it" };
  switch (question.kind) {
    case "approval":
      return [{ title: "Yes", value: "yes" }, { title: "No", value: "no" }, postpone];
    case "permission":
      return [
        { title: "Allow once", value: "yes" },
        { title: "Allow in this run", value: "always", description: safeLine(question.covers ?? "") },
        { title: "Deny", value: "no" },
        { title: "Deny and say why", value: "no", asksFor: "What should the agent do instead?" },
        postpone,
      ];
    case "choice": {
      const options = question.options.map(({ label, description }, at) => ({
        title: safeLine(label),
        description: description === undefined ? undefined : safeLine(description),
        value: String(at + 1),
      }));
      return question.multiple ? options : [...options, postpone];
    }
    case "text":
      return [{ title: "Answer", value: "text", asksFor: "Your answer" }];
  }
}

/** Undefined for "later". */
export function saidBy(
  question: RunQuestion,
  values: readonly string[],
  words: string | undefined,
): SaidAnswer | undefined {
  if (values.includes(later)) return undefined;
  if (question.kind === "text") return { words, deny: false };
  if (question.kind === "choice") return { words: values.join(","), deny: false };
  return values.includes("no") ? { words, deny: true } : { words: values[0], deny: false };
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
