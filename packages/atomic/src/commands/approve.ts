import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { ArgumentSpec, Command, FlagSpec, InputOf, ParsedSpec } from "@atomic/terminal/command";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { didYouMean } from "@atomic/terminal/suggest";
import { UsageError } from "@atomic/terminal/usage-error";
import type { Json } from "@atomic/workflows/run/json";
import type { RunState } from "@atomic/workflows/run/run-state";
import type { Context } from "../context.ts";
import { textOption } from "../options.ts";
import { approveReport } from "../report/approve.ts";
import type { Where } from "../report/path.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { askingNodes } from "../view/node-kinds.ts";
import { howToAnswer } from "../view/question.ts";
import { answerTo, type Question, questionsOf } from "../view/questions.ts";
import { describeStatus } from "../view/run-status.ts";

type Arguments = {
  readonly run: ArgumentSpec & { readonly count: "one" };
  readonly value: ArgumentSpec & { readonly count: "maybe" };
};
type Options = { readonly key: ParsedSpec<string>; readonly deny: FlagSpec };
type Input = InputOf<Arguments, Options>;

export interface ApproveResult {
  readonly where: Where;
  readonly runId: string;
  readonly question: Question;
  readonly value: Json;
  /** Somebody else was first. */
  readonly isLate: boolean;
  /** Nobody has asked yet; the answer is kept. */
  readonly isEarly: boolean;
  readonly state: RunState;
}

export const approve: Command<Context, Arguments, Options, ApproveResult> = {
  name: "approve",
  summary: "Answer a run's question: yes, no, or anything else",
  arguments: {
    run: { count: "one", summary: "Its id or any unique prefix" },
    value: { count: "maybe", summary: "The answer (default: yes); with --deny, the reason" },
  },
  options: {
    key: textOption("key", "Which question, if there are several or it has not been asked yet"),
    deny: { kind: "flag", summary: "Answer no" },
  },
  details: [
    "The answer reaches the process that works on the run, now or later; the first answer counts. Choose an option by its name or number, and several with commas between them. JSON is passed on as JSON. With --key you can answer a question before it is asked.",
  ],
  examples: [
    { command: "atomic approve calm-otter", shows: "Answer yes to the only open question." },
    { command: "atomic approve calm-otter --deny", shows: "Answer no." },
    { command: "atomic approve calm-otter Postgres --key database", shows: "Choose one of that question's options." },
  ],
  run: answerRun,
  report: approveReport,
};

async function answerRun(context: Context, input: Input): Promise<ApproveResult> {
  refuseAgent(context.caller, "atomic approve");
  const { where, engine, find } = await runsOf(context);
  const runId = await find(input.run);
  const state = await engine.state(runId);
  const { question, isEarly } = chosenQuestion(state, input.key);
  const answer = answerTo(question, { words: input.value, deny: input.deny });
  if ("problem" in answer) throw new UsageError(`${question.text} ${answer.problem}`, { hint: hintFor(runId, state) });
  const kept = await engine.signal(runId, question.key, answer.value);
  return { where, runId, question, value: answer.value, isLate: kept === "ignored", isEarly, state };
}

function hintFor(runId: string, state: RunState): string {
  const open = questionsOf(state);
  const [first] = open;
  return first === undefined ? "" : `For example: ${howToAnswer(runId, first, open.length === 1)[0]?.command}`;
}

function chosenQuestion(
  state: RunState,
  key: string | undefined,
): { readonly question: Question; readonly isEarly: boolean } {
  const open = questionsOf(state);
  const [first, ...others] = open;
  if (key !== undefined) return keyedQuestion(state, open, key);
  if (first === undefined) {
    throw asksNothing(state);
  }
  if (others.length > 0) {
    const keys = open.map((each) => safe`  --key ${each.key}: ${each.text}`).join("\n");
    throw new UsageError(`${state.runId} asks ${open.length} questions: say which one`, { hint: keys });
  }
  return { question: first, isEarly: false };
}

/** Nothing is open: everything was answered, or nothing has been asked yet. */
function asksNothing(state: RunState): Refusal {
  const { runId, graph, calls, signals, status } = state;
  const answered = [...calls].findLast(([key, call]) => call.kind === "wait" && signals.has(key));
  const coming = askingNodes(graph).find((id) => ![...calls.keys()].some((key) => idIn(key) === id));
  const isOver = status.kind === "done" || status.kind === "failed" || status.kind === "cancelled";
  if (answered !== undefined && !isOver) {
    const value = JSON.stringify(signals.get(answered[0]));
    return new Refusal("nothing-asked", {
      message: safe`${runId} has no open question: "${answered[0]}" was already answered with ${value}`,
      hint: `The first answer counts. Run \`atomic show ${runId}\` for details.`,
    });
  }
  const early = `To answer before it asks, name the question: atomic approve ${runId} --key ${coming}`;
  return new Refusal("nothing-asked", {
    message: safe`${runId} has no open question: it is ${describeStatus(status)}`,
    hint: coming === undefined || isOver ? `Run \`atomic show ${runId}\` for details.` : early,
  });
}

function idIn(key: string): string {
  return key.split(/[/.!]/).at(-1) ?? key;
}

/** A question that the graph will ask may be answered before it is asked. */
function keyedQuestion(
  state: RunState,
  open: readonly Question[],
  key: string,
): { readonly question: Question; readonly isEarly: boolean } {
  const found = open.find((each) => each.key === key);
  if (found !== undefined) return { question: found, isEarly: false };
  const coming = askingNodes(state.graph);
  if (!state.calls.has(key) && coming.includes(idIn(key))) {
    const text = safe`The question ${key}:`;
    return { question: { key, kind: "approval", text, options: [], multiple: false }, isEarly: true };
  }
  const [best] = didYouMean(key, [...open.map((each) => each.key), ...coming]);
  const meant = best === undefined ? "" : ` (did you mean ${best}?)`;
  throw new Refusal("question-unknown", {
    message: `${safe`${state.runId} has no question "${key}"`}${meant}`,
    hint: `\`atomic show ${state.runId}\` lists what it asks.`,
  });
}
