// What must hold in every schedule, after every step and at the end.
import { advance } from "../../src/background/advance.ts";
import { slotsInUse } from "../../src/background/next.ts";
import type { BackgroundRecord } from "../../src/background/records.ts";
import {
  answerMs,
  type BackgroundLimits,
  type BackgroundState,
  type BackgroundTask,
  isOpen,
  isWorking,
  mostTries,
  type Outcome,
} from "../../src/background/task.ts";
import type { SimulatedSession } from "./simulated-opencode.ts";

export function wrongNow({ at, tasks, parents }: BackgroundState, limits: BackgroundLimits): readonly string[] {
  const { perModel, perRoot, slots, silenceMs, personMs } = limits;
  const problems: string[] = [];
  const all = [...tasks.values()];
  // After a restart it is not known yet which tasks were working. A task with tasks of its own has lent them its slot, and works
  // on when they have ended, so it may be one too many; each of the others has started in a slot that was free.
  const working = all.filter(
    (task) => isWorking(task) && !(task.stage.kind === "checking" && task.stage.because === "restart"),
  );
  const own = working.filter(({ id }) => !parents.has(id));
  const counts = (what: string, many: number, most: number): unknown =>
    many > most && problems.push(`${many} tasks work on ${what}, but at most ${most} may`);
  for (const model of ["p/a", "p/b", "q/a"])
    counts(model, own.filter((task) => task.model === model).length, slots[model] ?? perModel);
  counts("p", own.filter(({ model }) => model.startsWith("p/")).length, slots.p ?? Number.POSITIVE_INFINITY);
  for (const root of new Set(all.map((task) => task.root)))
    counts(root, own.filter((task) => task.root === root).length, perRoot);
  for (const task of working) {
    const limit = (task.waitsForPerson ? personMs : silenceMs) + answerMs * (mostTries + 1);
    if (at - task.heardAt > limit) problems.push(`${task.id} hangs past its deadline`);
  }
  return problems;
}

/** An outcome, beside what really became of the task. */
export function wrongOutcome(
  outcome: Outcome,
  { id, after }: BackgroundTask,
  { isBusy, answers, error }: SimulatedSession,
  restarts: number,
): readonly string[] {
  if (outcome.kind === "interrupted") return restarts === 0 ? [`nothing interrupted ${id}`] : [];
  if (outcome.kind !== "completed") return [];
  const isAnswered = answers > Number(after);
  return [
    ...(isBusy ? [`${id} is completed, but works`] : []),
    ...((outcome.text !== "") === isAnswered ? [] : [`the result of ${id} is lost`]),
    ...(error === undefined ? [] : [`the failure of ${id} is lost`]),
  ];
}

/** Long after the end, nothing is in memory but what was not delivered and what the limits keep. */
export function wrongInMemory(state: BackgroundState, limits: BackgroundLimits, at: number): readonly string[] {
  const late = { type: "time-passed", at } as const;
  const { tasks, parents } = advance(advance(state, late, limits).state, late, limits).state;
  const undelivered = [...tasks.values()].filter(({ notice }) => notice.kind !== "given").length;
  const isFull = tasks.size > limits.kept + undelivered || parents.size > 2 * tasks.size;
  return isFull ? [`${tasks.size} tasks and ${parents.size} parents are still in memory`] : [];
}

export interface WholeSchedule {
  readonly records: readonly BackgroundRecord[];
  readonly sessions: ReadonlyMap<string, SimulatedSession>;
  /** How often a turn's result is in the parent's conversation. */
  readonly told: ReadonlyMap<string, number>;
  readonly state: BackgroundState;
}

export function wrongAtTheEnd({ records, sessions, told, state }: WholeSchedule): readonly string[] {
  const problems: string[] = [];
  const launch = (id: string, turn: number): number =>
    records.findIndex((each) => each.type === "launched" && each.task.id === id && each.task.turn === turn);
  for (const { id, turn, parent } of records.flatMap((each) => (each.type === "launched" ? [each.task] : []))) {
    const next = launch(id, turn + 1);
    const own = records.slice(launch(id, turn), next === -1 ? undefined : next);
    const name = `${id}#${turn}`;
    const ends = own.filter((each) => each.type === "ended" && each.id === id).length;
    if (ends !== 1) problems.push(`${name} has ended ${ends} times`);
    const given = own.flatMap((each) => (each.type === "given" && each.tasks.includes(id) ? [each.how] : []));
    const isParentThere = sessions.get(parent)!.exists;
    if (given.length > 1 || (given.length === 0 && isParentThere))
      problems.push(`${name} was given ${given.length} times`);
    const times = told.get(name) ?? 0;
    if (times > 1) problems.push(`${parent} was told ${times} times about ${name}`);
    if (times === 0 && given[0] === "delivery") problems.push(`${parent} was not told about ${name}`);
    const isLost = given[0] === "nobody" && isParentThere && parent.startsWith("parent");
    if (isLost) problems.push(`nobody was told about ${name}`);
  }
  for (const { id, stage } of [...state.tasks.values()].filter(isOpen)) problems.push(`${id} is still ${stage.kind}`);
  const { used } = slotsInUse(state);
  if (used.size > 0) problems.push(`slots are still in use: ${[...used.keys()].join(", ")}`);
  for (const { id, isBusy } of sessions.values())
    if (isBusy && id.startsWith("task")) problems.push(`${id} works on without anyone`);
  return problems;
}
