// The part of `run()` that is loaded when a program calls it: everything that runs a graph.
import { initializeWorkflowsSDK } from "./entities/initialize.ts";
import { compileGraph } from "./graph/compile.ts";
import { type GraphResult, interpreterOf, interpreterVersion } from "./graph/interpret/interpret.ts";
import { type Graph, isGraph } from "./graph/node-definition.ts";
import type { Services } from "./graph/services.ts";
import { hostMakers } from "./hosts/host-makers.ts";
import { nodeHostOf } from "./hosts/node-host-of.ts";
import { fileStore } from "./run/embedded/file-store.ts";
import { makeRunsFolder, reserveRunId, runsFolder } from "./run/embedded/runs-folder.ts";
import type { LocalEngine } from "./run/engine.ts";
import type { RunEvent } from "./run/events.ts";
import type { Json } from "./run/json.ts";
import { StoreEngine } from "./run/local-engine.ts";
import { RunError } from "./run/run-error.ts";
import type { OpenWait } from "./run/run-state.ts";
import { StepFailedError } from "./run/step-errors.ts";
import type { RunGraphOptions, RunResult } from "./run-graph.ts";
import { liveRuns } from "./tasks/claim.ts";
import { criteriaLoopDecisions } from "./tasks/criteria-loop-decisions.ts";
import { taskLoopDecisions } from "./tasks/task-loop-decisions.ts";

export async function runToEnd(built: Graph | { toGraph(): Graph }, options: RunGraphOptions): Promise<RunResult> {
  const graph = isGraph(built) ? built : built.toGraph();
  const { host: who, input = null, folder = process.cwd(), answer, onEvent, signal } = options;
  signal?.throwIfAborted();
  const registry = await initializeWorkflowsSDK({ projectPath: folder });
  const compiled = compileGraph(graph, registry, options);
  const isName = typeof who === "string";
  const host = nodeHostOf({
    hosts: {
      ...hostMakers({ folder, env: process.env, script: undefined }),
      // Your host may have other work to do: only the sessions of this run are closed at its end.
      ...(!isName && {
        given: async () => ({
          name: who.name,
          create: (session) => who.create(session),
          resume: (id, session) => who.resume(id, session),
          dispose: async () => undefined,
        }),
      }),
    },
    default: isName ? who : "given",
    folder,
    ...(options.permissions !== undefined && { permissions: options.permissions }),
    model: options.model,
  });
  const services: Services = {
    host,
    taskLoop: taskLoopDecisions({ folder, isLive: liveRuns(() => engine) }),
    criteriaLoop: criteriaLoopDecisions({ folder }),
  };
  const runs = runsFolder(folder);
  const store = fileStore(runs);
  const engine: LocalEngine = new StoreEngine(store, {
    interpret: interpreterOf(compiled, registry, services, options),
    interpreter: interpreterVersion,
  });
  makeRunsFolder(runs);
  const runId = options.runId ?? reserveRunId(runs, Math.random);
  const { budget } = options;
  const json = compiled.json as unknown as Json;
  await engine.start({ runId, graph: json, input, name: graph.name, ...(budget !== undefined && { budget }) });

  const before = await engine.state(runId);
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
      try {
        await engine.signal(runId, wait.key, given.value);
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
      const { result } = status;
      const value = "value" in result ? result.value : store.loadBlob(runId, result);
      return { runId, ...(value as unknown as GraphResult) };
    }
    if (status.kind === "failed") throw new StepFailedError(status.error.key ?? runId, status.error, 1);
    const hint = `Resume it with the same runId, or with \`atomic resume ${runId}\`.`;
    if (status.kind === "cancelled")
      throw new RunError("run-cancelled", { message: `The run ${runId} was cancelled`, at: runId });
    if (status.kind === "stopped")
      throw new RunError("run-stopped", { message: `The run ${runId} stopped: ${status.reason}`, at: runId, hint });
    signal?.throwIfAborted();
    throw new RunError("run-released", { message: `The run ${runId} was stopped before it finished`, at: runId, hint });
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
