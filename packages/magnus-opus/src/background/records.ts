// What must survive a crash, as records of a journal, and the state that follows from them.
import * as z from "zod/mini";
import { apply } from "./apply.ts";
import { withTask } from "./change.ts";
import {
  type BackgroundLimits,
  type BackgroundState,
  type BackgroundTask,
  isOpen,
  nothingYet,
  type Outcome,
} from "./task.ts";

const text = z.string();
const count = z.int().check(z.gte(0));

const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("completed"), text, openTodos: count }),
  z.object({ kind: z.literal("failed"), why: text, text: z.optional(text) }),
  z.object({ kind: z.enum(["cancelled", "refused", "timed-out"]), why: text }),
  z.object({ kind: z.enum(["deleted", "interrupted"]) }),
]);

const task = z.object({
  ...{ id: text, turn: count, parent: text, root: text, depth: count, agent: text, description: text, model: text },
  after: text,
});

const record = z.discriminatedUnion("type", [
  z.object({ type: z.literal("launched"), at: z.number(), task }),
  z.object({ type: z.literal("ended"), at: z.number(), id: text, outcome }),
  /** Whether something may wake the session. */
  z.object({ type: z.literal("stopped"), at: z.number(), session: text, isStopped: z.boolean() }),
  z.object({ type: z.literal("sending"), at: z.number(), delivery: text, tasks: z.array(text) }),
  z.object({
    type: z.literal("given"),
    at: z.number(),
    how: z.enum(["delivery", "nobody"]),
    tasks: z.array(text),
  }),
]);

export type BackgroundRecord = z.infer<typeof record>;

/** Undefined for a record that this version does not know. */
export function readBackgroundRecord(value: unknown): BackgroundRecord | undefined {
  return record.safeParse(value).data;
}

/** What happened between two states, as far as it must be remembered. It is on disk before anything is done about it. */
export function recordsBetween(before: BackgroundState, after: BackgroundState): readonly BackgroundRecord[] {
  const { at } = after;
  const [launched, ended]: [BackgroundRecord[], BackgroundRecord[]] = [[], []];
  const sending = new Map<string, string[]>();
  const given = new Map<string, string[]>();
  const add = (to: Map<string, string[]>, key: string, id: string): unknown =>
    to.set(key, [...(to.get(key) ?? []), id]);
  for (const now of after.tasks.values()) {
    const then = before.tasks.get(now.id);
    if (then === now) continue;
    const { id, turn, parent, root, depth, agent, description, model, after: last, stage, notice } = now;
    const isNew = then?.turn !== turn;
    if (isNew) {
      const start = { id, turn, parent, root, depth, agent, description, model, after: last };
      launched.push({ type: "launched", at, task: start });
    }
    if (stage.kind === "over" && (isNew || isOpen(then)))
      ended.push({ type: "ended", at, id, outcome: stage.outcome as Outcome });
    const old = isNew ? undefined : then.notice;
    if (notice.kind === "sending" && (old?.kind !== "sending" || old.delivery !== notice.delivery))
      add(sending, notice.delivery, id);
    if (notice.kind === "given" && old?.kind !== "given") add(given, notice.how, id);
  }
  const stopped = [...after.parents].filter(
    ([session, { isStopped }]) => isStopped !== (before.parents.get(session)?.isStopped ?? false),
  );
  return [
    ...launched,
    ...stopped.map(([session, { isStopped }]) => ({ type: "stopped", at, session, isStopped }) as const),
    ...ended,
    ...[...sending].map(([delivery, tasks]) => ({ type: "sending", at, delivery, tasks }) as const),
    ...[...given].map(([how, tasks]) => ({ type: "given", at, how, tasks }) as BackgroundRecord),
  ];
}

/** The state after these records, before anyone has asked OpenCode what became of the rest. */
export function stateOf(records: readonly BackgroundRecord[], limits: BackgroundLimits): BackgroundState {
  let state = nothingYet;
  for (const each of records) {
    const { at } = each;
    if (each.type === "launched") {
      state = apply(state, { type: "launched", at, task: each.task, isAwaited: false }, limits);
      // A stopped parent ends it at once, but that is a record of its own, which a crash may have prevented.
      state = withTask(state, each.task.id, { stage: { kind: "queued" }, notice: { kind: "due" } });
      continue;
    }
    if (each.type === "stopped") {
      const known = state.parents.get(each.session);
      if (known === undefined) continue;
      const parents = new Map(state.parents).set(each.session, { ...known, isStopped: each.isStopped });
      state = { ...state, parents };
      continue;
    }
    const tasks = new Map(state.tasks);
    for (const id of each.type === "ended" ? [each.id] : each.tasks) {
      const found = tasks.get(id);
      if (found !== undefined) tasks.set(id, { ...found, ...changeOf(each) });
    }
    const deliveries = state.deliveries + (each.type === "sending" ? 1 : 0);
    state = { ...state, at: Math.max(state.at, at), tasks, deliveries };
  }
  return state;
}

function changeOf(record: Exclude<BackgroundRecord, { type: "launched" | "stopped" }>): Partial<BackgroundTask> {
  const { at } = record;
  switch (record.type) {
    case "ended":
      return { stage: { kind: "over", at, outcome: record.outcome, mustAbort: false, isFree: false } };
    case "sending":
      return { notice: { kind: "sending", delivery: record.delivery, since: at, isUnsure: false, tries: 0 } };
    case "given":
      return { notice: { kind: "given", how: record.how } };
  }
}
