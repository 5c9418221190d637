import { isHostMissing, recordError, StepFailedError } from "../../run/step-errors.ts";
import type { TaskLoopJson } from "../graph-json.ts";
import { jsonOf } from "../json-value.ts";
import type { PickRequest, TaskLoopDecisions, TaskOutcome, TaskPick } from "../loop-decisions.ts";
import type { LoopTask } from "../node-definition.ts";
import { present } from "../present.ts";
import { joinBranches } from "./join-branches.ts";
import type { BranchJson } from "./memory.ts";
import { branchOf } from "./parallel.ts";
import { type Bounded, bounded, repeat } from "./repeat.ts";
import { functionOf, type Scope, textOf } from "./scope.ts";

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
