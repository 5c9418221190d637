// What a run did, in the order in which it began. Pure.
import type { JournalEntry, RunEvent } from "@atomic/workflows/run/events";
import type { Json } from "@atomic/workflows/run/json";
import type { CallState } from "@atomic/workflows/run/run-state";
import type { ErrorRecord } from "@atomic/workflows/run/step-errors";
import type { Cost } from "./call-index.ts";
import { idleBetween } from "./idle-time.ts";
import { kindsOf, meaningOf, type NodeKinds } from "./node-kinds.ts";
import type { RunView } from "./run-view.ts";

export type TimelineRow = CallRow | MarkRow;

export interface CallRow {
  readonly kind: "call";
  readonly key: string;
  /** What kind of node it is of; of a helper step, what it helps with. */
  readonly what: string;
  readonly status: "running" | "waiting" | "retrying" | "done" | "failed" | "interrupted" | "dropped";
  readonly at: number;
  /** From the beginning of the first attempt to the end of the last, of a step without the time that nobody worked. */
  readonly ms?: number;
  readonly cost: Cost;
  readonly attempts: number;
  readonly error?: string;
  /** What to do about the error. */
  readonly hint?: string;
  /** Of a question. */
  readonly answer?: Json;
  /** The way that a decision took. */
  readonly took?: string;
}

/** Something that happened to the run as a whole. */
export interface MarkRow {
  readonly kind: "mark";
  readonly at: number;
  readonly text: string;
}

export function timelineOf(entries: readonly JournalEntry[], view: RunView): readonly TimelineRow[] {
  const kinds = kindsOf(view.state.graph);
  const told = new Set<string>();
  const rows: TimelineRow[] = [];
  for (const { event } of entries) {
    const mark = markOf(event);
    if (mark !== undefined) rows.push({ kind: "mark", at: event.at, text: mark });
    const key = beginningOf(event);
    if (key === undefined || told.has(key)) continue;
    told.add(key);
    const row = rowOf(key, view, kinds);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function beginningOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "step-started":
    case "step-finished": // a local step is not announced
    case "step-failed":
    case "sleep-started":
    case "wait-started":
      return event.key;
    default:
      return undefined;
  }
}

function markOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "run-claimed":
      return `taken by process ${event.owner.pid}`;
    case "run-released":
      return "stopped (can be resumed)";
    case "run-reopened":
      return "what had failed is tried again";
    case "run-paused":
      return `paused: ${event.reason}`;
    case "run-resumed":
      return "continues after the pause";
    case "run-cancel-requested":
      return "to be cancelled";
    case "budget-exceeded":
      return `stopped: ${event.exceeded.limit} used up`;
    case "budget-set":
      return "another budget";
    case "run-ended":
      return event.outcome.kind;
    default:
      return undefined;
  }
}

/** What goes on behind the scenes is of interest only where it hangs or fails. */
function rowOf(key: string, { state, times, spent, gaps }: RunView, kinds: NodeKinds): CallRow | undefined {
  const call = state.calls.get(key);
  const time = times.get(key);
  if (call === undefined || call.kind === "fork" || time === undefined) return undefined;
  const what = meaningOf(key, kinds);
  const status = statusOf(call);
  if (what.isHelper && status === "done") return undefined;
  const step = call.kind === "step" ? call : undefined;
  // Who is asked takes their time whether somebody works on the run or not.
  const idle = (end: number): number => (step === undefined ? 0 : idleBetween(time.startedAt, end, gaps));
  return {
    kind: "call",
    key,
    what: what.text,
    status,
    at: time.startedAt,
    ...(time.endedAt !== undefined && { ms: time.endedAt - time.startedAt - idle(time.endedAt) }),
    cost: spent.get(key) ?? { usd: 0, tokens: 0 },
    attempts: step?.attempt ?? 1,
    ...(step !== undefined && "error" in step.phase && failureOf(step.phase.error)),
    ...(call.kind === "wait" && call.phase === "timed-out" && { error: "no answer came in time" }),
    ...(call.kind === "wait" && state.signals.has(key) && { answer: state.signals.get(key) ?? null }),
    ...(what.text === "decision" && tookOf(call)),
  };
}

function failureOf({ message, hint }: ErrorRecord): Pick<CallRow, "error" | "hint"> {
  return { error: message, ...(hint !== undefined && { hint }) };
}

function tookOf(call: CallState): { readonly took?: string } {
  if (call.kind !== "step" || call.phase.kind !== "finished" || !("value" in call.phase.result)) return {};
  return { took: String(call.phase.result.value) };
}

function statusOf(call: Exclude<CallState, { kind: "fork" }>): CallRow["status"] {
  if (call.kind !== "step") {
    if (call.phase === "open") return "waiting";
    return call.phase === "abandoned" ? "dropped" : call.phase === "closed" ? "interrupted" : "done";
  }
  const { kind } = call.phase;
  return kind === "finished" ? "done" : kind === "abandoned" ? "dropped" : kind;
}
