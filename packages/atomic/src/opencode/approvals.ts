import { isExplained } from "@atomic/durable-files/explained-error";
import { safeLine } from "@atomic/terminal/safe-text";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { DialogQuestion } from "@atomic/workflows/internal/view/dialog";
import type { DialogQueue } from "@atomic/workflows/internal/view/dialog-queue";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import type { Notices } from "@atomic/workflows/internal/view/notices";
import type { TerminalApi, Toast } from "@atomic/workflows/internal/view/terminal-api";
import { type RunQuestion, signalsFor } from "../view/questions.ts";
import type { FollowedRun } from "./followed-runs.ts";
import { afterAnswer, choicesFor, chosenAnswer, closedMessage, notSent, questionBody } from "./run-words.ts";

export interface ApprovalParts {
  readonly api: TerminalApi;
  readonly queue: DialogQueue;
  readonly engine: LocalEngine;
  readonly guard: Guard;
  readonly notices: Notices;
  /** Workers continue what is answered. */
  readonly hasWorkers: boolean;
  /** Starts a process that works on the run. */
  readonly carryOn: (runId: string) => void;
}

/** Asks the questions of the project's runs in dialogs. */
export class Approvals {
  readonly #parts: ApprovalParts;
  /** Questions that were asked in a dialog, or that you have left for later. */
  readonly #known = new Set<string>();
  #isFirst = true;
  /** Typed into a dialog that the last look closed because its run is gone. */
  #unsent = "";

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
  }

  /** These runs are open now. A question that is gone was answered elsewhere. */
  look(runs: readonly FollowedRun[]): void {
    const { queue, api, notices, hasWorkers } = this.#parts;
    const open = new Set<string>();
    this.#unsent = "";
    for (const run of runs) {
      for (const question of run.questions) {
        const key = `${run.runId} ${question.key}`;
        open.add(key);
        if (this.#known.has(key)) continue;
        this.#known.add(key);
        // What a run asked days ago is in the status line; it does not greet you.
        if (this.#isFirst && !run.isWorkedOn) continue;
        queue.add(key, () => this.#dialog(run, question));
        const sound = { name: question.kind === "permission" ? "permission" : "question" } as const;
        const notice = {
          title: "Atomic",
          message: safeLine(`${run.view.state.name ?? "A run"} needs your answer`),
          sound,
        };
        this.#parts.guard(async () => void (await api.attention.notify(notice)));
      }
    }
    for (const key of this.#known) {
      if (open.has(key)) continue;
      this.#known.delete(key);
      const typed = queue.remove(key);
      if (typed === undefined) continue;
      const [runId = ""] = key.split(" ", 1);
      const run = runs.find((each) => each.runId === runId);
      if (run === undefined) this.#unsent = typed;
      const message = closedMessage(runId, key.slice(runId.length + 1), run, { typed, hasWorkers });
      if (typed === "") notices.show({ variant: "warning", message, duration: 10_000 });
      else this.#showUnsent({ variant: "warning", message });
    }
    this.#isFirst = false;
  }

  /** What you were typing when the run went away. Its problem takes the place of the message that had it. */
  get unsent(): string {
    return this.#unsent;
  }

  /** The last key was meant for a dialog that has just closed by itself. */
  get isStray(): boolean {
    return this.#parts.queue.isStray;
  }

  /** The next dialog would cover it. */
  #showUnsent(message: Omit<Toast, "title">): void {
    this.#parts.queue.hold();
    this.#parts.notices.showUnsent(message);
  }

  /** You want to answer it now. */
  ask(run: FollowedRun, question: RunQuestion): void {
    this.#parts.queue.open(`${run.runId} ${question.key}`, () => this.#dialog(run, question));
  }

  #dialog(run: FollowedRun, question: RunQuestion): DialogQuestion {
    const { guard } = this.#parts;
    return {
      title: safeLine(`${run.view.state.name ?? "run"} ${run.runId}`),
      body: (columns) => questionBody(question, columns),
      choices: choicesFor(question),
      isMultiple: question.multiple,
      size: "large",
      onAnswer: (values, words) => guard(async () => await this.#answer(run, question, values, words), "you"),
      onLater: () => undefined,
    };
  }

  async #answer(run: FollowedRun, question: RunQuestion, values: readonly string[], words: string | undefined) {
    const { engine, notices, hasWorkers, carryOn } = this.#parts;
    const answer = chosenAnswer(question, values, words);
    if (answer === undefined) return;
    /** The run did not take the answer. */
    const refuse = (variant: "warning" | "error", problem: string): void => {
      if (words === undefined) notices.show({ variant, message: problem });
      else this.#showUnsent({ variant, message: problem + notSent(words) });
    };
    if ("problem" in answer) return refuse("error", answer.problem);
    try {
      const [first, ...covered] = signalsFor(question, answer.value, run.questions);
      const kept = await engine.signal(run.runId, first.key, first.value);
      if (kept === "ignored") return refuse("warning", `${run.runId}: this question has already been answered`);
      for (const { key, value } of covered) await engine.signal(run.runId, key, value);
    } catch (error) {
      if (!isExplained(error)) throw error;
      return refuse("error", safeLine(error.message));
    }
    const state = await engine.state(run.runId);
    const { continues, message } = afterAnswer(state, await engine.status(run.runId), hasWorkers);
    if (continues) carryOn(run.runId);
    notices.show({ variant: "success", message });
  }
}
