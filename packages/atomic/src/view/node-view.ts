// What became of each node of a graph so far: a tree for pictures of a run. Pure.
import type { GraphJson, NodeJson, NodesJson, ParallelJson } from "@atomic/workflows/graph/graph-json";
import type { Json } from "@atomic/workflows/run/json";
import type { CallState, RunStatus, StepState } from "@atomic/workflows/run/run-state";
import { type CallIndex, type Cost, indexCalls } from "./call-index.ts";
import { idleBetween } from "./idle-time.ts";
import { labelOf } from "./node-label.ts";
import type { RunView } from "./run-view.ts";

export type NodeStatus =
  | "pending"
  | "running"
  | "retrying"
  /** For an answer, or a date. */
  | "waiting"
  | "done"
  | "failed"
  /** Under way, but nobody works on the run. */
  | "interrupted"
  /** Not needed any more: another branch was faster, or failed. */
  | "dropped";

export interface NodeView {
  /** Of the node in the run; the key of its step. */
  readonly path: string;
  readonly name: string;
  /** What kind of node it is, in a few words. */
  readonly label: string;
  readonly status: NodeStatus;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** Of the time between them, while nobody worked on the run; none for who is asked. */
  readonly idleMs: number;
  /** With all that is inside. */
  readonly cost: Cost;
  readonly attempt: number;
  readonly error?: string;
  /** When it goes on: a retry, a date. */
  readonly until?: number;
  /** Of the branch of a run that is there, what it is at. */
  readonly inside: readonly NodeView[];
}

export function nodeViews(graph: GraphJson, view: RunView): readonly NodeView[] {
  return new Reader(view).sequence(graph.nodes, "", view.state.status.kind === "done");
}

class Reader {
  readonly #view: RunView;
  readonly #index: CallIndex;
  readonly #isWorkedOn: boolean;

  constructor(view: RunView) {
    this.#view = view;
    this.#index = indexCalls(view);
    this.#isWorkedOn = workedOn.includes(view.state.status.kind);
  }

  /** Nodes one after the other: what has begun says that all before it is over. */
  sequence(nodes: NodesJson, prefix: string, isOver: boolean): readonly NodeView[] {
    const begun = nodes.findLastIndex(({ id }) => this.#index.has(prefix + id));
    return nodes.map((node, at) => this.#node(node, prefix + node.id, isOver || at < begun));
  }

  #node(node: NodeJson, path: string, isPast: boolean): NodeView {
    const { state } = this.#view;
    const call = this.#mainCall(path);
    const inside = this.#index.has(path) ? this.#inside(node, path, isPast) : [];
    const status = this.#isCause(path) ? "failed" : this.#status(node, path, call, inside, isPast);
    const step = call?.kind === "step" ? call : undefined;
    return {
      path,
      name: node.id,
      label: labelOf(node, this.#index.turnOf(path), this.#tasksAt(node, path)),
      status,
      ...this.#time(path, status === "done" || status === "failed" || status === "dropped"),
      ...((node.kind === "wait" || node.kind === "ask-user") && { idleMs: 0 }),
      cost: this.#index.costOf(path),
      attempt: step?.attempt ?? 1,
      ...errorIn(step, state.status, status, path),
      ...untilIn(call),
      inside,
    };
  }

  #time(path: string, isOver: boolean): Pick<NodeView, "startedAt" | "endedAt" | "idleMs"> {
    const startedAt = this.#index.startOf(path);
    const endedAt = isOver ? this.#index.endOf(path) : undefined;
    const idleMs =
      startedAt === undefined ? 0 : idleBetween(startedAt, endedAt ?? Number.POSITIVE_INFINITY, this.#view.gaps);
    return { startedAt, endedAt, idleMs };
  }

  /** It made the run fail, or holds what did. */
  #isCause(path: string): boolean {
    const { status } = this.#view.state;
    const { key = "" } = status.kind === "failed" ? status.error : {};
    return key.startsWith(path) && /^(?:$|[/.#:!?])/.test(key.slice(path.length));
  }

  /** A node that sends a prompt opens a session first. */
  #mainCall(path: string): CallState | undefined {
    const { calls } = this.#view.state;
    const own = calls.get(path);
    const session = own === undefined ? calls.get(`${path}:session`) : undefined;
    if (session?.kind === "step" && session.phase.kind === "finished") {
      return { ...session, phase: { kind: "running", since: 0 } };
    }
    return own ?? session;
  }

  #status(
    { kind }: NodeJson,
    path: string,
    call: CallState | undefined,
    inside: readonly NodeView[],
    isPast: boolean,
  ): NodeStatus {
    if (!this.#index.has(path)) return isPast ? "done" : "pending";
    if (inside.length > 0) return this.#around(call, inside, isPast);
    // What was decided is not yet done.
    const own = call === undefined || kind === "decision" ? undefined : statusOf(call);
    if (own === undefined) return isPast ? "done" : this.#open("running");
    return own === "running" ? this.#open(this.#isAsking(call) ? "waiting" : "running") : this.#open(own);
  }

  /** What holds nodes is at what they are at. */
  #around(call: CallState | undefined, inside: readonly NodeView[], isPast: boolean): NodeStatus {
    if (isPast || (call?.kind === "fork" && call.ending?.ok === true)) return "done";
    const has = (status: NodeStatus): boolean => inside.some((each) => each.status === status);
    if (call?.kind === "fork" && call.ending?.ok === false) return "failed";
    if (!this.#isWorkedOn) return has("failed") ? "failed" : "interrupted";
    if (has("running")) return "running";
    if (has("retrying")) return "retrying";
    return has("waiting") ? "waiting" : "running";
  }

  #open(status: NodeStatus): NodeStatus {
    const isOpen = status === "running" || status === "retrying";
    return isOpen && !this.#isWorkedOn ? "interrupted" : status;
  }

  #isAsking(call: CallState | undefined): boolean {
    if (call?.kind !== "step") return false;
    const { calls } = this.#view.state;
    return (call.questions ?? []).some((key) => {
      const question = calls.get(key);
      return question?.kind === "wait" && question.phase === "open";
    });
  }

  #inside(node: NodeJson, path: string, isPast: boolean): readonly NodeView[] {
    const handler = "onError" in node && node.onError !== undefined && node.onError !== "continue" ? node.onError : [];
    return [...this.#parts(node, path, isPast), ...this.#begunOnly(handler, `${path}!`, isPast)];
  }

  #parts(node: NodeJson, path: string, isPast: boolean): readonly NodeView[] {
    switch (node.kind) {
      case "decision":
        return [...node.routes, { nodes: node.otherwise }].flatMap(({ nodes }, at) =>
          this.#begunOnly(nodes, `${path}.${at}`, isPast),
        );
      case "parallel":
        return node.branches.map((_, at) => this.#branch(node, path, at, isPast));
      case "loop":
      case "criteria-loop":
      case "task-loop":
        return this.#turn(node.nodes, `${path}#${this.#index.turnOf(path)}`, isPast);
      case "try":
        return [
          ...this.sequence(node.nodes, `${path}/`, isPast || this.#index.has(`${path}!`)),
          ...this.#begunOnly(node.handler, `${path}!`, isPast),
        ];
      case "subgraph":
        return this.sequence(node.graph?.nodes ?? [], `${path}/`, isPast);
      default:
        return [];
    }
  }

  /** Several tasks at a time are branches of a turn. */
  #turn(nodes: NodesJson, path: string, isPast: boolean): readonly NodeView[] {
    const fork = this.#view.state.calls.get(path);
    if (fork?.kind !== "fork") return this.sequence(nodes, `${path}/`, isPast || this.#index.has(`${path}:settle`));
    return fork.branches.flatMap((_, at) => {
      const branch = `${path}.${at}`;
      return this.sequence(nodes, `${branch}/`, isPast || this.#index.has(`${branch}:settle`));
    });
  }

  /** What may or may not be taken is shown once it is. */
  #begunOnly(nodes: NodesJson, path: string, isPast: boolean): readonly NodeView[] {
    return this.#index.has(path) ? this.sequence(nodes, `${path}/`, isPast) : [];
  }

  #branch({ branches }: ParallelJson, path: string, at: number, isPast: boolean): NodeView {
    const call = this.#view.state.calls.get(path);
    const ending = call?.kind === "fork" ? call.branches[at] : undefined;
    const isCut = call?.kind === "fork" && call.phase === "ended" && ending === undefined;
    const { label = String(at), nodes = [] } = branches[at] ?? {};
    const own = `${path}.${at}`;
    const inside = this.sequence(nodes, `${own}/`, isPast || ending?.ok === true);
    const status = this.#branchStatus(own, { isCut, ok: ending?.ok }, inside, isPast);
    return {
      path: own,
      name: label,
      label: "",
      status,
      ...this.#time(own, ending !== undefined || isCut),
      cost: this.#index.costOf(own),
      attempt: 1,
      inside,
    };
  }

  #branchStatus(
    path: string,
    { isCut, ok }: { readonly isCut: boolean; readonly ok: boolean | undefined },
    inside: readonly NodeView[],
    isPast: boolean,
  ): NodeStatus {
    if (isCut) return "dropped";
    if (ok !== undefined) return ok ? "done" : "failed";
    return this.#index.has(path) ? this.#around(undefined, inside, isPast) : "pending";
  }

  /** Names of what a task loop works on in its last turn. */
  #tasksAt(node: NodeJson, path: string): readonly string[] {
    if (node.kind !== "task-loop") return [];
    const pick = this.#view.state.calls.get(`${path}#${this.#index.turnOf(path)}:pick`);
    if (pick?.kind !== "step" || pick.phase.kind !== "finished" || !("value" in pick.phase.result)) return [];
    const { tasks } = (pick.phase.result.value ?? {}) as {
      readonly tasks?: readonly { readonly [key: string]: Json }[];
    };
    return (tasks ?? []).map(({ id, name }) => (typeof name === "string" ? `${id} ${name}` : String(id)));
  }
}

const workedOn: readonly RunStatus["kind"][] = ["running", "waiting", "paused", "cancelling"];

function statusOf(call: CallState): NodeStatus {
  if (call.kind !== "step") {
    if (call.phase === "open") return call.kind === "fork" ? "running" : "waiting";
    return call.phase === "abandoned" ? "dropped" : "done";
  }
  const { kind } = call.phase;
  if (kind === "finished") return "done";
  return kind === "abandoned" ? "dropped" : kind;
}

/** A failure that no step has: a loop that ended before it was done, a question that nobody answered. */
function errorIn(
  step: StepState | undefined,
  run: RunStatus,
  status: NodeStatus,
  path: string,
): { readonly error?: string } {
  if (step?.phase.kind === "failed" || step?.phase.kind === "retrying") return { error: step.phase.error.message };
  return status === "failed" && run.kind === "failed" && run.error.key === path ? { error: run.error.message } : {};
}

function untilIn(call: CallState | undefined): { readonly until?: number } {
  if (call?.kind === "step") return call.phase.kind === "retrying" ? { until: call.phase.at } : {};
  if (call?.kind === "fork" || call?.phase !== "open" || call.until === undefined) return {};
  return { until: call.until };
}
