import { count, formatDuration } from "@atomic/terminal/count";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { noRuns } from "@atomic/terminal/find-run";
import { jsonPieces } from "@atomic/terminal/json";
import type { Page } from "@atomic/terminal/page";
import { writePieces } from "@atomic/terminal/process-output";
import { suggestion } from "@atomic/terminal/read-command-line";
import { Refusal, UsageError } from "@atomic/terminal/refusal";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { shellLine } from "@atomic/terminal/shell-words";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import type { FinalAnswer } from "@atomic/workflows/internal/graph/answer";
import type { JournalEntry } from "@atomic/workflows/internal/run/events";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { CallState, RunState } from "@atomic/workflows/internal/run/run-state";
import { type AtomicCommand, liveCommandOf } from "../command.ts";
import type { AtomicContext } from "../context.ts";
import { engineOption } from "../options.ts";
import { type Fact, factSheet } from "../report/facts.ts";
import {
  budgetText,
  formatAgo,
  formatSpent,
  formatTime,
  formatTokens,
  formatUsd,
  isShortened,
  shorten,
} from "../report/format.ts";
import { documentOf } from "../report/path.ts";
import { runAnswer, wholeStatus } from "../runs/run-result.ts";
import { type RunSetup, refOf, setupOf } from "../runs/run-setup.ts";
import { type ProjectRuns, runHints, runsOf } from "../runs/runs-folder.ts";
import { nodeColours } from "../view/progress.ts";
import {
  howToAnswer,
  isTooLate,
  questionsOf,
  questionText,
  type RunQuestion,
  runnable,
  suggestionLines,
} from "../view/questions.ts";
import { describeStatus, hasEnded, nextStep, statusColour } from "../view/run-status.ts";
import { answerPieces, outputPieces } from "../view/run-summary.ts";
import { viewOf } from "../view/run-view.ts";
import { type TimelineRow, timelineOf } from "../view/timeline.ts";
import { notesOf, transcriptText } from "../view/transcript.ts";

interface ShownRun {
  readonly state: RunState;
  readonly setup: RunSetup | undefined;
  readonly questions: readonly RunQuestion[];
  readonly timeline: readonly TimelineRow[];
  readonly answer: FinalAnswer | undefined;
  /** Failures word for word, however long. */
  readonly full: boolean;
  readonly now: number;
  /** The run is in a database, so a worker continues it. */
  readonly hasWorkers: boolean;
}

export const show: AtomicCommand = liveCommandOf({
  name: "show",
  summary: "Show what a run did, what it cost, and what it is waiting for",
  arguments: {
    run: { count: "maybe", summary: "The run's id or any unique prefix of it (default: the newest run)" },
    node: { count: "maybe", summary: "Print what this node said, whole, even if the run has not ended" },
  },
  options: {
    follow: { kind: "flag", summary: "Follow the run while another process is working on it" },
    answer: { kind: "flag", summary: "Print only what the workflow said at its end, as `atomic run` does" },
    all: { kind: "flag", summary: "For a node, print every output: that of each map item and each loop iteration" },
    engine: engineOption,
    full: {
      kind: "flag",
      summary: "Show failure messages in full; for a node, also its prompt, tool calls and changed files",
    },
    html: { kind: "flag", summary: "Print one self-contained web page; redirect it to a file" },
    json: {
      kind: "flag",
      summary: "Print one JSON document; with --follow, one per line: every event, then the result",
    },
  },
  examples: [
    { command: "atomic show", shows: "Show the newest run's timeline, with times, tokens and cost." },
    {
      command: "atomic show calm-otter --follow",
      shows: "Show its progress as if you had started it in this terminal.",
    },
    { command: "atomic show calm-otter --answer", shows: "Print what the workflow said at its end." },
    { command: "atomic show calm-otter review", shows: "Print the last output of its node `review`." },
    { command: "atomic show calm-otter review --all", shows: "Print all its outputs, each below its path." },
    { command: "atomic show calm-otter review --full", shows: "Show what its agent was told, said and did." },
    {
      command: "atomic show calm-otter --html > run.html",
      shows: "Write it to a page that anyone can open, without a network.",
    },
  ],
  live: async (context, { run, node, follow, answer: isAnswer, all, full, html, json, engine: given }) => {
    const whole = html ? "--html" : "--answer";
    const others = { "<node>": node !== undefined, "--follow": follow, "--all": all, "--json": json };
    const [other] = Object.entries({ "--answer": html && isAnswer, ...others }).find(([, isGiven]) => isGiven) ?? [];
    if ((html || isAnswer) && other !== undefined) {
      const hint = html ? "The page shows the whole run." : "It prints only what the workflow said at its end.";
      throw new UsageError(`'${whole}' cannot be combined with '${other}'`, { hint });
    }
    const runs = await runsOf(context, given);
    const { engine, where, find } = runs;
    const runId = run === undefined ? (await engine.list())[0]?.runId : await find(run);
    if (runId === undefined) throw noRuns(runHints);
    if (html) {
      const { runPage } = await import("../page/run-page.ts");
      await writePieces(context.stdout, [await runPage(engine, runId, context.now())]);
      return 0;
    }
    if (node !== undefined) return await showNode(context, runs, { runId, node, all, full, json });
    if (all) throw new UsageError("--all needs a node", { hint: `Write \`atomic show ${runId} <node> --all\`.` });
    if (isAnswer) {
      const state = await engine.state(runId);
      if (state.status.kind !== "done") {
        const message = safe`${runId} has no answer: it is ${describeStatus(state.status)}`;
        throw new Refusal("no-output", { message, hint: `\`atomic show ${runId}\` shows what it did.` });
      }
      const answer = await runAnswer(engine, state, state.status);
      await writePieces(context.stdout, answerPieces({ answer }, context.stdout));
      return 0;
    }
    if (follow) {
      const { followRun } = await import("../live/follow-run.ts");
      return await followRun(context, runs, runId, json);
    }
    const entries: JournalEntry[] = [];
    for await (const entry of engine.journal(runId)) entries.push(entry);
    const seen = viewOf(entries);
    // Unlike the journal, the engine knows whether the owner is alive, and of messages that no process has read yet.
    const state = await engine.state(runId);
    if (seen === undefined) throw new Error(`The run ${runId} has state but no events.`);
    const setup = setupOf(state.workspace);
    const questions = questionsOf(state);
    const timeline = timelineOf(entries, { ...seen, state });
    if (!json) {
      const { status } = state;
      // A large one is not loaded for a line about it.
      const isSmall = status.kind === "done" && "value" in status.result;
      const answer = isSmall ? await runAnswer(engine, state, status) : undefined;
      const hasWorkers = runs.database !== undefined;
      const shown = { state, setup, questions, timeline, answer, full, now: context.now(), hasWorkers };
      context.stdout.write(showText(shown, context.stdout));
      return 0;
    }
    const status = await wholeStatus(engine, runId, state.status);
    const answer = await runAnswer(engine, state, status);
    const { name: workflow, createdAt, updatedAt, claims, input, budget, spent } = state;
    const found = {
      runId,
      workflow,
      status,
      answer: answer?.value,
      createdAt,
      updatedAt,
      claims,
      input,
      setup,
      budget,
      spent,
    };
    const document = documentOf(where, { ...found, questions, timeline });
    await writePieces(context.stdout, jsonPieces({ ok: true, ...document }, "  "));
    return 0;
  },
});

/** What one node said. */
async function showNode(
  context: AtomicContext,
  { engine, where }: ProjectRuns,
  {
    runId,
    node,
    all,
    full,
    json,
  }: Readonly<Record<"runId" | "node", string> & Record<"all" | "full" | "json", boolean>>,
): Promise<ExitCode> {
  const { nodeOutput, outputsAt } = await import("@atomic/workflows/internal/graph/node-output");
  const { stdout, stderr } = context;
  const state = await engine.state(runId);
  const found = await nodeOutput(engine, state, node);
  if (found.kind === "unknown") {
    throw new Refusal("node-unknown", {
      message: safe`${runId} has no node "${node}"` + suggestion(node, found.nodes),
      hint: safe`Its nodes are ${found.nodes.join(", ")}.`,
    });
  }
  const showAll = shellLine(["atomic", "show", runId, node, "--all"]);
  if (all && found.kind !== "silent") {
    const outputs: { readonly key: string; readonly output: Json }[] = [];
    for await (const each of outputsAt(engine, state, found)) {
      if (json) outputs.push(each);
      else {
        stdout.write(safe`${each.key}:\n`);
        await writePieces(stdout, outputPieces(each.output, stdout));
      }
    }
    const document = { ok: true, ...documentOf(where, { runId, node, outputs }) };
    if (json) await writePieces(stdout, jsonPieces(document, "  "));
    return 0;
  }
  if (found.kind === "several") {
    const one = shellLine(["atomic", "show", runId, found.keys.at(-1) ?? ""]);
    throw new Refusal("node-ambiguous", {
      message: safe`"${node}" has run at ${String(found.keys.length)} paths in ${runId}, so its name alone is ambiguous`,
      hint: safe`Name one path (\`${one}\`), or print them all: \`${showAll}\`.`,
    });
  }
  const { key } = found;
  const transcript = full || json ? notesOf(await engine.notes(runId)(), key) : [];
  // What an agent has done so far is of interest before it has said its last word.
  if (found.kind === "silent" && transcript.length === 0) {
    const message = safe`${found.key} ${describeSilence(found.call, state)}`;
    const what = hasEnded(state.status) ? "did" : "is doing";
    throw new Refusal("no-output", { message, hint: `\`atomic show ${runId}\` shows what the run ${what}.` });
  }
  const output = found.kind === "said" ? found.output : undefined;
  const iterations = found.kind === "said" ? found.iterations.length : 1;
  if (iterations > 1 && !json) {
    stderr.write(safe`The last of ${String(iterations)} outputs, ${key}. For all of them: ${showAll}\n`);
  }
  const document = { ok: true, ...documentOf(where, { runId, node, key, output, transcript }) };
  if (!json && transcript.length > 0) stdout.write(transcriptText(transcript, stdout));
  else await writePieces(stdout, json ? jsonPieces(document, "  ") : outputPieces(output, stdout));
  return 0;
}

/** Why a node has no output, as the end of a sentence. */
function describeSilence(call: CallState | undefined, { status }: RunState): string {
  if (call === undefined) return hasEnded(status) ? "did not run" : "has not run yet";
  if (call.kind === "wait") return "is waiting for an answer";
  if (call.kind !== "step")
    return hasEnded(status) ? `did not end: the run ${describeStatus(status)}` : "has not ended yet";
  const { phase } = call;
  if (phase.kind === "failed") return `failed: ${shorten(phase.error.message)}`;
  if (phase.kind === "finished") return "has no output";
  return phase.kind === "running" || phase.kind === "retrying" ? "is still running" : "was stopped before it ended";
}

const longestInput = 500;

/** Everything about one run: what it is, what it did, what it is waiting for. */
function showText({ state, setup, questions, timeline, answer, full, now, hasWorkers }: ShownRun, page: Page): string {
  const { status, createdAt, updatedAt, claims, spent } = state;
  const taken = claims > 1 ? `, picked up ${count(claims, "time")}` : "";
  const input = state.input === null || state.input === "" ? "" : JSON.stringify(state.input);
  const work = [`${count(spent.steps, "step")} in ${formatDuration(spent.wallMs)} of work`, formatSpent(spent)];
  const next = runnable(nextStep(state, status, hasWorkers) ?? "", page);
  // Without a process, it still waits for you.
  const isAsking = status.kind === "pending" && questions.some((each) => !isTooLate(state, each, now));
  const facts: Fact[] = [
    ["workflow", setup === undefined ? (state.name ?? "") : `${state.name} (${setup.workflow})`],
    ["status", `${isAsking ? "waiting for your answer; " : ""}${describeStatus(status, full)}`, statusColour(status)],
    ["answer", status.kind === "done" ? runnable(answerFact(state.runId, answer), page) : ""],
    ["hint", status.kind === "failed" ? (status.error.hint ?? "") : ""],
    ["next", isAsking ? `answer it (see below), then ${next}` : next],
    ["started", `${formatTime(createdAt)} (${formatAgo(now - createdAt)})${taken}`],
    ["changed", `${formatTime(updatedAt)} (${formatAgo(now - updatedAt)})`],
    ["host", setup === undefined ? "" : [setup.host, setup.model ?? ""].join(" ").trimEnd()],
    ["files", setup?.repository === undefined ? "" : `git fetch ${setup.repository.url} ${refOf(state.runId)}`],
    [
      "packages",
      Object.values(setup?.packages ?? {})
        .map((each) => each.split(" ")[0] ?? each)
        .join(", "),
    ],
    ["input", input.length > longestInput ? `${input.slice(0, longestInput)}…` : input],
    ["spent", work.filter((part) => part !== "").join(" · ")],
    ["budget", budgetText(state.budget)],
  ];
  const failures = timeline.flatMap((row) => {
    if (!full || row.kind !== "call" || row.error === undefined) return [];
    const text = row.hint === undefined || row.hint === "" ? row.error : `${row.error.trimEnd()}\n${row.hint}`;
    const lines = text.trimEnd().split("\n");
    return [safeLine(`${row.key} ${row.status}:`), ...lines.map((line) => `  ${safeLine(line)}`.trimEnd()), ""].join(
      "\n",
    );
  });
  const open = questions.map((each) => {
    const does = `too late to answer; ${hasWorkers ? "a worker continues without an answer, or you do" : "continue without an answer"}`;
    const late = { command: `atomic resume ${state.runId}`, does };
    const how = isTooLate(state, each, now) ? [late] : howToAnswer(state.runId, each);
    return questionText(each, page) + suggestionLines(how, page);
  });
  const parts = [
    factSheet("run", state.runId, facts, page),
    timelineTable(timeline, createdAt, page),
    failures.join("\n"),
    open.join(""),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** A short answer, or how to print it. */
function answerFact(runId: string, answer: FinalAnswer | undefined): string {
  const value = answer?.value;
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value ?? "");
  return value === undefined || isShortened(text) ? `atomic show ${runId} --answer` : text;
}

const columns: readonly Column[] = [
  { title: "AFTER" },
  { title: "NODE", least: 12 },
  { title: "KIND", least: 5 },
  { title: "TOOK" },
  { title: "TOKENS" },
  { title: "COST" },
  { title: "OUTCOME", least: 10 },
];

const narrow = 80;

function timelineTable(timeline: readonly TimelineRow[], from: number, page: Page): string {
  if (timeline.length === 0) return "";
  const rows = timeline.map((row): readonly Cell[] => {
    const after: Cell = { text: formatOffset(row.at - from), colour: "dim" };
    if (row.kind === "mark") {
      return [after, { text: "–", colour: "dim" }, "", "", "", "", { text: row.text, colour: "dim" }];
    }
    const { key, what, status, ms, cost, error, answer, by, attempts, took } = row;
    const tries = attempts > 1 ? ` (attempt ${attempts})` : "";
    const outcome =
      error !== undefined
        ? `${status}${tries}: ${shorten(error)}`
        : answer !== undefined
          ? `answered: ${typeof answer === "string" ? answer : JSON.stringify(answer)}${by === undefined ? "" : `, by ${by}`}`
          : `${took ?? status}${tries}`;
    return [
      after,
      key,
      { text: what, colour: "dim" },
      ms === undefined ? "" : formatDuration(ms),
      cost.tokens === 0 ? "" : formatTokens(cost.tokens).replace(/ tokens?$/, ""),
      cost.usd === 0 ? "" : formatUsd(cost.usd),
      { text: outcome, colour: nodeColours[status] },
    ];
  });
  // Where lines are cut, a node's outcome comes before its kind, and before columns with nothing in them.
  const isNarrow = page.columns !== undefined && page.columns < narrow;
  const shown = columns.flatMap(({ title }, at) =>
    isNarrow && (title === "KIND" || rows.every((row) => row[at] === "")) ? [] : [at],
  );
  return formatTable(
    shown.flatMap((at) => columns[at] ?? []),
    rows.map((row) => shown.map((at) => row[at] ?? "")),
    page,
  );
}

/** `+3:12` */
function formatOffset(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `+${minutes}:${two(seconds % 60)}`;
  return `+${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
