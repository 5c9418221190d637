// `run` runs a graph from a program, with a host and in a folder, as a durable run.
import type { CompileOptions } from "./graph/compile.ts";
import type { GraphResult } from "./graph/interpret/interpret.ts";
import type { Graph } from "./graph/node-definition.ts";
import type { BeginsWith, InputFor } from "./graph/state.ts";
import type { Host } from "./hosts/host.ts";
import type { hostNames } from "./hosts/host-makers.ts";
import type { PermissionPolicy } from "./hosts/permission-policy.ts";
import type { Budget } from "./run/budget.ts";
import type { JournalEntry, StepNote } from "./run/events.ts";
import type { Json } from "./run/json.ts";
import type { OpenWait } from "./run/run-state.ts";

export type RunGraphOptions<Input = never> = RunOptions & GraphInput<Input>;

interface InputOption<Input> {
  /** The graph's arguments, and initial values of its state. Text is the argument that belongs to no flag. */
  readonly input: Input;
}

/** Required only if the graph does not begin without it. */
type GraphInput<Input> =
  BeginsWith<object, Input> extends true ? Partial<InputOption<InputFor<Input> | undefined>> : InputOption<Input>;

interface RunOptions extends CompileOptions {
  /** Who executes the prompts: the name of a host, or one that you have configured. The run does not dispose yours. */
  readonly host: (typeof hostNames)[number] | Host;
  /** The project: agents work in it, and its runs are kept in `.atomic/runs`. Default: the current folder. */
  readonly folder?: string;
  /** The model for nodes that do not name one. */
  readonly model?: string;
  /** What agents may do without asking. By default, they ask before anything that could do harm. */
  readonly permissions?: PermissionPolicy;
  /** A run that used up its budget continues if you resume it with a larger one. */
  readonly budget?: Budget;
  /** How many prompts run at a time, and how many items of a map without its own limit. Default 8. */
  readonly maxPrompts?: number;
  /**
   * Starts the run under this id; or resumes it, or returns its result, if it exists with the same graph name and input.
   * Default: a new id such as `calm-otter`.
   */
  readonly runId?: string;
  /**
   * Answers what the graph or an agent asks. If a node offers options, the answer is a label or, for several, an array of labels. Without it, the run waits for `atomic approve`. The signal is aborted when
   * the question no longer needs an answer: it timed out, was answered elsewhere, or the run ended. A late answer is ignored.
   */
  readonly answer?: (question: OpenQuestion, signal: AbortSignal) => Json | Promise<Json>;
  /** Called with everything that happens, in order. */
  readonly onEvent?: (event: JournalEntry["event"] | StepNote) => void;
  /** Stops working on the run when it is aborted; `run` then rejects with its reason. The run can be resumed with its id. */
  readonly signal?: AbortSignal;
}

/** `about` is what is asked: `{ question, options }` of a node, `{ type: "permission", tool, detail }` of an agent. */
export type OpenQuestion = Extract<OpenWait, { readonly kind: "signal" }>;

export interface RunResult<Final = GraphResult["state"], Outputs = GraphResult["outputs"]> {
  readonly runId: string;
  readonly state: Final;
  /** The last output of each node, by its id. */
  readonly outputs: unknown extends Outputs ? GraphResult["outputs"] : Outputs;
  /** What `atomic run` prints: the output of the node that ran last; of parallel branches, one for each label. */
  readonly answer: Json;
}

/**
 * Runs a graph to its end. It is a run like any other: it survives a crash, and `atomic runs`, `show` and `approve` find it.
 * To continue it, run the program again with its `runId`; `atomic resume` finds only workflows in files.
 *
 * Rejects with a `StepFailedError` if a node fails, with a `RunError` if the run was cancelled (`run-cancelled`) or its
 * budget is used up (`run-stopped`), and, like `fetch`, with `signal.reason` if `signal` was aborted.
 *
 * @example
 * const { outputs } = await run(review, { host: "claude", input: "src/", permissions: { read: "allow" } });
 * console.log(outputs.summary);
 */
export async function run<Built extends Graph | { toGraph(): Graph }>(
  built: Built,
  options: RunGraphOptions<InputTakenBy<Built>>,
): Promise<ResultOf<Built>> {
  const { runToEnd } = await import("./run-to-end.ts");
  // The graph's functions have kept its state and its outputs to their types.
  return (await runToEnd(built, options as RunGraphOptions)) as RunResult as ResultOf<Built>;
}

type InputTakenBy<Built> = Built extends { toGraph(): infer Made }
  ? InputTakenBy<Made>
  : Built extends Graph<infer _Final, infer Input, infer _Outputs>
    ? Input
    : never;

type ResultOf<Built> = Built extends { toGraph(): infer Made }
  ? ResultOf<Made>
  : Built extends Graph<infer Final, infer _Input, infer Outputs>
    ? RunResult<Final, Outputs>
    : never;

/**
 * What a node of a run said, whole, also while the run works or waits. Undefined if it has said nothing yet.
 *
 * @param node Its id, or its path in the run, such as `review.1/check`. Of a loop's iterations, the last one counts. If it
 * ran for several items of a map, only a path says which one you mean; an id is refused.
 * @example
 * await outputOf("calm-otter", "summary");
 */
export async function outputOf(
  runId: string,
  node: string,
  { folder = process.cwd() }: { readonly folder?: string } = {},
): Promise<Json | undefined> {
  const { readOutput } = await import("./read-output.ts");
  return await readOutput(runId, node, folder);
}

/**
 * What a node of a run has said so far, each time that it ran: for every item of a map, in every iteration of a loop. The keys
 * are paths in the run, in the order in which they began.
 *
 * @example
 * await outputsOf("calm-otter", "read"); // { "files.boat/read": "…", "files.mast/read": "…" }
 */
export async function outputsOf(
  runId: string,
  node: string,
  { folder = process.cwd() }: { readonly folder?: string } = {},
): Promise<Readonly<Record<string, Json>>> {
  const { readOutputs } = await import("./read-output.ts");
  return await readOutputs(runId, node, folder);
}
