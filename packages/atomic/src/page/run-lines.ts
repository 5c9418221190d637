import { isExplained } from "@atomic/durable-files/explained-error";
import type { LocalEngine, RunSummary } from "@atomic/workflows/internal/run/engine";
import { shorten } from "../report/format.ts";
import { headline, questionsOf } from "../view/questions.ts";
import { describeStatus } from "../view/run-status.ts";
import type { PageMessage, RunLine } from "./draw/messages.ts";

/** What has been read within this time is shown. */
const partMs = 100;

/** The list of runs. A run is read again only when it has changed, or may have lost its owner. */
export class RunLines {
  readonly #engine: LocalEngine;
  /** Whether all runs have been read once. */
  isComplete = false;
  readonly #known = new Map<string, { readonly stamp: string; readonly line: RunLine }>();

  constructor(engine: LocalEngine) {
    this.#engine = engine;
  }

  get all(): readonly RunLine[] {
    return [...this.#known.values()].map(({ line }) => line);
  }

  /** What is new since the last call, in parts, so the first runs of many are shown at once. */
  async *changes(): AsyncGenerator<Omit<Extract<PageMessage, { readonly type: "runs" }>, "type">> {
    const found = await this.#engine.list();
    const ids = new Set(found.map(({ runId }) => runId));
    const removed = [...this.#known.keys()].filter((runId) => !ids.has(runId));
    for (const runId of removed) this.#known.delete(runId);
    if (removed.length > 0) yield { runs: [], removed };
    let runs: RunLine[] = [];
    let began = performance.now();
    for (const summary of found) {
      const { runId } = summary;
      const stamp = `${await this.#engine.stamp(runId)} ${summary.status.kind}`;
      if (this.#known.get(runId)?.stamp === stamp) continue;
      const line = await this.#read(summary);
      this.#known.set(runId, { stamp, line });
      runs.push(line);
      if (performance.now() - began < partMs) continue;
      yield { runs, removed: [] };
      runs = [];
      began = performance.now();
    }
    if (!this.isComplete) yield { runs: this.all, removed: [], isAll: true };
    else if (runs.length > 0) yield { runs, removed: [] };
    this.isComplete = true;
  }

  async #read({ runId, name, status, createdAt, updatedAt }: RunSummary): Promise<RunLine> {
    const nothing = { usd: 0, tokens: 0 };
    const known = { runId, name, createdAt, updatedAt };
    if (status.kind === "damaged") {
      return { ...known, status: "damaged", about: shorten(status.reason), questions: 0, spent: nothing };
    }
    try {
      const state = await this.#engine.state(runId);
      const [question, ...others] = questionsOf(state);
      const { usd, tokens } = state.spent;
      const text = describeStatus(state.status);
      const about = question !== undefined ? headline(question) : text.includes(":") ? shorten(text) : "";
      const questions = question === undefined ? 0 : others.length + 1;
      return { ...known, status: state.status.kind, about, questions, spent: { usd, tokens } };
    } catch (error) {
      if (!isExplained(error)) throw error;
      return { ...known, status: "damaged", about: shorten(error.message), questions: 0, spent: nothing };
    }
  }
}
