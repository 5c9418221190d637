// The three loops: until a condition holds, until a tasks file is done, until an agent says that it is done.
import type { Json } from "../../run/json.ts";
import { whenDone } from "../../run/promises.ts";
import { type ErrorRecord, recordError, StepFailedError } from "../../run/step-errors.ts";
import type { LoopEnd } from "../control-nodes.ts";
import type { CriteriaLoopJson, LoopJson, NodesJson, RepeatingJson, TaskLoopJson } from "../graph-json.ts";
import { jsonOf, present } from "../json-value.ts";
import type { CriteriaVerdict, TaskOutcome, TaskPick } from "../services.ts";
import type { LoopTask } from "../state.ts";
import { branchOf, joinBranches } from "./branches.ts";
import { type BranchJson, openBranch } from "./memory.ts";
import { callFunction, failure, functionOf, type GraphScope, resolveText } from "./scope.ts";

/** One iteration of a loop; returns the loop's end if it was the last one. `path` is that of the iteration. */
type Iteration = (iteration: number, path: string) => Promise<LoopEnd | undefined>;

const local = { local: true };

/** A loop with its limit. A limit that is a function is asked once. */
async function withLimit<N extends RepeatingJson>(
  scope: GraphScope,
  node: N,
  path: string,
): Promise<N & { readonly maxIterations: number }> {
  const { id, maxIterations } = node;
  if (typeof maxIterations === "number") return { ...node, maxIterations };
  const limit = await scope.ctx.step<number>(
    `${path}:max`,
    async () => {
      const value = await callFunction(scope, id, maxIterations, scope.memory.view());
      // Only the graph itself can say that there is no limit, because it then requires another one.
      if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value);
      throw new TypeError(
        `"maxIterations" in the node "${id}" returned ${String(value)} instead of a positive whole number.`,
      );
    },
    local,
  );
  return { ...node, maxIterations: limit };
}

/** Iterations, one after the other; what runs in them sees their number. */
async function repeat(scope: GraphScope, node: RepeatingJson, path: string, iterate: Iteration): Promise<void> {
  const { memory } = scope;
  const outer = memory.iteration;
  let end: LoopEnd | undefined;
  try {
    for (let iteration = 1; end === undefined; iteration++) {
      memory.iteration = iteration;
      end = await iterate(iteration, `${path}#${iteration}`);
    }
  } finally {
    memory.iteration = outer;
  }
  memory.take(node.id, { output: end });
  if (end.complete || node.onIncomplete === "continue") return;
  const times = end.iterations === 1 ? "1 iteration" : `${end.iterations} iterations`;
  throw failure(path, "LoopIncompleteError", `the loop stopped after ${times}, before it was done: ${end.stopped}`);
}

/** Runs an iteration's nodes. A node that fails does not end the loop; its failure is returned. */
async function attempt(scope: GraphScope, nodes: NodesJson, path: string): Promise<ErrorRecord | undefined> {
  scope.memory.lastText = undefined;
  try {
    await scope.runNodes({ ...scope, prefix: `${path}/` }, nodes);
    return undefined;
  } catch (error) {
    // A host that is not installed is still missing in the next iteration.
    if (!(error instanceof StepFailedError) || error.error.code === "host-missing") throw error;
    const record = recordError(error);
    scope.memory.error = record;
    return record;
  }
}

/** After an iteration: whether it was enough, and when that was. */
type LoopCheck = { readonly done: boolean; readonly at: number };

export async function runLoop(scope: GraphScope, loop: LoopJson, path: string): Promise<void> {
  const { ctx, memory } = scope;
  const node = await withLimit(scope, loop, path);
  const { id, nodes, until, maxIterations, maxDurationMs } = node;
  const began = maxDurationMs === undefined ? 0 : await ctx.step(`${path}:began`, () => Date.now(), local);
  await repeat(scope, node, path, async (iterations, at) => {
    await scope.runNodes({ ...scope, prefix: `${at}/` }, nodes);
    const { done, at: now } = await ctx.step<LoopCheck>(
      at,
      () => whenDone(callFunction(scope, id, until, memory.view()), (is) => ({ done: is === true, at: Date.now() })),
      local,
    );
    if (done) return { iterations, stopped: "done", complete: true };
    if (iterations === maxIterations) return { iterations, stopped: "max-iterations", complete: false };
    if (maxDurationMs === undefined || now - began < maxDurationMs) return undefined;
    return { iterations, stopped: "max-duration", complete: false };
  });
}

export async function runCriteriaLoop(scope: GraphScope, loop: CriteriaLoopJson, path: string): Promise<void> {
  const decisions = scope.services.criteriaLoop;
  if (decisions === undefined)
    throw new Error(`The graph has a criteria loop ("${path}"), but no service to judge it.`);
  const { ctx, memory } = scope;
  const node = await withLimit(scope, loop, path);
  const began = await ctx.step(`${path}:began`, () => Date.now(), local);
  const usdBefore = memory.usd;
  let memo: Json = null;
  await repeat(scope, node, path, async (iteration, at) => {
    const failure = await attempt(scope, node.nodes, at);
    const happened = failure === undefined ? present({ text: memory.text }) : { failure };
    const verdict = (await ctx.step(at, async (info) => {
      const facts = { iteration, elapsedMs: Date.now() - began, usd: memory.usd - usdBefore, memo };
      return jsonOf(await decisions.judge({ loop: node, ...happened, ...facts }, info), `The verdict for "${node.id}"`);
    })) as CriteriaVerdict;
    if (verdict.do === "stop") return { iterations: iteration, stopped: verdict.reason, complete: verdict.complete };
    if (iteration === node.maxIterations) return { iterations: iteration, stopped: "max-iterations", complete: false };
    memo = verdict.memo;
    return undefined;
  });
}

export async function runTaskLoop(scope: GraphScope, loop: TaskLoopJson, path: string): Promise<void> {
  const { ctx } = scope;
  const decisions = scope.services.taskLoop;
  if (decisions === undefined)
    throw new Error(`The graph has a task loop ("${path}"), but no service to pick its tasks.`);
  const node = await withLimit(scope, loop, path);
  const { id, until, select } = node;
  const tasksPath = await ctx.step<string>(
    `${path}:tasks`,
    () => resolveText(scope, id, "tasksPath", node.tasksPath),
    local,
  );

  /** The next pick decides what becomes of a task that fails. */
  const workOn = async (inner: GraphScope, task: LoopTask, at: string): Promise<void> => {
    const { memory } = inner;
    const outer = memory.task;
    memory.task = task;
    const error = await attempt(inner, node.nodes, at);
    const outcome: TaskOutcome =
      error === undefined ? { ok: true, ...present({ text: memory.text }) } : { ok: false, error };
    memory.task = outer;
    await inner.ctx.step(`${at}:settle`, async (info) => {
      await decisions.settle({ loop: node, tasksPath, task, outcome }, info);
      return null;
    });
  };

  await repeat(scope, node, path, async (iteration, at) => {
    const mayRun = node.maxIterations === 0 || iteration <= node.maxIterations;
    const pick = (await ctx.step(`${at}:pick`, async (info) => {
      // `until` and `select` are called synchronously inside the step, so they cannot wait for anything.
      const functions = present({
        until:
          until &&
          ((tasks: readonly LoopTask[]) => functionOf(scope, id, until.fn)(scope.memory.view(), tasks) === true),
        select:
          select && ((tasks: readonly LoopTask[]) => functionOf(scope, id, select.fn)(tasks) as LoopTask | undefined),
      });
      const picked = await decisions.pick({ loop: node, tasksPath, iteration, mayRun, ...functions }, info);
      return jsonOf(picked, `The selection for "${id}"`);
    })) as TaskPick;
    if (pick.do === "stop") return { iterations: iteration - 1, stopped: pick.reason, complete: pick.complete };
    if (!mayRun) return { iterations: iteration - 1, stopped: "max-iterations", complete: false };

    const { tasks } = pick;
    const [first] = tasks;
    if (first !== undefined && tasks.length === 1) {
      await workOn(scope, first, at);
      return undefined;
    }
    const branches = tasks.map((task, index) => branchOf(scope, "", (inner) => workOn(inner, task, `${at}.${index}`)));
    const did = ((await ctx.fork(at, branches, "all", { large: true })) as BranchJson[]).map(openBranch);
    // As if the tasks had run one after the other.
    await joinBranches(scope, at, did, { ...node, names: () => "the tasks", conflicts: "last" });
    return undefined;
  });
}
