// `run`: a graph, a host and a folder become a durable run, from a program. Everything heavy is loaded when it is called.
import type { CompileOptions } from "./graph/compile.ts";
import type { GraphResult } from "./graph/interpret/interpret.ts";
import { type Graph, isGraph } from "./graph/node-definition.ts";
import type { Services } from "./graph/services.ts";
import type { Host } from "./hosts/host.ts";
import type { HostName } from "./hosts/host-makers.ts";
import type { PermissionPolicy } from "./hosts/permission-policy.ts";
import type { Budget } from "./run/budget.ts";
import type { LocalEngine } from "./run/engine.ts";
import type { JournalEntry, StepNote } from "./run/events.ts";
import type { Json } from "./run/json.ts";
import { RunError } from "./run/run-error.ts";
import type { OpenWait } from "./run/run-state.ts";
import { StepFailedError } from "./run/step-errors.ts";

export interface RunOptions extends CompileOptions {
  /** Who executes the prompts: the name of a host, or one that you have configured. */
  readonly host: HostName | Host;
  readonly input?: Json;
  /** The project: agents work in it, and its runs are kept in `.atomic/runs`. Default: the current folder. */
  readonly folder?: string;
  /** For nodes that do not name one. */
  readonly model?: string;
  /** What agents may do without asking. By default, they ask before anything that could do harm. */
  readonly permissions?: PermissionPolicy;
  readonly budget?: Budget;
  /** Starts the run under this id, or resumes it if it exists. Default: a new id such as `calm-otter`. */
  readonly runId?: string;
  /** Answers what the graph or an agent asks. Without it the run waits until someone answers, with `atomic approve` for example. */
  readonly answer?: (question: RunQuestion) => Json | Promise<Json>;
  /** Called with everything that happens, in order. */
  readonly onEvent?: (event: JournalEntry["event"] | StepNote) => void;
  /** Stops working on the run when it is aborted. The run can be resumed with its id. */
  readonly signal?: AbortSignal;
}

/** `about` is what is asked: `{ question, options }` of a node, `{ type: "permission", tool, detail }` of an agent. */
export type RunQuestion = Extract<OpenWait, { readonly kind: "signal" }>;

export interface RunResult extends GraphResult {
  readonly runId: string;
}

/**
 * Runs a graph to its end. It is a run like any other: it survives a crash, and `atomic runs`, `show` and `approve` know it.
 *
 * Rejects with a `StepFailedError` if a node fails, and with a `RunError` if the run ends in another way: `run-cancelled`,
 * `run-stopped` (its budget is used up) or `run-released` (`signal` was aborted).
 *
 * @example
 * const { outputs } = await run(review, { host: "claude", input: "src/", permissions: { read: "allow" } });
 * console.log(outputs.summary);
 */
export async function run(built: Graph | { toGraph(): Graph }, options: RunOptions): Promise<RunResult> {
  const graph = isGraph(built) ? built : built.toGraph();
  const { host: who, input = null, folder = process.cwd(), answer, onEvent, signal } = options;
  const [entities, compile, interpreting, engines, stores, folders, makers, nodes, taskLoops, criteriaLoops, live] =
    await Promise.all([
      import("./entities/initialize.ts"),
      import("./graph/compile.ts"),
      import("./graph/interpret/interpret.ts"),
      import("./run/local-engine.ts"),
      import("./run/embedded/file-store.ts"),
      import("./run/embedded/runs-folder.ts"),
      import("./hosts/host-makers.ts"),
      import("./hosts/node-host-of.ts"),
      import("./tasks/task-loop-decisions.ts"),
      import("./tasks/criteria-loop-decisions.ts"),
      import("./tasks/claim.ts"),
    ]);
  const registry = await entities.initializeWorkflowsSDK({ projectPath: folder });
  const compiled = compile.compileGraph(graph, registry, options);
  const isName = typeof who === "string";
  const host = nodes.nodeHostOf({
    hosts: {
      ...makers.hostMakers({ folder, env: process.env, script: undefined }),
      ...(!isName && { given: async () => who }),
    },
    default: isName ? who : "given",
    folder,
    ...(options.permissions !== undefined && { permissions: options.permissions }),
    model: options.model,
  });
  const services: Services = {
    host,
    taskLoop: taskLoops.taskLoopDecisions({ folder, isLive: live.liveRuns(() => engine) }),
    criteriaLoop: criteriaLoops.criteriaLoopDecisions({ folder }),
  };
  const runs = folders.runsFolder(folder);
  const store = stores.fileStore(runs);
  const engine: LocalEngine = new engines.StoreEngine(store, {
    interpret: interpreting.interpreterOf(compiled, registry, services, options),
    interpreter: interpreting.interpreterVersion,
  });
  folders.makeRunsFolder(runs);
  const runId = options.runId ?? folders.reserveRunId(runs, Math.random);
  const { budget } = options;
  const json = compiled.json as unknown as Json;
  await engine.start({ runId, graph: json, input, name: graph.name, ...(budget !== undefined && { budget }) });

  const before = await engine.state(runId);
  const isOver = ["done", "failed", "cancelled"].includes(before.status.kind);
  const working = isOver ? undefined : await engine.run(runId);
  const release = (): void => void working?.release();
  signal?.addEventListener("abort", release);
  try {
    if (signal?.aborted) release();
    const asked = new Set<string>();
    let answering = Promise.resolve();
    const ask = (wait: OpenWait): void => {
      if (answer === undefined || wait.kind !== "signal" || asked.has(wait.key)) return;
      asked.add(wait.key);
      // One question after the other; work that needs no answer continues meanwhile.
      answering = answering.then(async () => void (await engine.signal(runId, wait.key, await answer(wait))));
      answering.catch(release);
    };
    for (const wait of before.waits) ask(wait);
    for await (const event of working ?? []) {
      onEvent?.(event);
      if (event.type === "wait-started") {
        const { type: _type, at: _at, ms: _ms, ...wait } = event;
        ask({ kind: "signal", ...wait });
      }
    }
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
    throw new RunError("run-released", { message: `The run ${runId} was left before its end`, at: runId, hint });
  } finally {
    signal?.removeEventListener("abort", release);
    await host.dispose();
  }
}
