// What a run asks you, how it is shown, and what your answer means to the run. Pure.

import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { type AnswerReading, readChoice, readChoices, readText, readYesNo } from "@atomic/terminal/questions";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunState, WaitState } from "@atomic/workflows/internal/run/run-state";
import { formatTime } from "../report/format.ts";

export interface RunQuestion {
  /** The key of the signal that answers it. */
  readonly key: string;
  /** `approval`: yes or no, or whatever the workflow makes of another answer. `permission`: may an agent do this? */
  readonly kind: "approval" | "choice" | "text" | "permission";
  /** The workflow's or the agent's words. */
  readonly text: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  /** Whether several options may be chosen. */
  readonly multiple: boolean;
  /** When it is too late to answer. */
  readonly until?: number;
}

/** All open questions, in the order in which they were asked. */
export function questionsOf({ status, calls, signals }: RunState): RunQuestion[] {
  if (["done", "failed", "cancelled", "cancelling"].includes(status.kind)) return [];
  const found: RunQuestion[] = [];
  for (const [key, call] of calls) {
    if (call.kind !== "wait" || signals.has(key)) continue;
    // An interrupted step will ask its question again under the same key, so it can be answered already.
    const asking = call.phase === "closed" && call.step !== undefined ? calls.get(call.step) : undefined;
    const isRepeated =
      asking?.kind === "step" && (asking.phase.kind === "interrupted" || asking.phase.kind === "retrying");
    if (call.phase === "open" || isRepeated) found.push(questionOf(key, call));
  }
  return found;
}

function questionOf(key: string, { about, until }: WaitState): RunQuestion {
  const asked = (typeof about === "object" && about !== null ? about : {}) as { readonly [key: string]: Json };
  const { question, header, type, tool, detail, path } = asked;
  const options = Array.isArray(asked.options) ? (asked.options as unknown as RunQuestion["options"]) : [];
  const isPermission = type === "permission";
  const wanted = `${tool}${typeof detail === "string" && detail !== "" ? `: ${detail}` : ""}`;
  const text =
    typeof question === "string"
      ? question
      : isPermission
        ? `${typeof path === "string" ? path : "The agent"} wants to use ${wanted}`
        : about === undefined
          ? "The run is waiting for an answer."
          : typeof about === "string"
            ? about
            : JSON.stringify(about);
  return {
    key,
    kind: isPermission ? "permission" : options.length > 0 ? "choice" : asked.kind === "ask-user" ? "text" : "approval",
    text,
    ...(typeof header === "string" && { header }),
    options,
    multiple: asked.multiple === true,
    ...(until !== undefined && { until }),
  };
}

/** The signal's value for an answer in words, or for none at all; with `deny`, the words are the reason. */
export function answerTo(
  question: RunQuestion,
  { words, deny = false }: { readonly words: string | undefined; readonly deny?: boolean },
): AnswerReading<Json> {
  const isYes = words === undefined || words.trim() === "" || readYesNo(words);
  switch (question.kind) {
    case "approval":
      if (deny)
        return words === undefined
          ? { value: false }
          : { problem: "This question does not accept a value with --deny." };
      return { value: isYes ?? jsonIn(words ?? "") };
    case "permission":
      if (deny) return { value: words === undefined ? "deny" : { answer: "deny", reason: words } };
      return isYes === undefined ? { problem: "Answer yes or no." } : { value: isYes ? "allow" : "deny" };
    case "choice": {
      if (deny) return { problem: "This is not a yes/no question." };
      const labels = question.options.map(({ label }) => label);
      return question.multiple ? readChoices(words ?? "", labels) : readChoice(words ?? "", labels);
    }
    case "text":
      return deny ? { problem: "This is not a yes/no question." } : readText(words ?? "");
  }
}

/** What looks like JSON is meant as JSON; everything else is text. */
function jsonIn(words: string): Json {
  if (!/^\s*[[{"]/.test(words)) return words;
  try {
    return JSON.parse(words) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return words;
    throw error;
  }
}

/** The question, what can be chosen, and until when. */
export function questionText(question: RunQuestion, page: Page): string {
  const paint = painter(page.colour);
  const { header, text, options, until } = question;
  const head = header === undefined ? "" : `${paint("bold", safeLine(header))} `;
  const lead = `${paint("yellow", "?")} ${head}`;
  const rows = options.map(({ label, description }, at) => {
    const about = description === undefined ? "" : paint("dim", `  ${safeLine(description)}`);
    return `  ${paint("cyan", String(at + 1))} ${safeLine(label)}${about}\n`;
  });
  const late = until === undefined ? "" : paint("dim", `  until ${formatTime(until)}\n`);
  return paragraph(safeLine(text), page, { lead, indent: "  " }) + rows.join("") + late;
}

/** Something that can be typed, and what it does. */
export interface Suggestion {
  readonly command: string;
  readonly does: string;
}

/** The commands that answer it. */
export function howToAnswer(runId: string, question: RunQuestion, isOnly: boolean): readonly Suggestion[] {
  const command = `atomic approve ${runId}`;
  const key = isOnly ? "" : ` --key ${shellWord(question.key)}`;
  switch (question.kind) {
    case "approval":
    case "permission":
      return [
        { command: `${command}${key}`, does: "yes" },
        { command: `${command} --deny${key}`, does: "no" },
      ];
    case "choice": {
      const [first] = question.options;
      return [{ command: `${command} ${shellWord(first?.label ?? "1")}${key}`, does: "or any other option" }];
    }
    case "text":
      return [{ command: `${command} "…"${key}`, does: "" }];
  }
}

/** One line each, with what it does as a comment, ready to copy. */
export function suggestionLines(suggestions: readonly Suggestion[], page: Page): string {
  const paint = painter(page.colour);
  const width = Math.max(0, ...suggestions.map(({ command }) => command.length));
  return suggestions
    .map(({ command, does }) => {
      const comment = does === "" ? "" : paint("dim", `${" ".repeat(width - command.length)}  # ${does}`);
      return `    ${paint("cyan", safeLine(command))}${comment}\n`;
    })
    .join("");
}

/** The prompt below a question. */
export function promptFor({ kind, multiple }: RunQuestion): string {
  switch (kind) {
    case "approval":
      return "  yes, no, or something else: ";
    case "permission":
      return "  yes or no: ";
    case "choice":
      return multiple ? "  numbers or names, separated by commas: " : "  number or name: ";
    case "text":
      return "  ";
  }
}

/** Quoted, so a shell reads it as one word. */
export function shellWord(text: string): string {
  const shown = safeLine(text);
  return /^[\w./:@%+=-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}
