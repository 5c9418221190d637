// What became of each node of a graph so far: a tree for pictures of a run. Pure.
import type { GraphJson, MapJson, NodeJson, NodeKind, NodesJson } from "@atomic/workflows/internal/graph/graph-json";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { CallState, ForkState, RunStatus } from "@atomic/workflows/internal/run/run-state";
import { type CallIndex, type Cost, indexCalls } from "./call-index.ts";
import { idleBetween, type RunView } from "./run-view.ts";

export type NodeStatus =
  | "pending"
  | "running"
  | "retrying"
  /** For an answer, or a date. */
  | "waiting"
  | "done"
  | "failed"
  /** Under way, but no process works on the run. */
  | "interrupted"
  /** No longer needed: another branch was faster, or failed. */
  | "dropped";

export interface NodeView {
  /** Of the node in the run; the key of its step. */
  readonly path: string;
  readonly name: string;
  /** `part`: a branch, an item or an iteration. */
  readonly kind: NodeKind | "part";
  /** What kind of node it is, in a few words. */
  readonly label: string;
  readonly status: NodeStatus;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** How much of the time between them no process worked on the run; 0 for a question. */
  readonly idleMs: number;
  /** With all that is inside. */
  readonly cost: Cost;
  readonly attempt: number;
  /** Of a finished map: the first item that failed while the others continued. */
  readonly error: string | undefined;
  /** When it continues: a retry, a date. */
  readonly until: number | undefined;
  /** The nodes that it contains. */
  readonly inside: readonly NodeView[];
}

/**
 * Without `isWhole`, what is over is left out where there may be much of it: earlier iterations of a loop, and items that are
 * done.
 */
export function nodeViews(graph: GraphJson, view: RunView, isWhole = false): readonly NodeView[] {
  return new NodeViewer(view, isWhole).sequence(graph.nodes, "", view.state.status.kind === "done");
}

/** Whether a map contains failed items although it is done, or one inside does. */
export function hasFailedItems({ status, error, inside }: NodeView): boolean {
  return (status === "done" && error !== undefined) || inside.some(hasFailedItems);
}

/** With `onItemError: "continue"`, a failed item ends like the others, with its failure as the result. */
export function itemFailure(ending: ForkState["branches"][number]): string | undefined {
  if (ending?.ok !== true || !("value" in ending.result)) return undefined;
  const { failed } = (ending.result.value ?? {}) as { readonly failed?: { readonly message: string } };
  return failed?.message;
}

const workedOn: readonly RunStatus["kind"][] = ["running", "waiting", "paused", "cancelling"];

class NodeViewer {
  readonly #view: RunView;
  readonly #index: CallIndex;
  readonly #isWorkedOn: boolean;
  readonly #isWhole: boolean;

  constructor(view: RunView, isWhole: boolean) {
    this.#view = view;
    this.#isWhole = isWhole;
    this.#index = indexCalls(view);
    this.#isWorkedOn = workedOn.includes(view.state.status.kind);
  }

  /** Nodes one after the other: once one has begun, all before it are over. */
  sequence(nodes: NodesJson, prefix: string, isOver: boolean): readonly NodeView[] {
    const begun = nodes.findLastIndex(({ id }) => this.#index.has(prefix + id));
    return nodes.map((node, at) => this.#node(node, prefix + node.id, isOver || at < begun));
  }

  #node(node: NodeJson, path: string, isPast: boolean): NodeView {
    const { calls, status: run } = this.#view.state;
    const own = calls.get(path);
    const session = own === undefined ? calls.get(`${path}:session`) : undefined;
    // A node that sends a prompt opens a session first. Once that is open, the node is running.
    const call: CallState | undefined =
      session?.kind === "step" && session.phase.kind === "finished"
        ? { ...session, phase: { kind: "running", since: 0 } }
        : (own ?? session);
    const inside = this.#index.has(path) ? this.#inside(node, path, isPast) : [];
    // It made the run fail, or contains what did.
    const { key: failedKey = "" } = run.kind === "failed" ? run.error : {};
    const isCause = failedKey.startsWith(path) && /^(?:$|[/.#:!?])/.test(failedKey.slice(path.length));
    const status = isCause ? "failed" : this.#status(node, path, call, inside, isPast);
    const step = call?.kind === "step" ? call : undefined;
    const stepError = step !== undefined && "error" in step.phase ? step.phase.error.message : undefined;
    // A failure that no step has: a loop that ended before it was done, a question that was not answered.
    const runError =
      status === "failed" && run.kind === "failed" && run.error.key === path ? run.error.message : undefined;
    const retryAt = step?.phase.kind === "retrying" ? step.phase.at : undefined;
    const openUntil = call !== undefined && "until" in call && call.phase === "open" ? call.until : undefined;
    return {
      path,
      name: node.id,
      kind: node.kind,
      label: this.#label(node, path),
      status,
      ...this.#time(path, status === "done" || status === "failed" || status === "dropped"),
      ...((node.kind === "wait" || node.kind === "ask-user") && { idleMs: 0 }),
      cost: this.#index.costOf(path),
      attempt: step?.attempt ?? 1,
      error:
        stepError ?? runError ?? (status === "done" && node.kind === "map" ? this.#failedItems(path)[0] : undefined),
      until: retryAt ?? openUntil,
      inside,
    };
  }

  #time(path: string, isOver: boolean): Pick<NodeView, "startedAt" | "endedAt" | "idleMs"> {
    const startedAt = this.#index.startOf(path);
    const endedAt = isOver ? this.#index.endOf(path) : undefined;
    const idleMs =
      startedAt === undefined ? 0 : idleBetween(startedAt, endedAt ?? Number.POSITIVE_INFINITY, this.#view.idle);
    return { startedAt, endedAt, idleMs };
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
    const open = this.#isWorkedOn ? "running" : "interrupted";
    // A decision that has been made is not yet done.
    if (call === undefined || kind === "decision") return isPast ? "done" : open;
    if (call.kind !== "step") {
      if (call.phase === "open") return call.kind === "fork" ? open : "waiting";
      return call.phase === "abandoned" ? "dropped" : "done";
    }
    if (call.phase.kind === "finished") return "done";
    if (call.phase.kind === "abandoned") return "dropped";
    if (call.phase.kind === "retrying") return this.#isWorkedOn ? "retrying" : "interrupted";
    if (call.phase.kind !== "running") return call.phase.kind;
    const isAsking = (call.questions ?? []).some((key) => {
      const question = this.#view.state.calls.get(key);
      return question?.kind === "wait" && question.phase === "open";
    });
    return isAsking ? "waiting" : open;
  }

  /** A node that contains others has their status. */
  #around(call: CallState | undefined, inside: readonly NodeView[], isPast: boolean): NodeStatus {
    if (isPast || (call?.kind === "fork" && call.ending?.ok === true)) return "done";
    if (call?.kind === "fork" && call.ending?.ok === false) return "failed";
    const found = new Set(inside.map(({ status }) => status));
    if (!this.#isWorkedOn) return found.has("failed") ? "failed" : "interrupted";
    if (found.has("running")) return "running";
    if (found.has("retrying")) return "retrying";
    return found.has("waiting") ? "waiting" : "running";
  }

  #inside(node: NodeJson, path: string, isPast: boolean): readonly NodeView[] {
    const { calls } = this.#view.state;
    const found: NodeView[] = [];
    switch (node.kind) {
      case "decision":
        for (const [at, { nodes }] of [...node.routes, { nodes: node.otherwise }].entries()) {
          found.push(...this.#begunOnly(nodes, `${path}.${at}`, isPast));
        }
        break;
      case "parallel": {
        const fork = calls.get(path);
        for (const [at, { label = String(at), nodes }] of node.branches.entries()) {
          const own = `${path}.${at}`;
          const ending = fork?.kind === "fork" ? fork.branches[at] : undefined;
          const isCut = fork?.kind === "fork" && fork.phase === "ended" && ending === undefined;
          const inside = this.sequence(nodes, `${own}/`, isPast || ending?.ok === true);
          const open = this.#index.has(own) ? this.#around(undefined, inside, isPast) : "pending";
          const status = isCut ? "dropped" : ending === undefined ? open : ending.ok ? "done" : "failed";
          found.push(this.#part(own, { name: label, status, inside }, ending !== undefined || isCut));
        }
        break;
      }
      case "map":
        for (const name of this.#index.itemsOf(path)) {
          const item = this.#item(node, path, name, isPast);
          if (this.#isWhole || item.status !== "done" || hasFailedItems(item)) found.push(item);
        }
        break;
      case "loop":
      case "criteria-loop":
      case "task-loop": {
        const last = this.#index.iterationOf(path);
        for (let number = this.#isWhole ? Math.min(1, last) : last; number <= last; number += 1) {
          const iteration = `${path}#${number}`;
          const fork = calls.get(iteration);
          // Several tasks at a time are branches of one iteration.
          const parts = fork?.kind === "fork" ? fork.branches.map((_, at) => `${iteration}.${at}`) : [iteration];
          const isOver = isPast || number < last;
          const inside = parts.flatMap((part) =>
            this.sequence(node.nodes, `${part}/`, isOver || this.#index.has(`${part}:settle`)),
          );
          if (this.#isWhole && last > 1) {
            const status = isOver ? "done" : this.#around(undefined, inside, false);
            found.push(this.#part(iteration, { name: `iteration ${number}`, status, inside }, isOver));
          } else found.push(...inside);
        }
        break;
      }
      case "try":
        found.push(...this.sequence(node.nodes, `${path}/`, isPast || this.#index.has(`${path}!`)));
        found.push(...this.#begunOnly(node.handler, `${path}!`, isPast));
        break;
      case "subgraph":
        found.push(...this.sequence(node.graph?.nodes ?? [], `${path}/`, isPast));
        break;
    }
    const handler = "onError" in node && node.onError !== undefined && node.onError !== "continue" ? node.onError : [];
    return [...found, ...this.#begunOnly(handler, `${path}!`, isPast)];
  }

  /** An item of a map; if it has only one node, that node stands for it. */
  #item(node: MapJson, path: string, name: string, isPast: boolean): NodeView {
    const own = `${path}.${name}`;
    const { status: run } = this.#view.state;
    const isCause = run.kind === "failed" && run.error.key?.startsWith(`${own}/`) === true;
    // Between two of its nodes, nothing of an item is open either; but that takes no time.
    const isOver = isPast || (this.#index.endOf(own) !== undefined && !isCause);
    const inside = this.sequence(node.nodes, `${own}/`, isOver);
    const [only] = inside;
    if (only !== undefined && inside.length === 1) return { ...only, name };
    const status = isCause ? "failed" : isOver ? "done" : this.#around(undefined, inside, isPast);
    return this.#part(own, { name, status, inside }, isOver);
  }

  /** What has a path but is not a node: a branch, an item, an iteration. */
  #part(path: string, about: Pick<NodeView, "name" | "status" | "inside">, isOver: boolean): NodeView {
    const rest = { kind: "part", label: "", attempt: 1, error: undefined, until: undefined } as const;
    return { path, ...about, ...rest, ...this.#time(path, isOver), cost: this.#index.costOf(path) };
  }

  #failedItems(path: string): readonly string[] {
    const fork = this.#view.state.calls.get(path);
    return fork?.kind === "fork" ? fork.branches.flatMap((ending) => itemFailure(ending) ?? []) : [];
  }

  /** An optional part is shown only once it has begun. */
  #begunOnly(nodes: NodesJson, path: string, isPast: boolean): readonly NodeView[] {
    return this.#index.has(path) ? this.sequence(nodes, `${path}/`, isPast) : [];
  }

  /** What kind of node it is, in a few words; for a loop, where it is. */
  #label(node: NodeJson, path: string): string {
    const iteration = this.#index.iterationOf(path);
    switch (node.kind) {
      case "agent":
        return node.agent === undefined ? "agent" : `agent ${node.agent}`;
      case "skill":
        return `skill ${node.skill}`;
      case "command":
        return `command ${node.command}`;
      case "subgraph":
        return node.graph === undefined ? "graph" : `graph ${node.graph.name}`;
      case "loop":
      case "criteria-loop": {
        // The limit may also be a function, called when the loop begins.
        const most: unknown = node.maxIterations;
        if (iteration === 0) return "loop";
        return typeof most === "number" && most > 0 ? `iteration ${iteration} of ${most}` : `iteration ${iteration}`;
      }
      case "map": {
        const fork = this.#view.state.calls.get(path);
        if (fork?.kind !== "fork") return `for each ${node.as}`;
        const failed = this.#failedItems(path).length;
        return `${fork.ended} of ${fork.branches.length}${failed === 0 ? "" : `, ${failed} failed`}`;
      }
      case "task-loop": {
        const pick = this.#view.state.calls.get(`${path}#${iteration}:pick`);
        if (pick?.kind !== "step" || pick.phase.kind !== "finished" || !("value" in pick.phase.result)) return "tasks";
        const { tasks = [] } = (pick.phase.result.value ?? {}) as {
          readonly tasks?: readonly { readonly [key: string]: Json }[];
        };
        const names = tasks.map(({ id, name }) => (typeof name === "string" ? `${id} ${name}` : String(id)));
        return names.length > 0 ? `task ${names.join(", ")}` : "tasks";
      }
      case "wait":
      case "ask-user":
        return "question";
      case "decision":
        return "if";
      case "clear-context":
        return "new context";
      default:
        return node.kind;
    }
  }
}
