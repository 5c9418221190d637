// A run's events as log lines, for output that is not a terminal. Pure.

import { formatDuration } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { RunEvent, StepNote } from "@atomic/workflows/internal/run/events";
import type { Json } from "@atomic/workflows/internal/run/json";
import { formatSpent, formatTime, shorten } from "../report/format.ts";
import { meaningOf, type NodeKinds } from "./node-kinds.ts";
import { itemFailure } from "./node-view.ts";
import { noteText } from "./progress.ts";
import { howToAnswer, questionsOf, questionText, suggestionLines } from "./questions.ts";
import type { RunView } from "./run-view.ts";

/** A line for what explains why nothing happens, or what will not: a host that starts, a model without a price. */
export function noteLine({ key, note }: StepNote, page: Page): string {
  const { type } = (note ?? {}) as { readonly type?: Json };
  if (type !== "host-starting" && type !== "retrying" && type !== "no-price") return "";
  const node = key.replace(/:session$/, "");
  const symbol = type === "no-price" ? painter(page.colour)("yellow", "!") : painter(page.colour)("dim", "·");
  return paragraph(safe`${node}: ${noteText(note)}`, page, { lead: `${symbol} `, indent: "  " });
}

/** Lines for an event that the view already includes. Empty for what is of no interest to people. */
export function eventLines(event: RunEvent, view: RunView, kinds: NodeKinds, page: Page, showsAnswers = true): string {
  const { state } = view;
  const paint = painter(page.colour);
  const line = (colour: Colour, symbol: string, text: string): string => `${paint(colour, symbol)} ${text}\n`;
  const { text: meaning, isHelper } = "key" in event ? meaningOf(event.key, kinds) : { text: "", isHelper: true };
  switch (event.type) {
    case "run-claimed":
      return line("dim", "▸", `${safe`${state.name ?? "run"} ${state.runId}`}${state.claims > 1 ? " continues" : ""}`);
    case "step-started": {
      const tries = event.attempt > 1 ? `, attempt ${event.attempt}` : "";
      return isHelper ? "" : line("cyan", "▸", safe`${event.key} (${meaning}${tries})`);
    }
    case "step-finished": {
      if (isHelper) return "";
      const { key, ms, result } = event;
      if (meaning === "decision" && "value" in result) {
        return line("green", "✓", safe`${key}: ${String(result.value)}`);
      }
      const cost = formatSpent(view.spent.get(key) ?? { usd: 0, tokens: 0 });
      return line("green", "✓", safe`${key}  ${[formatDuration(ms), cost].filter((part) => part !== "").join(" · ")}`);
    }
    case "step-failed": {
      const { key, error, retryAt, at } = event;
      const again = retryAt === undefined ? "" : ` (retrying in ${formatDuration(retryAt - at)})`;
      const next = error.hint === undefined ? "" : `\n  ${safe`${shorten(error.hint)}`}`;
      const text = `${safe`${key} failed: ${shorten(error.message)}`}${again}${next}`;
      return retryAt === undefined ? line("red", "✗", text) : line("yellow", "↻", text);
    }
    case "branch-ended": {
      const fork = state.calls.get(event.key);
      if (meaning !== "map" || fork?.kind !== "fork" || !event.ending.ok) return "";
      const progress = safe`${event.key}: ${String(fork.ended)} of ${String(fork.branches.length)}`;
      return itemFailure(event.ending) !== undefined
        ? line("red", "✗", `${progress}, this item failed`)
        : line("green", "✓", progress);
    }
    case "wait-started": {
      const open = questionsOf(state);
      const question = open.find((each) => each.key === event.key);
      if (question === undefined) return "";
      const how = showsAnswers ? howToAnswer(state.runId, question) : [];
      return questionText(question, page) + suggestionLines(how, page);
    }
    case "wait-ended": {
      if (!event.ok) return line("yellow", "✗", safe`${event.key}: timed out waiting for an answer`);
      const value = state.signals.get(event.key);
      return line(
        "green",
        "✓",
        safe`${event.key}: ${typeof value === "string" ? value : JSON.stringify(value ?? null)}`,
      );
    }
    case "run-paused":
      return line("yellow", "‖", safe`paused until ${formatTime(event.until)}: ${event.reason}`);
    case "run-resumed":
      return line("dim", "▸", "resumed after the pause");
    case "run-reopened":
      return line("dim", "▸", "retrying the failed step");
    case "run-cancel-requested":
      return line("yellow", "‖", "cancellation requested");
    default:
      return "";
  }
}

/** Where no questions can be asked: says that the run only waits, for what, and what to do. `shown` are the questions above. */
export function waitingLines({ state }: RunView, shown: ReadonlySet<string>, page: Page): string {
  const open = questionsOf(state);
  const hidden = open.filter(({ key }) => !shown.has(key));
  const asked = hidden.map((question) => {
    const how = howToAnswer(state.runId, question);
    return questionText(question, page) + suggestionLines(how, page);
  });
  const [only, ...others] = open;
  const answers = others.length === 0 ? safe`an answer to ${only?.key ?? ""}` : `${open.length} answers`;
  const text = `is waiting for ${answers}. It continues here once you answer in another terminal. Ctrl-C leaves it for later; with --no-wait, atomic exits instead of waiting.`;
  const lead = `${painter(page.colour)("yellow", "‖")} ${safe`${state.name ?? "run"} ${state.runId}`} `;
  return asked.join("") + paragraph(text, page, { lead, indent: "  " });
}
