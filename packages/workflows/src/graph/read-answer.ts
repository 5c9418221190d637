// What an answer to a node's question means. Everything that takes answers reads them here, so all of them agree. Pure.
import { type AnswerReading, readYesNo } from "@atomic/terminal/questions";
import type { Json } from "../run/json.ts";
import type { AskUserJson, WaitJson } from "./graph-json.ts";

/** A question as it is recorded; `problem` says why it is asked again. */
export type NodeQuestion = { readonly question: string; readonly problem?: string } & (
  | Pick<WaitJson, "kind">
  | Pick<AskUserJson, "kind" | "header" | "options" | "multiple">
);

/**
 * A `waitNode` takes yes or no, as a boolean or in words. An `askUserNode` takes one of its options, an array of them, or,
 * without options, any text.
 */
export function readAnswer(question: NodeQuestion, answer: Json): AnswerReading<Json> {
  const given = typeof answer === "string" ? `"${answer}"` : JSON.stringify(answer);
  if (question.kind === "wait") {
    const value = typeof answer === "string" ? readYesNo(answer) : answer;
    return typeof value === "boolean" ? { value } : { problem: `${given} is neither yes nor no.` };
  }
  const { options = [], multiple = false } = question;
  if (options.length === 0) {
    return typeof answer === "string" ? { value: answer } : { problem: `${given} is not text.` };
  }
  const labels: readonly Json[] = options.map(({ label }) => label);
  const isOption = multiple
    ? Array.isArray(answer) && answer.every((each) => labels.includes(each))
    : labels.includes(answer);
  if (isOption) return { value: answer };
  return { problem: `${given} is not ${multiple ? "an array of" : "one of"} ${labels.join(", ")}.` };
}
