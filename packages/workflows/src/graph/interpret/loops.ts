import type { Json } from "../../run/json.ts";
import { whenDone } from "../../run/promises.ts";
import { isHostMissing, recordError, StepFailedError } from "../../run/step-errors.ts";
import type { CriteriaLoopJson, LoopJson, RepeatingJson, TaskLoopJson } from "../graph-json.ts";
import { jsonOf, present } from "../json-value.ts";
import type {
  CriteriaVerdict,
  JudgeRequest,
  PickRequest,
  TaskLoopDecisions,
  TaskOutcome,
  TaskPick,
} from "../services.ts";
import type { LoopTask } from "../state.ts";
import { branchOf, joinBranches } from "./branches.ts";
import type { BranchJson } from "./memory.ts";
import { call, failure, functionOf, type Scope, textOf } from "./scope.ts";

/** The output of any loop. `complete` only if it ended for being done. */
type LoopEnd = { readonly iterations: number; readonly stopped: string; readonly complete: boolean };

/** One turn of a loop; says so if it was the last one. `path` is that of the turn. */
type Turn = (iteration: number, path: string) => Promise<LoopEnd | undefined>;

/** A loop whose limit is known. */
type Bounded<N extends RepeatingJson> = N & { readonly maxIterations: number };

/** Asks for the limit once, where a function says it. */
async function bounded<N extends RepeatingJson>(scope: Scope, node: N, path: string): Promise<Bounded<N>> {
  const { id, maxIterations } = node;
  if (typeof maxIterations === "number") return { ...node, maxIterations };
  const ask = async (): Promise<number> => limitOf(id, await call(scope, id, maxIterations, scope.memory.view()));
  return { ...node, maxIterations: await scope.ctx.step(`${path}:max`, ask, { local: true }) };
}

/** That there is none must be said in the graph, where another one is asked for. */
function limitOf(id: string, value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value);
  throw new TypeError(`"maxIterations" of the node "${id}" gave ${String(value)} instead of a whole number from 1.`);
}

/** Turns, one after the other; what runs in them sees their number. */
async function repeat(scope: Scope, node: RepeatingJson, path: string, turn: Turn): Promise<void> {
  const { memory } = scope;
  const outer = memory.iteration;
  let end: LoopEnd | undefined;
  try {
    for (let iteration = 1; end === undefined; iteration++) {
      memory.iteration = iteration;
      end = await turn(iteration, `${path}#${iteration}`);
    }
  } finally {
    memory.iteration = outer;
  }
  memory.take(node.id, { output: end });
  if (end.complete || node.onIncomplete === "continue") return;
  const times = end.iterations === 1 ? "1 iteration" : `${end.iterations} iterations`;
  throw failure(path, "LoopIncompleteError", `the loop stopped after ${times}, before it was done: ${end.stopped}`);
}

/** After an iteration: whether it was enough, and when that was. */
type Checked = { readonly done: boolean; readonly at: number };

const local = { local: true };

export async function runLoop(scope: Scope, loop: LoopJson, path: string): Promise<void> {
  const { ctx } = scope;
  const node = await bounded(scope, loop, path);
  const { nodes, maxIterations, maxDurationMs } = node;
  const began = maxDurationMs === undefined ? 0 : await ctx.step(`${path}:began`, () => Date.now(), local);
  await repeat(scope, node, path, async (iterations, at) => {
    await scope.runNodes({ ...scope, prefix: `${at}/` }, nodes);
    const { done, at: now } = await ctx.step(at, () => turnOf(scope, node), local);
    if (done) return { iterations, stopped: "done", complete: true };
    if (iterations === maxIterations) return { iterations, stopped: "max-iterations", complete: false };
    if (maxDurationMs === undefined || now - began < maxDurationMs) return undefined;
    return { iterations, stopped: "max-duration", complete: false };
  });
}

function turnOf(scope: Scope, { id, until }: LoopJson): Checked | Promise<Checked> {
  return whenDone(call(scope, id, until, scope.memory.view()), (done) => ({ done: done === true, at: Date.now() }));
}

export async function runCriteriaLoop(scope: Scope, loop: CriteriaLoopJson, path: string): Promise<void> {
  const decisions = scope.services.criteriaLoop;
  if (decisions === undefined) throw new Error(`The graph has a criteria loop ("${path}"), but nobody to judge it.`);
  const { ctx, memory } = scope;
  const node = await bounded(scope, loop, path);
  const began = await ctx.step(`${path}:began`, () => Date.now(), { local: true });
  const usdBefore = memory.usd;
  let memo: Json = null;
  await repeat(scope, node, path, async (iteration, at) => {
    const happened = await happenedIn(scope, node, at);
    const verdict = (await ctx.step(at, async (info) => {
      const facts = { iteration, elapsedMs: Date.now() - began, usd: memory.usd - usdBefore, memo };
      return jsonOf(await decisions.judge({ loop: node, ...happened, ...facts }, info), `The verdict on "${node.id}"`);
    })) as CriteriaVerdict;
    if (verdict.do === "stop") return { iterations: iteration, stopped: verdict.reason, complete: verdict.complete };
    if (iteration === node.maxIterations) return { iterations: iteration, stopped: "max-iterations", complete: false };
    memo = verdict.memo;
    return undefined;
  });
}

/** An iteration that fails does not end the loop: the same failure again and again does. */
async function happenedIn(
  scope: Scope,
  { nodes }: CriteriaLoopJson,
  path: string,
): Promise<Pick<JudgeRequest, "text" | "failure">> {
  const { memory } = scope;
  memory.text = undefined;
  try {
    await scope.runNodes({ ...scope, prefix: `${path}/` }, nodes);
    return present({ text: memory.text });
  } catch (error) {
    if (!(error instanceof StepFailedError) || isHostMissing(error)) throw error;
    const failure = recordError(error);
    memory.error = failure;
    return { failure };
  }
}

/** A task loop under way. */
interface Working {
  readonly node: Bounded<TaskLoopJson>;
  readonly tasksPath: string;
  readonly decisions: TaskLoopDecisions;
}

export async function runTaskLoop(scope: Scope, loop: TaskLoopJson, path: string): Promise<void> {
  const decisions = scope.services.taskLoop;
  if (decisions === undefined) throw new Error(`The graph has a task loop ("${path}"), but nobody to pick its tasks.`);
  const node = await bounded(scope, loop, path);
  const readPath = (): Promise<string> => textOf(scope, node.id, "tasksPath", node.tasksPath);
  const tasksPath = await scope.ctx.step(`${path}:tasks`, readPath, { local: true });
  const working = { node, tasksPath, decisions };
  await repeat(scope, node, path, async (iteration, at) => {
    const pick = await pickTasks(scope, working, at, iteration);
    if (pick.do === "stop") return { iterations: iteration - 1, stopped: pick.reason, complete: pick.complete };
    await workOn(scope, working, at, pick.tasks);
    return undefined;
  });
}

async function pickTasks(scope: Scope, working: Working, path: string, iteration: number): Promise<TaskPick> {
  const { node, decisions, tasksPath } = working;
  const mayRun = node.maxIterations === 0 || iteration <= node.maxIterations;
  const pick = await scope.ctx.step(`${path}:pick`, async (info) => {
    const functions = functionsOf(scope, node);
    const picked = await decisions.pick({ loop: node, tasksPath, iteration, mayRun, ...functions }, info);
    return jsonOf(picked, `What was picked for "${node.id}"`);
  });
  const picked = pick as TaskPick;
  return picked.do === "run" && !mayRun ? { do: "stop", reason: "max-iterations", complete: false } : picked;
}

/** `until` and `select` are asked at once, inside the step: they cannot wait for anything. */
function functionsOf(scope: Scope, { id, until, select }: TaskLoopJson): Pick<PickRequest, "until" | "select"> {
  const bound = (role: string): ((...args: readonly unknown[]) => unknown) => functionOf(scope, id, role);
  return present({
    until: until && ((tasks: readonly LoopTask[]) => bound(until.fn)(scope.memory.view(), tasks) === true),
    select: select && ((tasks: readonly LoopTask[]) => bound(select.fn)(tasks) as LoopTask | undefined),
  });
}

async function workOn(scope: Scope, working: Working, path: string, tasks: readonly LoopTask[]): Promise<void> {
  const [first] = tasks;
  if (first !== undefined && tasks.length === 1) return await workOnTask(scope, working, path, first);
  const branches = tasks.map((task, at) =>
    branchOf(scope, "", (inner) => workOnTask(inner, working, `${path}.${at}`, task)),
  );
  const did = await scope.ctx.fork(path, branches, "all");
  const joined = tasks.map(({ id }, at) => ({ label: id, did: did[at] as BranchJson }));
  // As if one task came after the other.
  await joinBranches(scope, path, joined, { id: working.node.id, conflicts: "last" });
}

async function workOnTask(
  scope: Scope,
  { node, tasksPath, decisions }: Working,
  path: string,
  task: LoopTask,
): Promise<void> {
  const { memory } = scope;
  const outer = memory.task;
  memory.task = task;
  const outcome = await outcomeOf(scope, node, path);
  memory.task = outer;
  await scope.ctx.step(`${path}:settle`, async (info) => {
    await decisions.settle({ loop: node, tasksPath, task, outcome }, info);
    return null;
  });
}

/** A task that fails does not end the loop: what becomes of it is decided with the next pick. */
async function outcomeOf(scope: Scope, { nodes }: TaskLoopJson, path: string): Promise<TaskOutcome> {
  scope.memory.text = undefined;
  try {
    await scope.runNodes({ ...scope, prefix: `${path}/` }, nodes);
    return { ok: true, ...present({ text: scope.memory.text }) };
  } catch (error) {
    if (!(error instanceof StepFailedError) || isHostMissing(error)) throw error;
    const record = recordError(error);
    scope.memory.error = record;
    return { ok: false, error: record };
  }
}
