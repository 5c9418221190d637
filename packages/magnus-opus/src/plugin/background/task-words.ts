// How tasks and their results are shown, to the model and to a person.
import { count, formatDuration } from "@atomic/terminal/count";
import { type BackgroundTask, isOpen, type Outcome } from "../../background/task.ts";
import { list, say } from "../../words/template.ts";

/** Of each result in a delivery, and of all of them together. */
const mostShown = 6_000;
const mostTogether = 40_000;

/** What a parent is told about tasks that have ended. `siblings`: all tasks of the same parent. */
export function resultsWords(
  delivery: string,
  tasks: readonly BackgroundTask[],
  siblings: readonly BackgroundTask[],
): string {
  const each = Math.min(mostShown, Math.floor(mostTogether / Math.max(1, tasks.length)));
  const open = siblings.filter(isOpen);
  return say("background/results", {
    delivery,
    results: tasks.map((task) => resultWords(task, each)).join("\n\n"),
    open: open.length === 0 ? "" : `Still open, and reported when they end:\n${list(open.map(taskLine))}`,
  });
}

/** One task with its result. Text of a model cannot end the block that it is shown in. */
export function resultWords(task: BackgroundTask, most = Number.POSITIVE_INFINITY): string {
  const { id, agent, description, stage } = task;
  if (stage.kind !== "over") return taskLine(task);
  const text = "text" in stage.outcome ? (stage.outcome.text ?? "") : "";
  const safe = text.replace(/<(\/?)(background_results|task\b)/g, "&lt;$1$2");
  const half = Math.floor(most / 2);
  const isCut = safe.length > most;
  const shown = isCut ? `${safe.slice(0, half)}\n[…]\n${safe.slice(-half)}` : safe;
  return say("background/result", {
    ...{ id, agent, description: JSON.stringify(description), state: stage.outcome.kind, text: shown },
    remark: remarkOn(stage.outcome),
    more: isCut
      ? `Shortened: \`background_output\` with \`detail: "whole"\` returns all ${text.length} characters.`
      : "",
  });
}

function remarkOn(outcome: Outcome): string {
  switch (outcome.kind) {
    case "completed": {
      const silent = outcome.text === "" ? "The agent ended without saying anything." : "";
      const todos = outcome.openTodos === 0 ? "" : `The agent left ${count(outcome.openTodos, "todo")} open.`;
      return [silent, todos].filter(Boolean).join(" ");
    }
    case "deleted":
      return "Its session was deleted.";
    case "interrupted":
      return "OpenCode stopped before it was done. Resume it if its result is still needed.";
    default:
      return `Why: ${outcome.why}`;
  }
}

/** One line in a list. */
export function taskLine(task: BackgroundTask): string {
  const { id, agent, description, stage, launchedAt, waitsForPerson, turn } = task;
  const state =
    stage.kind === "over"
      ? stage.outcome.kind
      : waitsForPerson
        ? "waiting for the user"
        : stage.kind === "queued"
          ? "queued"
          : "working";
  const age = stage.kind === "over" ? "" : `, ${formatDuration(Math.max(0, Date.now() - launchedAt))}`;
  const told = stage.kind === "over" && task.notice.kind !== "given" ? ", not delivered yet" : "";
  const again = turn === 1 ? "" : `, turn ${turn}`;
  return `${id}: ${state}${told}${again}${age} (${agent}: ${description})`;
}

/** A toast after a restart; empty if nothing was lost. */
export function interruptedWords(tasks: readonly BackgroundTask[]): string {
  const open = tasks.filter(isOpen).length;
  const late = tasks.filter((task) => !isOpen(task) && task.notice.kind !== "given").length;
  const parts = [
    ...(open === 0 ? [] : [`${count(open, "background task")} ${open === 1 ? "was" : "were"} interrupted`]),
    ...(late === 0 ? [] : [`${count(late, "background result")} ${late === 1 ? "was" : "were"} not delivered`]),
  ];
  return parts.length === 0 ? "" : `${parts.join(", ")}. You get the details with your next message in the session.`;
}

/** A toast. */
export function endedWords({ agent, description, stage }: BackgroundTask): string {
  const how = stage.kind === "over" ? stage.outcome.kind : "";
  return `${description} (${agent}): ${how}`;
}
