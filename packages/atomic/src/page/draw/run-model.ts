// What a page knows about one run: the fold of its journal, and what is drawn from it. The same in a browser and for a file.
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import type { JournalEntry, StepNote } from "@atomic/workflows/internal/run/events";
import type { CostPoint } from "@atomic/workflows/internal/view/page-charts";
import { eventLines } from "../../view/event-lines.ts";
import { kindsOf, type NodeKinds } from "../../view/node-kinds.ts";
import { type NodeView, nodeViews } from "../../view/node-view.ts";
import { type RunView, RunViewer } from "../../view/run-view.ts";
import { type TimelineRow, timelineOf } from "../../view/timeline.ts";
import type { RunNow } from "./messages.ts";

export type CallRow = Extract<TimelineRow, { readonly kind: "call" }>;

/** One line of the log, as a terminal prints it. */
export interface RunLogLine {
  readonly n: number;
  readonly at: number;
  readonly symbol: string;
  readonly text: string;
  /** The path of the node that it is about. */
  readonly key: string | undefined;
}

export class RunModel {
  readonly runId: string;
  readonly log: RunLogLine[] = [];
  readonly costs: CostPoint[] = [];
  now: RunNow | undefined;
  /** Increases whenever there is something else to draw. */
  version = 0;
  readonly #viewer = new RunViewer();
  readonly #entries: JournalEntry[] = [];
  #kinds: NodeKinds | undefined;
  #drawn:
    | { readonly version: number; readonly tree: readonly NodeView[]; readonly rows: readonly TimelineRow[] }
    | undefined;

  constructor(runId: string) {
    this.runId = runId;
  }

  take(entry: JournalEntry): void {
    // A page that opens while the server reads new records may hear of them twice.
    if (entry.n <= (this.#entries.at(-1)?.n ?? 0)) return;
    this.#entries.push(entry);
    this.#viewer.take(entry);
    this.version += 1;
    const { event } = entry;
    const { view } = this.#viewer;
    if (view === undefined) return;
    if (event.type === "usage") {
      const { usd, tokens } = view.state.spent;
      this.costs.push({ at: event.at, usd, tokens });
    }
    if (event.type === "run-created" || event.type === "run-revised") this.#kinds = kindsOf(view.state.graph);
    const text = eventLines(event, view, this.#kinds ?? new Map(), { colour: false }, false).trim();
    if (text === "") return;
    const [, symbol = "", rest = text] = /^(\S) ([\s\S]*)$/.exec(text) ?? [];
    this.log.push({ n: entry.n, at: event.at, symbol, text: rest, key: "key" in event ? event.key : undefined });
  }

  note(note: StepNote): void {
    this.#viewer.note(note);
    this.version += 1;
  }

  /** Undefined before the first record. */
  get view(): RunView | undefined {
    const { view } = this.#viewer;
    if (view === undefined || this.now === undefined) return view;
    const { status, budget } = this.now;
    return { ...view, state: { ...view.state, status, budget } };
  }

  /** Every node that is there, with all items and iterations. */
  get tree(): readonly NodeView[] {
    return this.#draw().tree;
  }

  /** Every call, in the order in which they began. */
  get rows(): readonly TimelineRow[] {
    return this.#draw().rows;
  }

  #draw(): { readonly tree: readonly NodeView[]; readonly rows: readonly TimelineRow[] } {
    const { view, version } = this;
    if (view === undefined) return { tree: [], rows: [] };
    if (this.#drawn?.version !== version) {
      const tree = nodeViews(view.state.graph as unknown as GraphJson, view, true);
      this.#drawn = { version, tree, rows: timelineOf(this.#entries, view) };
    }
    return this.#drawn;
  }

  /** The node at this path, or the part of one. */
  find(path: string): NodeView | undefined {
    const search = (nodes: readonly NodeView[]): NodeView | undefined => {
      for (const node of nodes) {
        if (node.path === path) return node;
        const found = search(node.inside);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return search(this.tree);
  }
}

/** What went wrong and was not put right, the latest first. */
export function problemsOf(rows: readonly TimelineRow[]): readonly CallRow[] {
  return rows
    .flatMap((row) => (row.kind === "call" && row.error !== undefined && row.status !== "done" ? row : []))
    .reverse();
}
