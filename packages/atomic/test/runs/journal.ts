// A run's journal, written by a test event by event: times are seconds since its beginning.

import { createEntityRegistry } from "@atomic/workflows/internal/entities/registry";
import type { GraphBuilder } from "@atomic/workflows/internal/graph/builder";
import type { Budget, Usage } from "@atomic/workflows/internal/run/budget";
import type { JournalEntry, RunEventBody } from "@atomic/workflows/internal/run/events";
import type { Json } from "@atomic/workflows/internal/run/json";
import { type RunView, RunViewer } from "../../src/view/run-view.ts";

/** Of the first event: 2026-01-02 03:04:05, local time. */
const start: number = new Date(2026, 0, 2, 3, 4, 5).getTime();

export class TestJournal {
  readonly graph: Json;
  readonly entries: JournalEntry[] = [];
  readonly #viewer = new RunViewer();
  #at = start;
  #inbox = 0;

  // biome-ignore lint/suspicious/noExplicitAny: whatever state the graph has
  constructor(builder: GraphBuilder<any>, { budget }: { readonly budget?: Budget } = {}) {
    this.graph = builder.compile(createEntityRegistry()).json as Json;
    const { name } = this.graph as { readonly name: string };
    this.add({
      type: "run-created",
      version: 1,
      runId: "calm-otter",
      graph: this.graph,
      input: null,
      interpreter: "1",
      name,
      ...(budget && { budget }),
    });
    this.claimed();
  }

  get view(): RunView {
    return this.#viewer.view!;
  }

  get now(): number {
    return this.#at;
  }

  /** So many seconds go by. */
  after(seconds: number): this {
    this.#at += seconds * 1000;
    return this;
  }

  add(event: RunEventBody): this {
    const entry = { n: this.entries.length + 1, event: { ...event, at: this.#at } };
    this.entries.push(entry);
    this.#viewer.take(entry);
    return this;
  }

  claimed(): this {
    return this.add({ type: "run-claimed", owner: { pid: 4711, host: "here" }, durability: "step" });
  }

  started(key: string, attempt = 1): this {
    return this.add({ type: "step-started", key, attempt });
  }

  /** It took so many seconds, which have gone by already. */
  finished(key: string, seconds = 1, value: Json = null, attempt = 1): this {
    return this.add({ type: "step-finished", key, attempt, result: { value }, ms: seconds * 1000 });
  }

  failed(key: string, message: string, retryInSeconds?: number): this {
    const retry = retryInSeconds === undefined ? {} : { retryAt: this.#at + retryInSeconds * 1000 };
    return this.add({ type: "step-failed", key, attempt: 1, error: { name: "Error", message }, ms: 1000, ...retry });
  }

  used(key: string, usage: Usage): this {
    return this.add({ type: "usage", key, usage });
  }

  asked(key: string, about: Json, step?: string): this {
    return this.add({ type: "wait-started", key, about, ...(step !== undefined && { step }) });
  }

  answered(key: string, value: Json): this {
    this.#inbox += 1;
    return this.add({ type: "signal-received", key, value, inbox: this.#inbox }).add({
      type: "wait-ended",
      key,
      ok: true,
    });
  }

  forked(key: string, branches: number): this {
    return this.add({ type: "fork-started", key, branches, join: "all" });
  }

  branch(key: string, index: number): this {
    return this.add({ type: "branch-ended", key, index, ending: { ok: true, result: { value: null } } });
  }

  joined(key: string): this {
    return this.add({ type: "fork-ended", key, ending: { ok: true } });
  }

  done(): this {
    const result = { value: { state: {}, outputs: {} } };
    return this.add({ type: "run-ended", outcome: { kind: "done", result } });
  }

  said(key: string, note: Json): this {
    this.#viewer.note({ type: "step-note", key, note, at: this.#at });
    return this;
  }
}
