// What a run did, in the order in which it began. Pure.
import type { JournalEntry, RunEvent } from "@atomic/workflows/internal/run/events";
import { outermostNode } from "@atomic/workflows/internal/run/fold/run-events";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { Cost } from "./call-index.ts";
import { kindsOf, meaningOf } from "./node-kinds.ts";
import { idleBetween, type RunView } from "./run-view.ts";

export type TimelineRow =
  | CallRow
  /** Something that happened to the run as a whole. */
  | { readonly kind: "mark"; readonly at: number; readonly text: string };

interface CallRow {
  readonly kind: "call";
  readonly key: string;
  /** What kind of node it is of; of a helper step, what it helps with. */
  readonly what: string;
  readonly status: "running" | "waiting" | "retrying" | "done" | "failed" | "interrupted" | "dropped";
  readonly at: number;
  /** From the beginning of the first attempt to the end of the last, for a step without the time when no process worked on it. */
  readonly ms?: number;
  readonly cost: Cost;
  readonly attempts: number;
  readonly error?: string;
  /** What to do about the error. */
  readonly hint?: string;
  /** Of a question. */
  readonly answer?: Json;
  /** Who answered, if the engine knows. */
  readonly by?: string;
  /** The way that a decision took. */
  readonly took?: string;
}

export function timelineOf(entries: readonly JournalEntry[], view: RunView): readonly TimelineRow[] {
  const kinds = kindsOf(view.state.graph);
  const seen = new Set<string>();
  const senders = new Map<string, string>();
  let rows: TimelineRow[] = [];
  const hasAgents = [...kinds.values()].some((kind) => kind === "agent" || kind === "skill" || kind === "command");
  let machine: string | undefined;
  for (const { event } of entries) {
    switch (event.type) {
      case "run-claimed": {
        const { host } = event.owner;
        // The step that an agent worked on is repeated there in a new session.
        const lost = hasAgents ? `; agents' sessions on ${machine} are lost` : "";
        const moved = machine === undefined || machine === host ? "" : ` on ${host}${lost}`;
        rows.push({ kind: "mark", at: event.at, text: `run by process ${event.owner.pid}${moved}` });
        machine = host;
        break;
      }
      case "step-started":
      case "step-finished": // a local step is not announced
      case "step-failed":
      case "sleep-started":
      case "wait-started": {
        if (seen.has(event.key)) break;
        seen.add(event.key);
        const row = callRow(event.key, view, kinds);
        if (row !== undefined) rows.push(row);
        break;
      }
      case "run-revised": {
        const { restart } = event;
        rows.push({ kind: "mark", at: event.at, text: describeMark(event) ?? "" });
        if (restart === undefined) break;
        // The state has only what came after it.
        const isKept = (key: string): boolean => restart.keep.includes(outermostNode(key));
        rows = rows.filter((row) => row.kind === "mark" || isKept(row.key));
        for (const key of seen) if (!isKept(key)) seen.delete(key);
        break;
      }
      default: {
        if (event.type === "signal-received" && event.by !== undefined && !senders.has(event.key)) {
          senders.set(event.key, event.by);
        }
        const text = describeMark(event);
        if (text !== undefined) rows.push({ kind: "mark", at: event.at, text });
      }
    }
  }
  return rows.map((row) => {
    const by = row.kind === "call" && row.answer !== undefined ? senders.get(row.key) : undefined;
    return by === undefined ? row : { ...row, by };
  });
}

function describeMark(event: RunEvent): string | undefined {
  switch (event.type) {
    case "run-released":
      return "stopped (can be resumed)";
    case "run-reopened":
      return "retrying the failed step";
    case "run-revised":
      return event.restart === undefined
        ? "the workflow has changed: continues with its functions as they are now"
        : `the workflow runs again from ${event.restart.from}`;
    case "run-paused":
      return `paused: ${event.reason}`;
    case "run-resumed":
      return "resumed after the pause";
    case "run-cancel-requested":
      return "cancellation requested";
    case "budget-exceeded":
      return `stopped: ${event.exceeded.limit} limit reached`;
    case "budget-set":
      return "budget changed";
    case "run-ended":
      return event.outcome.kind;
    default:
      return undefined;
  }
}

/** Internal calls are of interest only when they hang or fail. */
function callRow(
  key: string,
  { state, times, spent, idle }: RunView,
  kinds: ReturnType<typeof kindsOf>,
): CallRow | undefined {
  const call = state.calls.get(key);
  const time = times.get(key);
  if (call === undefined || call.kind === "fork" || time === undefined) return undefined;
  const step = call.kind === "step" ? call : undefined;
  const phase = call.kind === "step" ? call.phase.kind : call.phase;
  const status = (
    {
      open: "waiting",
      closed: "interrupted",
      abandoned: "dropped",
      ended: "done",
      signalled: "done",
      "timed-out": "done",
      finished: "done",
      running: "running",
      retrying: "retrying",
      failed: "failed",
      interrupted: "interrupted",
    } as const
  )[phase];
  const what = meaningOf(key, kinds);
  if (what.isHelper && status === "done") return undefined;
  const { startedAt, endedAt } = time;
  // An answer takes its time whether a process works on the run or not.
  const idleMs = step === undefined || endedAt === undefined ? 0 : idleBetween(startedAt, endedAt, idle);
  const failure = step !== undefined && "error" in step.phase ? step.phase.error : undefined;
  const result = step?.phase.kind === "finished" ? step.phase.result : undefined;
  return {
    kind: "call",
    key,
    what: what.text,
    status,
    at: startedAt,
    ...(endedAt !== undefined && { ms: endedAt - startedAt - idleMs }),
    cost: spent.get(key) ?? { usd: 0, tokens: 0 },
    attempts: step?.attempt ?? 1,
    ...(failure !== undefined && { error: failure.message }),
    ...(failure?.hint !== undefined && { hint: failure.hint }),
    ...(call.kind === "wait" && call.phase === "timed-out" && { error: "timed out waiting for an answer" }),
    ...(call.kind === "wait" && state.signals.has(key) && { answer: state.signals.get(key) ?? null }),
    ...(what.text === "decision" && result !== undefined && "value" in result && { took: String(result.value) }),
  };
}
