// What a run asks a person, and what an answer means to it. Pure.

import { type Reading, readChoice, readChoices, readText, readYesNo } from "@atomic/terminal/questions";
import type { Json } from "@atomic/workflows/run/json";
import type { CallState, RunState, WaitState } from "@atomic/workflows/run/run-state";

export interface Question {
  /** Of the signal that answers it. */
  readonly key: string;
  readonly kind: QuestionKind;
  /** Somebody else's text. */
  readonly text: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  /** Whether several options may be chosen. */
  readonly multiple: boolean;
  /** When it is too late to answer. */
  readonly until?: number;
}

/** `approval`: yes or no, or whatever the workflow makes of another answer. `permission`: may an agent do this? */
type QuestionKind = "approval" | "choice" | "text" | "permission";

/** All that is open, in the order in which it was asked. */
export function questionsOf(state: RunState): Question[] {
  if (isOver(state)) return [];
  const found: Question[] = [];
  for (const [key, call] of state.calls) {
    if (call.kind === "wait" && isOpen(call, state) && !state.signals.has(key)) found.push(questionOf(key, call));
  }
  return found;
}

function isOver({ status: { kind } }: RunState): boolean {
  return kind === "done" || kind === "failed" || kind === "cancelled" || kind === "cancelling";
}

/** A question of a step that was cut off will be asked again, under the same key: it can be answered meanwhile. */
function isOpen({ phase, step }: WaitState, { calls }: RunState): boolean {
  if (phase === "open") return true;
  return phase === "closed" && step !== undefined && willRunAgain(calls.get(step));
}

function willRunAgain(call: CallState | undefined): boolean {
  return call?.kind === "step" && (call.phase.kind === "interrupted" || call.phase.kind === "retrying");
}

function questionOf(key: string, { about, until }: WaitState): Question {
  const asked = (typeof about === "object" && about !== null ? about : {}) as { readonly [key: string]: Json };
  const options = Array.isArray(asked.options) ? (asked.options as unknown as Question["options"]) : [];
  return {
    key,
    kind: kindOf(asked, options.length),
    text: typeof asked.question === "string" ? asked.question : permissionText(asked) || textOf(about),
    ...(typeof asked.header === "string" && { header: asked.header }),
    options,
    multiple: asked.multiple === true,
    ...(until !== undefined && { until }),
  };
}

function kindOf({ kind, type }: { readonly [key: string]: Json }, options: number): QuestionKind {
  if (type === "permission") return "permission";
  if (options > 0) return "choice";
  return kind === "ask-user" ? "text" : "approval";
}

function permissionText({ type, tool, detail, path }: { readonly [key: string]: Json }): string {
  if (type !== "permission") return "";
  const who = typeof path === "string" ? path : "The agent";
  return `${who} wants to use ${tool}${typeof detail === "string" && detail !== "" ? `: ${detail}` : ""}`;
}

function textOf(about: Json | undefined): string {
  if (about === undefined) return "An answer is waited for.";
  return typeof about === "string" ? about : JSON.stringify(about);
}

/** What somebody said: some words, or nothing at all; with `deny`, the words are the reason. */
export interface Said {
  readonly words: string | undefined;
  readonly deny?: boolean;
}

/** The value of the signal that such an answer is. */
export function answerTo(question: Question, { words, deny = false }: Said): Reading<Json> {
  switch (question.kind) {
    case "approval":
      if (deny) return words === undefined ? { value: false } : { problem: "A no has no value here." };
      return { value: approvalIn(words) };
    case "permission":
      if (deny) return { value: words === undefined ? "deny" : { answer: "deny", reason: words } };
      return permissionIn(words);
    case "choice": {
      if (deny) return { problem: "This is not a yes/no question." };
      const labels = question.options.map(({ label }) => label);
      return question.multiple ? readChoices(words ?? "", labels) : readChoice(words ?? "", labels);
    }
    case "text":
      return deny ? { problem: "This is not a yes/no question." } : readText(words ?? "");
  }
}

function approvalIn(words = "yes"): Json {
  return words.trim() === "" || (readYesNo(words) ?? jsonIn(words));
}

/** What looks like JSON is meant so; all else is text. */
function jsonIn(words: string): Json {
  if (!/^\s*[[{"]/.test(words)) return words;
  try {
    return JSON.parse(words) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return words;
    throw error;
  }
}

function permissionIn(words = "yes"): Reading<Json> {
  const isAllowed = words.trim() === "" || readYesNo(words);
  return isAllowed === undefined ? { problem: "Say yes or no." } : { value: isAllowed ? "allow" : "deny" };
}
