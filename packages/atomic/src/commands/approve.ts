import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { Refusal, UsageError } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { didYouMean } from "@atomic/terminal/suggest";
import { paragraph } from "@atomic/terminal/wrap";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunState } from "@atomic/workflows/internal/run/run-state";
import { type AtomicCommand, commandOf } from "../command.ts";
import { engineOption, textOption } from "../options.ts";
import { formatTime } from "../report/format.ts";
import { documentOf, type Where } from "../report/path.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { askingNodeAt, askingNodes } from "../view/node-kinds.ts";
import {
  answerTo,
  headline,
  howToAnswer,
  isTooLate,
  questionOf,
  questionsOf,
  type RunQuestion,
  signalsFor,
} from "../view/questions.ts";
import { describeStatus } from "../view/run-status.ts";
import { commandLine, whoContinues } from "../view/run-summary.ts";

interface ApproveResult {
  readonly where: Where;
  readonly runId: string;
  readonly question: RunQuestion;
  readonly value: Json;
  /** The question was already answered. */
  readonly isLate: boolean;
  /** The question has not been asked yet; the answer is kept. */
  readonly isEarly: boolean;
  readonly state: RunState;
  /** The URL of the database that has the run, if one does. */
  readonly database: string | undefined;
}

export const approve: AtomicCommand = commandOf({
  name: "approve",
  summary: "Answer a run's question: yes, no, an option or text",
  arguments: {
    run: { count: "one", summary: "The run's id or any unique prefix of it" },
    value: { count: "maybe", summary: "The answer (default: yes); for a permission, the reason" },
  },
  options: {
    key: textOption("key", "Which question to answer, if several are open or the question has not been asked yet"),
    deny: { kind: "flag", summary: "Answer no" },
    engine: engineOption,
  },
  details: [
    "The answer goes to the process working on the run, or to the next process that resumes it. Only the first answer counts. A yes/no question takes yes or no (also y, ok, okay, true, approve, allow; n, nope, false, deny, reject, refuse) and nothing else. Choose an option by its name or number, or several separated by commas. With --key you can answer a question before it is asked.",
  ],
  examples: [
    { command: "atomic approve calm-otter", shows: "Answer yes to the only open question." },
    { command: "atomic approve calm-otter --deny", shows: "Answer no." },
    { command: "atomic approve calm-otter Postgres --key database", shows: "Choose one of that question's options." },
  ],
  run: async (context, input) => {
    refuseAgent(context.caller, "atomic approve");
    const { where, engine, database, find } = await runsOf(context, input.engine);
    const runId = await find(input.run);
    const state = await engine.state(runId);
    const open = questionsOf(state);
    const question = input.key === undefined ? onlyQuestion(state, open) : keyedQuestion(state, open, input.key);
    if (isTooLate(state, question, context.now())) {
      throw new Refusal("too-late", {
        message: safe`${runId}: this question could be answered until ${formatTime(question.until ?? 0)}: ${headline(question)}`,
        hint:
          database === undefined
            ? `Continue without an answer: atomic resume ${runId}`
            : "A worker continues it without an answer.",
      });
    }
    const answer = answerTo(question, { words: input.value, deny: input.deny });
    if ("problem" in answer) {
      const how = howToAnswer(runId, question);
      const commands = how.map((each) => `\n  ${commandLine(each, context.stderr)}`).join("");
      const hint = `Nothing was answered. Use:${commands}`;
      throw new UsageError(`${headline(question)} ${answer.problem}`, { hint });
    }
    const [first, ...covered] = signalsFor(question, answer.value, open);
    const kept = await engine.signal(runId, first.key, first.value);
    if (kept === "kept") for (const { key, value } of covered) await engine.signal(runId, key, value);
    const isEarly = !open.includes(question);
    return { where, runId, question, value: answer.value, isLate: kept === "ignored", isEarly, state, database };
  },
  report: {
    text: (result, page) => paragraph(describeAnswer(result), page, { indent: "  " }),
    notes: ({ isLate, isEarly, state, database }, page) => {
      if (isLate) return "";
      if (isEarly) return "The run has not asked this question yet; the answer is kept until it does.\n";
      const isWorkedOn = ["running", "waiting", "paused"].includes(state.status.kind);
      return isWorkedOn ? "" : whoContinues(state, database !== undefined, page);
    },
    json: ({ where, runId, question: { key, text }, value, isLate, isEarly }) =>
      documentOf(where, { runId, key, question: text, value, kept: !isLate, early: isEarly }),
    exitCode: ({ isLate }) => (isLate ? 1 : 0),
    error: (result) => ({
      code: "already-answered",
      message: describeAnswer(result),
      hint: `Only the first answer counts. \`atomic show ${result.runId}\` shows it.`,
    }),
  },
});

function describeAnswer({ runId, question, value, isLate }: ApproveResult): string {
  if (isLate) return safe`${runId}: this question has already been answered: ${headline(question)}`;
  return safe`${runId}: ${headline(question)} ${answerWords(question, value)}`;
}

function answerWords({ kind }: RunQuestion, value: Json): string {
  if (value === true || (kind === "permission" && value === "allow")) return "yes";
  if (value === false || (kind === "permission" && value === "deny")) return "no";
  if (kind === "permission" && typeof value === "object" && value !== null && "reason" in value) {
    return `no (${value.reason})`;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** If nothing is open, everything was answered, or nothing has been asked yet. */
function onlyQuestion(state: RunState, open: readonly RunQuestion[]): RunQuestion {
  const { runId, graph, calls, signals, status } = state;
  const [first, ...others] = open;
  if (others.length > 0) {
    const keys = open.map((each) => safe`  --key ${each.key}: ${headline(each)}`).join("\n");
    throw new UsageError(`${runId} has ${open.length} open questions; choose one with --key`, { hint: keys });
  }
  if (first !== undefined) return first;
  const answered = [...calls].findLast(([key, call]) => call.kind === "wait" && signals.has(key));
  // Only those whose path is known: a question in a loop or a branch has more than one.
  const coming = [...askingNodes(graph).keys()].find(
    (id) => askingNodeAt(graph, id) !== undefined && ![...calls.keys()].some((key) => nodeIdIn(key) === id),
  );
  const isOver = status.kind === "done" || status.kind === "failed" || status.kind === "cancelled";
  if (answered !== undefined && !isOver) {
    const value = JSON.stringify(signals.get(answered[0]));
    throw new Refusal("nothing-asked", {
      message: safe`${runId} has no open question: "${answered[0]}" was already answered with ${value}`,
      hint: `Only the first answer counts. Run \`atomic show ${runId}\` for details.`,
    });
  }
  const early = `To answer a question before it is asked, name its key: atomic approve ${runId} --key ${coming}`;
  throw new Refusal("nothing-asked", {
    message: safe`${runId} has no open question: it is ${describeStatus(status)}`,
    hint: coming === undefined || isOver ? `Run \`atomic show ${runId}\` for details.` : early,
  });
}

/** A question that the graph will ask may be answered before it is asked. */
function keyedQuestion(state: RunState, open: readonly RunQuestion[], key: string): RunQuestion {
  const found = open.find((each) => each.key === key);
  if (found !== undefined) return found;
  if (state.calls.get(key)?.kind === "wait") {
    const value = state.signals.get(key);
    const what = value === undefined ? "is closed" : safe`was already answered with ${JSON.stringify(value)}`;
    throw new Refusal("nothing-asked", {
      message: `${safe`${state.runId}: "${key}"`} ${what}`,
      hint: `Only the first answer counts. Run \`atomic show ${state.runId}\` for details.`,
    });
  }
  const coming = askingNodes(state.graph);
  const node = askingNodeAt(state.graph, key);
  if (!state.calls.has(key) && node !== undefined) {
    // Its text may not be known before it is asked.
    const { kind, options, multiple } = { options: [], multiple: false, ...node };
    return questionOf(key, { about: { kind, options, multiple, question: safe`The question ${key}:` } });
  }
  const [best] = didYouMean(key, [...open.map((each) => each.key), ...coming.keys()]);
  const meant = best === undefined ? "" : ` (did you mean ${best}?)`;
  throw new Refusal("question-unknown", {
    message: `${safe`${state.runId} has no question "${key}"`}${meant}`,
    hint: `\`atomic show ${state.runId}\` lists its questions.`,
  });
}

function nodeIdIn(key: string): string {
  return (key.split(/[/.!]/).at(-1) ?? key).replace(/\?\d+$/, "");
}
