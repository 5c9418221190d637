// What a run asks you, how it is shown, and what your answer means to the run. Pure.

import { markdownText, plainLines, withoutMarks } from "@atomic/terminal/markdown";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { type AnswerReading, readChoice, readChoices, readText, readYesNo } from "@atomic/terminal/questions";
import { safeLine } from "@atomic/terminal/safe-text";
import { truncate } from "@atomic/terminal/width";
import { pathTools } from "@atomic/workflows/internal/entities/normalize/tool-names";
import type { Json } from "@atomic/workflows/internal/run/json";
import { always } from "@atomic/workflows/internal/run/run-ctx";
import type { RunState, WaitState } from "@atomic/workflows/internal/run/run-state";
import { formatTime } from "../report/format.ts";

export interface RunQuestion {
  /** The key of the signal that answers it. */
  readonly key: string;
  /** `approval`: yes or no. `permission`: may an agent do this? */
  readonly kind: "approval" | "choice" | "text" | "permission";
  /** The workflow's or the agent's words. */
  readonly text: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  /** Whether several options may be chosen. */
  readonly multiple: boolean;
  /** When it is too late to answer. */
  readonly until?: number;
  /** What `always` would allow in this run, in words; only of a permission. */
  readonly covers?: string;
  /** The same in all permissions that one `always` covers. */
  readonly grant?: string;
  /** Why an earlier answer was not one, so it is asked again. */
  readonly problem?: string;
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

/** A process that works on the run decides by its own clock; without one, the date counts. */
export function isTooLate({ status }: Pick<RunState, "status">, { until }: RunQuestion, now: number): boolean {
  return until !== undefined && now > until && !["running", "waiting", "paused"].includes(status.kind);
}

/** What a wait asks: `about` is what the run has recorded. */
export function questionOf(key: string, { about, until }: Pick<WaitState, "about" | "until">): RunQuestion {
  const asked = (typeof about === "object" && about !== null ? about : {}) as { readonly [key: string]: Json };
  const { question, header, type, tool, detail, path, problem } = asked;
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
    ...(typeof problem === "string" && { problem }),
    ...(isPermission && {
      covers: coveredWords(String(tool), asked.always),
      grant: JSON.stringify(asked.always === undefined ? [tool, "is", detail] : [tool, asked.always]),
    }),
  };
}

function coveredWords(tool: string, pattern: Json | undefined): string {
  if (typeof pattern !== "string") return tool === "bash" ? "exactly this command" : `exactly this use of ${tool}`;
  if (tool === "bash") return `bash: ${pattern}`;
  return pathTools.has(tool) ? `${tool}, any file in the project` : `any use of ${tool}`;
}

/** The signal's value for an answer in words, or for none at all; with `deny`, the words are the reason. */
export function answerTo(
  question: RunQuestion,
  { words, deny = false }: { readonly words: string | undefined; readonly deny?: boolean },
): AnswerReading<Json> {
  switch (question.kind) {
    case "approval": {
      const value = deny ? false : words === undefined || readYesNo(words);
      if (deny && words !== undefined) return { problem: "This question does not accept a value with --deny." };
      return value === undefined ? { problem: `"${words}" is neither yes nor no.` } : { value };
    }
    case "permission": {
      if (deny) return { value: words === undefined ? "deny" : { answer: "deny", reason: words } };
      if (words !== undefined && /^\s*always[.!]?\s*$/i.test(words)) return { value: always };
      const isYes = words === undefined || readYesNo(words);
      if (isYes === undefined) return { problem: `"${words}" is not yes, no or always.` };
      return { value: isYes ? "allow" : "deny" };
    }
    case "choice": {
      if (deny) return { problem: "This is not a yes/no question." };
      const labels = question.options.map(({ label }) => label);
      return question.multiple ? readChoices(words ?? "", labels) : readChoice(words ?? "", labels);
    }
    case "text":
      return deny ? { problem: "This is not a yes/no question." } : readText(words ?? "");
  }
}

/** The same for chosen options, by their places from 0: in words, "1" could be another option's name. */
export function choiceOf({ kind, options, multiple }: RunQuestion, chosen: readonly number[]): AnswerReading<Json> {
  const labels = chosen.flatMap((at) => options[at]?.label ?? []);
  if (kind !== "choice" || labels.length !== chosen.length) return { problem: "This is not one of the options." };
  const [only, ...others] = labels;
  if (only === undefined) return { problem: "Choose at least one option." };
  if (others.length > 0 && !multiple) return { problem: "Choose one option." };
  return { value: multiple ? labels : only };
}

/** The question with its line breaks, what can be chosen, and until when. An agent's request is shown exactly as it is. */
export function questionText(question: RunQuestion, page: Page): string {
  const paint = painter(page.colour);
  const { kind, header, text, options, until, problem } = question;
  const head = header === undefined ? "" : `${paint("bold", safeLine(header))} `;
  const margins = { lead: `${paint("yellow", "?")} ${head}`, indent: "  " };
  const rows = options.map(({ label, description }, at) => {
    const about = description === undefined ? "" : paint("dim", `  ${safeLine(description)}`);
    return `  ${paint("cyan", String(at + 1))} ${safeLine(label)}${about}\n`;
  });
  const late = until === undefined ? "" : paint("dim", `  until ${formatTime(until)}\n`);
  const again = problem === undefined ? "" : `  ${safeLine(problem)}\n`;
  return (
    (kind === "permission" ? plainLines(text, margins) : markdownText(text, page, margins)) +
    rows.join("") +
    late +
    again
  );
}

/** One line for a sentence about it: the question itself, which often comes after what it is about; otherwise its first line. */
export function headline({ text, kind }: RunQuestion): string {
  const written = text.trim().split(/\s*\n\s*/);
  // What an agent wants to do is not Markdown.
  const lines = kind === "permission" ? written : written.map(withoutMarks);
  const at = Math.max(
    0,
    lines.findLastIndex((line) => line.endsWith("?")),
  );
  return truncate(`${at > 0 ? "… " : ""}${safeLine(lines[at] ?? "")}${at < lines.length - 1 ? " …" : ""}`, 100);
}

/** A long question in parts that fit on the screen, each with the lines it ends at. */
export function pagesOf(text: string, rows: number): readonly { readonly text: string; readonly until: number }[] {
  const lines = text.trimEnd().split("\n");
  const pages: { text: string; until: number }[] = [];
  for (let at = 0; at < lines.length; at += rows) {
    const part = lines.slice(at, at + rows);
    pages.push({ text: `${part.join("\n")}\n`, until: at + part.length });
  }
  return pages;
}

interface Signal {
  readonly key: string;
  readonly value: Json;
}

/** The signals that an answer sends: `always` also answers the open questions that it covers. */
export function signalsFor(
  question: RunQuestion,
  value: Json,
  open: readonly RunQuestion[],
): readonly [Signal, ...Signal[]] {
  const { key, grant } = question;
  const covered = open.filter((each) => each.key !== key && grant !== undefined && each.grant === grant);
  const others = value === always ? covered.map((each) => ({ key: each.key, value: "allow" })) : [];
  return [{ key, value }, ...others];
}

/** Something that can be typed, and what it does. */
export interface Suggestion {
  readonly command: string;
  readonly does: string;
}

/** The commands that answer it, by its key: run a second time, a command without one would answer the next question. */
export function howToAnswer(runId: string, question: RunQuestion): readonly Suggestion[] {
  const command = `atomic approve ${runId}`;
  const key = ` --key ${shellWord(question.key)}`;
  switch (question.kind) {
    case "approval":
    case "permission": {
      const { covers } = question;
      return [
        { command: `${command}${key}`, does: "yes" },
        { command: `${command} --deny${key}`, does: "no" },
        ...(covers === undefined
          ? []
          : [{ command: `${command} always${key}`, does: `yes, in this run: ${safeLine(covers)}` }]),
      ];
    }
    case "choice": {
      const [first] = question.options;
      return [{ command: `${command} ${shellWord(first?.label ?? "1")}${key}`, does: "or any other option" }];
    }
    case "text":
      return [{ command: `${command} "…"${key}`, does: "" }];
  }
}

/** A command of this program as a shell finds it here; anything else as it is. */
export function runnable(command: string, { runner }: Page): string {
  return runner === undefined || !command.startsWith("atomic ") ? command : `${runner} ${command}`;
}

/** One line each, with what it does as a comment, ready to copy. */
export function suggestionLines(suggestions: readonly Suggestion[], page: Page): string {
  const paint = painter(page.colour);
  const commands = suggestions.map((each) => ({ ...each, command: runnable(each.command, page) }));
  const width = Math.max(0, ...commands.map(({ command }) => command.length));
  return commands
    .map(({ command, does }) => {
      const comment = does === "" ? "" : paint("dim", `${" ".repeat(width - command.length)}  # ${does}`);
      return `    ${paint("cyan", safeLine(command))}${comment}\n`;
    })
    .join("");
}

/** The prompt below a question. */
export function promptFor({ kind, multiple, covers = "" }: RunQuestion): string {
  switch (kind) {
    case "approval":
      return "  yes or no: ";
    case "permission":
      return `  yes, no, or always in this run (${safeLine(covers)}): `;
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
