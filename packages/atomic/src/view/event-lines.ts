// What happens in a run as lines for a log: where there is no terminal to draw on. Pure.

import { formatDuration } from "@atomic/terminal/duration";
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import type { RunEvent } from "@atomic/workflows/run/events";
import { formatSpent, formatTime } from "../report/amounts.ts";
import { shorten } from "../report/shorten.ts";
import { meaningOf, type NodeKinds } from "./node-kinds.ts";
import { howToAnswer, questionText, suggestionLines } from "./question.ts";
import { questionsOf } from "./questions.ts";
import type { RunView } from "./run-view.ts";

/** Lines for an event that the view knows already. Empty for what is of no interest to a person. */
export function eventLines(event: RunEvent, view: RunView, kinds: NodeKinds, page: Page): string {
  const paint = painter(page.colour);
  const line = (colour: Colour, symbol: string, text: string): string => `${paint(colour, symbol)} ${text}\n`;
  const isShown = "key" in event && !meaningOf(event.key, kinds).isHelper;
  switch (event.type) {
    case "run-claimed":
      return line("dim", "▸", runText(view));
    case "step-started":
      return isShown ? line("cyan", "▸", startText(event, kinds)) : "";
    case "step-finished":
      return isShown ? line("green", "✓", finishText(event, view, kinds)) : "";
    case "step-failed":
      return line(
        event.retryAt === undefined ? "red" : "yellow",
        event.retryAt === undefined ? "✗" : "↻",
        failText(event),
      );
    case "wait-started":
      return asked(event.key, view, page);
    case "wait-ended":
      return event.ok
        ? line("green", "✓", safe`${event.key}: ${answerText(event.key, view)}`)
        : line("yellow", "✗", safe`${event.key}: no answer came in time`);
    case "run-paused":
      return line("yellow", "‖", safe`paused until ${formatTime(event.until)}: ${event.reason}`);
    case "run-resumed":
      return line("dim", "▸", "continues after the pause");
    case "run-reopened":
      return line("dim", "▸", "what had failed is tried again");
    case "run-cancel-requested":
      return line("yellow", "‖", "to be cancelled");
    default:
      return "";
  }
}

function runText({ state: { name, runId, claims } }: RunView): string {
  return `${safe`${name ?? "run"} ${runId}`}${claims > 1 ? " continues" : ""}`;
}

function startText({ key, attempt }: Extract<RunEvent, { type: "step-started" }>, kinds: NodeKinds): string {
  const tries = attempt > 1 ? `, attempt ${attempt}` : "";
  return safe`${key} (${meaningOf(key, kinds).text}${tries})`;
}

function finishText(event: Extract<RunEvent, { type: "step-finished" }>, view: RunView, kinds: NodeKinds): string {
  const { key, ms, result } = event;
  if (meaningOf(key, kinds).text === "decision" && "value" in result) return safe`${key}: ${String(result.value)}`;
  const cost = formatSpent(view.spent.get(key) ?? { usd: 0, tokens: 0 });
  return safe`${key}  ${[formatDuration(ms), cost].filter((part) => part !== "").join(" · ")}`;
}

function failText({ key, error, retryAt, at }: Extract<RunEvent, { type: "step-failed" }>): string {
  const again = retryAt === undefined ? "" : ` (again in ${formatDuration(retryAt - at)})`;
  const next = error.hint === undefined ? "" : `\n  ${safe`${shorten(error.hint)}`}`;
  return `${safe`${key} failed: ${shorten(error.message)}`}${again}${next}`;
}

function asked(key: string, { state }: RunView, page: Page): string {
  const open = questionsOf(state);
  const question = open.find((each) => each.key === key);
  if (question === undefined) return "";
  const how = howToAnswer(state.runId, question, open.length === 1);
  return questionText(question, page) + suggestionLines(how, page);
}

function answerText(key: string, { state }: RunView): string {
  const value = state.signals.get(key);
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
