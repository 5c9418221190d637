import { isExplained } from "@atomic/durable-files/explained-error";
import { systemCode } from "@atomic/workflows/internal/entities/system-error";
import type { LocalEngine, RunSummary } from "@atomic/workflows/internal/run/engine";
import { shorten } from "../report/format.ts";
import { headline, questionsOf } from "../view/questions.ts";
import { damageOf, describeStatus } from "../view/run-status.ts";
import type { PageMessage, RunLine } from "./draw/messages.ts";

/** What has been read within this time is shown. */
const partMs = 100;
const nothingYet = { about: "", questions: 0, spent: { usd: 0, tokens: 0 } };

/** The list of runs. A run is read again only when it has changed, or may have lost its owner. */
export class RunLines {
  /** Whether all runs are known. */
  isComplete = false;
  readonly #engine: LocalEngine;
  readonly #known = new Map<string, { readonly stamp: string; readonly line: RunLine }>();

  constructor(engine: LocalEngine) {
    this.#engine = engine;
  }

  get all(): readonly RunLine[] {
    return [...this.#known.values()].map(({ line }) => line);
  }

  /** What is new since the last call, in parts: that there is a run is known at once, what it asks and costs has to be read. */
  async *changes(): AsyncGenerator<Omit<Extract<PageMessage, { readonly type: "runs" }>, "type">> {
    const found = await this.#engine.list();
    const ids = new Set(found.map(({ runId }) => runId));
    const removed = [...this.#known.keys()].filter((runId) => !ids.has(runId));
    for (const runId of removed) this.#known.delete(runId);
    for (const summary of found) {
      if (this.#known.has(summary.runId)) continue;
      this.#known.set(summary.runId, { stamp: "", line: { ...knownOf(summary), ...nothingYet } });
    }
    if (removed.length > 0 || !this.isComplete) yield { runs: this.all, removed, isAll: true };
    this.isComplete = true;
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
    if (runs.length > 0) yield { runs, removed: [] };
  }

  async #read(summary: RunSummary): Promise<RunLine> {
    const { runId, status } = summary;
    const known = knownOf(summary);
    const damaged = (reason: string): RunLine => {
      return { ...known, ...nothingYet, status: "damaged", about: shorten(damageOf(runId, reason)) };
    };
    if (status.kind === "damaged") return damaged(status.reason);
    try {
      const state = await this.#engine.state(runId);
      const { kind } = state.status;
      const [question, ...others] = questionsOf(state);
      const { usd, tokens } = state.spent;
      const text = describeStatus(state.status);
      // The list says `failed` itself.
      const why = text.startsWith(`${kind}: `) ? text.slice(kind.length + 2) : text;
      const about = question !== undefined ? headline(question) : text.includes(":") ? shorten(why) : "";
      const questions = question === undefined ? 0 : others.length + 1;
      return { ...known, status: kind, about, questions, spent: { usd, tokens } };
    } catch (error) {
      // What the system refuses is this run's own problem, too.
      if (!isExplained(error)) systemCode(error);
      return damaged((error as Error).message);
    }
  }
}

function knownOf({ runId, name, status, createdAt, updatedAt }: RunSummary): Omit<RunLine, keyof typeof nothingYet> {
  return { runId, name, status: status.kind, createdAt, updatedAt };
}
