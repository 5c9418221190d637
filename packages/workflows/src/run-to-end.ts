// The part of `run()` that is loaded when a program calls it: everything that runs a graph.
import { isDeepStrictEqual } from "node:util";
import { initializeWorkflowsSDK } from "./entities/initialize.ts";
import { answerOf } from "./graph/answer.ts";
import { compileGraph } from "./graph/compile.ts";
import { type GraphResult, interpreterOf, interpreterVersion } from "./graph/interpret/interpret.ts";
import { type Graph, isGraph } from "./graph/node-definition.ts";
import { type NodeQuestion, readAnswer } from "./graph/read-answer.ts";
import { checkInput } from "./graph/read-arguments.ts";
import { defaultMaxPrompts, type Services } from "./graph/services.ts";
import { hostMakers } from "./hosts/host-makers.ts";
import { nodeHostOf } from "./hosts/node-host-of.ts";
import { projectEngine } from "./project-engine.ts";
import type { LocalEngine, StartRequest } from "./run/engine.ts";
import type { RunEvent } from "./run/events.ts";
import type { Json } from "./run/json.ts";
import { RunError } from "./run/run-error.ts";
import { startNew } from "./run/run-id.ts";
import type { OpenWait } from "./run/run-state.ts";
import { StepFailedError } from "./run/step-errors.ts";
import type { OpenQuestion, RunGraphOptions, RunResult } from "./run-graph.ts";
import { liveRuns } from "./tasks/claim.ts";
import { criteriaLoopDecisions } from "./tasks/criteria-loop-decisions.ts";
import { taskLoopDecisions } from "./tasks/task-loop-decisions.ts";

export async function runToEnd(built: Graph | { toGraph(): Graph }, options: RunGraphOptions): Promise<RunResult> {
  const graph = isGraph(built) ? built : built.toGraph();
  const {
    host: who,
    folder = process.cwd(),
    budget,
    maxPrompts = defaultMaxPrompts,
    answer,
    onEvent,
    signal,
  } = options;
  signal?.throwIfAborted();
  if (!Number.isSafeInteger(maxPrompts) || maxPrompts < 1) {
    throw new RunError("bad-request", { message: `maxPrompts must be a positive whole number, not ${maxPrompts}` });
  }
  const registry = await initializeWorkflowsSDK({ projectPath: folder });
  const compiled = compileGraph(graph, registry, options);
  let input = options.input ?? null;
  if (graph.arguments !== undefined) {
    const { input: checked, problems } = checkInput(graph.arguments, input, Object.keys(compiled.json.state));
    if (problems.length > 0) {
      throw new RunError("bad-request", { message: `${graph.name}: ${problems.join(" ")}` });
    }
    input = checked;
  }
  const isName = typeof who === "string";
  const hostName = isName ? who : who.name;
  const host = nodeHostOf({
    hosts: {
      ...hostMakers({ folder, env: process.env, script: undefined }),
      // Your host may have other work to do: only the sessions of this run are closed at its end.
      ...(!isName && {
        [hostName]: async () => ({
          name: who.name,
          create: (session) => who.create(session),
          resume: (id, session) => who.resume(id, session),
          dispose: async () => undefined,
        }),
      }),
    },
    default: hostName,
    folder,
    ...(options.permissions !== undefined && { permissions: options.permissions }),
    model: options.model,
  });
  const services: Services = {
    host,
    taskLoop: taskLoopDecisions({ folder, isLive: liveRuns(() => engine) }),
    criteriaLoop: criteriaLoopDecisions({ folder }),
    maxPrompts,
  };
  const engine: LocalEngine = projectEngine(folder, {
    interpret: interpreterOf(compiled, registry, services, options),
    interpreter: interpreterVersion,
    queues: { agents: maxPrompts },
  });
  const request: Omit<StartRequest, "runId"> = {
    graph: compiled.json as unknown as Json,
    input,
    name: graph.name,
    ...(budget !== undefined && { budget }),
    // `atomic show` and `approve` then do not suggest `atomic resume`, which finds only workflows in files.
    workspace: { program: true, host: hostName },
  };
  const { runId = await startNew(engine, request, Math.random) } = options;
  if (options.runId !== undefined) await engine.start({ ...request, runId });

  const before = await engine.state(runId);
  const isSameInput = isDeepStrictEqual(before.input, JSON.parse(JSON.stringify(input)));
  if (before.name !== graph.name || !isSameInput) {
    const message =
      before.name === graph.name
        ? `The run ${runId} was started with another input`
        : `The run ${runId} belongs to the graph "${before.name}", not to "${graph.name}"`;
    const hint = "Choose another runId, or leave it out for a new one.";
    throw new RunError("bad-request", { message, at: runId, hint });
  }
  if (before.status.kind === "stopped" && budget !== undefined) await engine.raise(runId, budget);
  const isOver = ["done", "failed", "cancelled"].includes(before.status.kind);
  const working = isOver ? undefined : await engine.run(runId);
  const release = (): void => void working?.release();
  signal?.addEventListener("abort", release);
  /** The open questions that `answer` has been or will be asked. Each is aborted when it no longer needs an answer. */
  const questions = new Map<string, { readonly step: string | undefined; readonly closing: AbortController }>();
  const answered = new Set(before.signals.keys());
  let answering = Promise.resolve();
  const ask = (wait: OpenWait): void => {
    if (answer === undefined || wait.kind !== "signal" || questions.has(wait.key) || answered.has(wait.key)) return;
    const closing = new AbortController();
    questions.set(wait.key, { step: wait.step, closing });
    const closed = new Promise<undefined>((resolve) => {
      closing.signal.addEventListener("abort", () => resolve(undefined));
    });
    // One question at a time; work that needs no answer continues meanwhile.
    answering = answering.then(async () => {
      if (closing.signal.aborted) return;
      const giving = Promise.resolve(answer(wait, closing.signal));
      const given = await Promise.race([closed, giving.then((value) => ({ value }))]);
      if (given === undefined || closing.signal.aborted) return;
      const value = checkedAnswer(runId, wait, given.value);
      try {
        await engine.signal(runId, wait.key, value);
      } catch (error) {
        // The run has just ended without this answer.
        if (!(error instanceof RunError && error.code === "run-ended")) throw error;
      }
    });
    answering.catch(release);
  };
  try {
    if (signal?.aborted) release();
    for (const wait of isOver ? [] : before.waits) ask(wait);
    for await (const event of working ?? []) {
      if (event.type === "wait-started") {
        const { type: _type, at: _at, ms: _ms, ...wait } = event;
        ask({ kind: "signal", ...wait });
      } else if (closingEvents.has(event.type) && "key" in event) {
        if (event.type === "signal-received") answered.add(event.key);
        const ended = [event.key, ...(event.type === "fork-ended" ? (event.abandoned ?? []) : [])];
        for (const [key, { step, closing }] of questions) {
          if (!ended.includes(key) && (step === undefined || !ended.includes(step))) continue;
          questions.delete(key);
          closing.abort();
        }
      }
      onEvent?.(event);
    }
    for (const { closing } of questions.values()) closing.abort();
    await answering;
    const status = working === undefined ? before.status : await working.ended;
    if (status.kind === "done") {
      const result = (await engine.load(runId, status.result)) as unknown as GraphResult;
      const { state, outputs } = result;
      const answer = await answerOf(compiled.json.nodes, async (id, of = "outputs") => result[of]?.[id]);
      return { runId, state, outputs, answer: answer?.value ?? null };
    }
    if (status.kind === "failed") {
      const { error } = status;
      const step = error.key === undefined ? undefined : (await engine.state(runId)).calls.get(error.key);
      throw new StepFailedError(error.key ?? runId, error, step?.kind === "step" ? step.attempt : 1);
    }
    if (status.kind === "cancelled")
      throw new RunError("run-cancelled", { message: `The run ${runId} was cancelled`, at: runId });
    const hint = `Run the program again with runId "${runId}"`;
    if (status.kind === "stopped") {
      const message = `The run ${runId} stopped: ${status.reason}`;
      throw new RunError("run-stopped", { message, at: runId, hint: `${hint} and a larger budget.` });
    }
    signal?.throwIfAborted();
    const message = `The run ${runId} was stopped before it finished`;
    throw new RunError("run-released", { message, at: runId, hint: `${hint}.` });
  } finally {
    signal?.removeEventListener("abort", release);
    for (const { closing } of questions.values()) closing.abort();
    await working?.release();
    await host.dispose();
  }
}

/** After one of these, a question with the same key, or one that the step with this key asked, needs no answer. */
const closingEvents: ReadonlySet<string> = new Set<RunEvent["type"]>([
  "signal-received",
  "wait-ended",
  "step-finished",
  "step-failed",
  "fork-ended",
]);

/** Of a node's question; what an agent asks may be answered with anything. */
function checkedAnswer(runId: string, { key, about }: OpenQuestion, value: Json): Json {
  const question = (about ?? {}) as NodeQuestion;
  if (question.kind !== "wait" && question.kind !== "ask-user") return value;
  const reading = readAnswer(question, value);
  if ("value" in reading) return reading.value;
  const hint = question.kind === "wait" ? "Answer true or false; askUserNode takes text." : undefined;
  throw new RunError("bad-request", {
    message: `The answer to ${key} is not valid: ${reading.problem}`,
    at: runId,
    hint,
  });
}
