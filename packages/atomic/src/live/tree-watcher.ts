import type { Output } from "@atomic/terminal/process-output";
import type { GraphJson } from "@atomic/workflows/graph/graph-json";
import type { Context } from "../context.ts";
import { frameMs, progressLines } from "../view/progress.ts";
import type { RunView } from "../view/run-view.ts";
import { Region } from "./region.ts";
import type { Watcher } from "./watcher.ts";

/** Of the time there is, at most this part is spent on drawing. */
const busyPart = 0.2;

/** A tree of nodes that moves. */
export function treeWatcher(output: Output, context: Pick<Context, "now">): Watcher {
  return new TreeWatcher(output, context);
}

class TreeWatcher implements Watcher {
  readonly #output: Output;
  readonly #context: Pick<Context, "now">;
  readonly #region: Region;
  readonly #unlisten: () => void;
  #timer: NodeJS.Timeout | undefined;
  #view: RunView | undefined;
  #isPaused = false;
  /** Printed, but not yet shown: half a line, or while somebody types. */
  #printed = "";

  constructor(output: Output, context: Pick<Context, "now">) {
    this.#output = output;
    this.#context = context;
    this.#region = new Region(output);
    this.#unlisten = output.onResize?.(() => this.#draw()) ?? (() => undefined);
    this.#next(0);
  }

  event(_event: unknown, _n: number, view: RunView): void {
    this.#view = view;
  }

  note(_note: unknown, view: RunView): void {
    this.#view = view;
  }

  print(text: string): void {
    this.#printed += text;
    if (!this.#isPaused) this.#show(this.#printed.lastIndexOf("\n") + 1);
  }

  pause(keep: boolean): void {
    this.#draw();
    if (keep) this.#region.keep();
    else this.#region.erase();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.print("");
  }

  close(): void {
    const rest = this.#printed === "" || this.#printed.endsWith("\n") ? "" : "\n";
    if (this.#isPaused) this.#output.write(this.#printed + rest);
    else this.print(rest);
    this.#draw();
    clearTimeout(this.#timer);
    this.#unlisten();
    this.#region.keep();
  }

  /** So much of what was printed, above the picture. */
  #show(length: number): void {
    if (length === 0) return;
    this.#region.erase();
    this.#output.write(this.#printed.slice(0, length));
    this.#printed = this.#printed.slice(length);
    this.#draw();
  }

  #next(tookMs: number): void {
    const ms = Math.max(frameMs, tookMs / busyPart);
    this.#timer = setTimeout(() => {
      const began = performance.now();
      this.#draw();
      this.#next(performance.now() - began);
    }, ms);
  }

  #draw(): void {
    const { columns = 80, rows = 24, colour } = this.#output;
    if (this.#isPaused || this.#view === undefined) return;
    const graph = this.#view.state.graph as unknown as GraphJson;
    this.#region.draw(progressLines(graph, this.#view, { columns, rows, colour, now: this.#context.now() }));
  }
}
