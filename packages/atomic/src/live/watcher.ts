import { jsonLine } from "@atomic/terminal/json";
import type { Output } from "@atomic/terminal/process-output";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import type { RunEvent, StepNote } from "@atomic/workflows/internal/run/events";
import type { AtomicContext } from "../context.ts";
import { eventLines, noteLine, waitingLines } from "../view/event-lines.ts";
import { kindsOf, type NodeKinds } from "../view/node-kinds.ts";
import { frameMs, progressLines } from "../view/progress.ts";
import { waitingRecord } from "../view/run-summary.ts";
import type { RunView } from "../view/run-view.ts";
import { narrowLinesIn, Region } from "./region.ts";

/** Shows people or programs what happens in a run. The view already includes what is shown. */
export interface Watcher {
  event(event: RunEvent, n: number, view: RunView): void;
  note(note: StepNote, view: RunView): void;
  /** Nothing will happen until questions are answered, and none can be asked here. */
  waiting(view: RunView): void;
  /** What the workflow's own code prints. */
  print(text: string): void;
  /** Something else is written to the terminal now: nothing is drawn until `resume`. */
  pause(keep: boolean): void;
  resume(): void;
  /** The last picture stays. */
  close(): void;
}

/**
 * JSON for programs, a picture for people, and lines where it cannot be drawn.
 *
 * @param mayWait Otherwise the run is left when it asks, and what is printed then says how to answer.
 */
export function watcherFor(context: AtomicContext, json: boolean, mayWait = true): Watcher {
  const { stdout, stderr, caller } = context;
  // Lines show what to type, a picture does not; and an agent at a terminal is not asked.
  if (!json && canDraw(context) && caller.agent() === undefined) return treeWatcher(stderr, context);
  const still = { pause: () => undefined, resume: () => undefined, close: () => undefined };
  if (json) {
    return {
      ...still,
      event: (event, n, view) =>
        stdout.write(jsonLine({ runId: view.state.runId, n, ...event, ...progressOf(event, view) })),
      note: (note, { state }) => stdout.write(jsonLine({ runId: state.runId, ...note })),
      waiting: (view) => stdout.write(jsonLine(waitingRecord(view, context.now(), stdout))),
      print: (text) => stderr.write(text),
    };
  }
  let kinds: NodeKinds | undefined;
  /** The questions on the last lines. */
  const shown = new Set<string>();
  const print = (text: string): void => {
    if (text !== "") shown.clear();
    stderr.write(text);
  };
  return {
    ...still,
    event: (event, _n, view) => {
      kinds ??= kindsOf(view.state.graph);
      const text = eventLines(event, view, kinds, stderr, mayWait);
      if (event.type !== "wait-started") return print(text);
      shown.add(event.key);
      stderr.write(text);
    },
    note: (note) => print(noteLine(note, stderr)),
    waiting: (view) => stderr.write(waitingLines(view, shown, stderr)),
    print,
  };
}

/** How many branches of a fork have ended, for those who do not count themselves. */
function progressOf(event: RunEvent, { state }: RunView): { readonly progress?: object } {
  const fork = event.type === "branch-ended" ? state.calls.get(event.key) : undefined;
  return fork?.kind === "fork" ? { progress: { done: fork.ended, total: fork.branches.length } } : {};
}

export function canDraw({ stderr, env }: AtomicContext): boolean {
  return stderr.isTTY && env.TERM !== "dumb";
}

/** At most this part of the time is spent on drawing. */
const busyPart = 0.2;

/** A tree of nodes that moves. */
export function treeWatcher(output: Output, context: Pick<AtomicContext, "now" | "env">): Watcher {
  const region = new Region(output, narrowLinesIn(context.env));
  let timer: NodeJS.Timeout | undefined;
  let current: RunView | undefined;
  let isPaused = false;
  /** Printed, but not yet shown: half a line, or while the user is typing. */
  let printed = "";
  const draw = (): void => {
    const { columns = 80, rows = 24, colour } = output;
    if (isPaused || current === undefined) return;
    const graph = current.state.graph as unknown as GraphJson;
    region.draw(progressLines(graph, current, { columns, rows, colour, now: context.now() }));
  };
  const drawLater = (tookMs: number): void => {
    timer = setTimeout(
      () => {
        const began = performance.now();
        draw();
        drawLater(performance.now() - began);
      },
      Math.max(frameMs, tookMs / busyPart),
    );
  };
  /** Whole lines go above the picture. */
  const print = (text: string): void => {
    printed += text;
    const length = printed.lastIndexOf("\n") + 1;
    if (isPaused || length === 0) return;
    region.erase();
    output.write(printed.slice(0, length));
    printed = printed.slice(length);
    draw();
  };
  const unlisten = output.onResize?.(() => {
    region.resized();
    draw();
  });
  drawLater(0);
  return {
    event: (_event, _n, view) => {
      current = view;
    },
    note: (note, view) => {
      current = view;
      // It would be gone with the next note.
      if ((note.note as { type?: unknown } | null)?.type === "no-price") print(noteLine(note, output));
    },
    waiting: (view) => print(waitingLines(view, new Set(), output)),
    print,
    pause: (keep) => {
      draw();
      if (keep) region.keep();
      else region.erase();
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      print("");
    },
    close: () => {
      const rest = printed === "" || printed.endsWith("\n") ? "" : "\n";
      if (isPaused) output.write(printed + rest);
      else print(rest);
      draw();
      clearTimeout(timer);
      unlisten?.();
      region.keep();
    },
  };
}
