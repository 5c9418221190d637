import { isDeepStrictEqual } from "node:util";
import type { Json } from "../json.ts";
import { always } from "../run-ctx.ts";
import { type AbortReason, PermanentError, StepAbortedError } from "../step-errors.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import { encode } from "./encode.ts";

export interface QuestionParts {
  readonly run: ClaimedRun;
  /** The key of the step. */
  readonly step: string;
  /** Why the run has stopped, so no answer is waited for. */
  readonly frozen: () => AbortReason | undefined;
  /** Called when the step starts or stops waiting for answers. */
  readonly onWaiting: (isWaiting: boolean) => void;
  /** Resolves when a step may continue after waiting. */
  readonly mayContinue: (isOver: () => boolean) => Promise<void>;
}

/** The questions of one attempt at a step. Those of earlier attempts are in the run's state. */
export class Questions {
  readonly #parts: QuestionParts;
  /** The questions of this attempt. */
  readonly #asked: Json[] = [];
  readonly #open = new Map<string, (reason: Error) => void>();
  #isClosed = false;
  #isWaiting = false;
  #continuing: Promise<void> | undefined;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  async ask(about: Json, covers?: (earlier: Json) => boolean): Promise<Json> {
    const { run, step, frozen } = this.#parts;
    const why = frozen();
    if (why !== undefined) throw new StepAbortedError(why);
    if (covers !== undefined && run.state.always.some(covers)) return always;
    const { limits } = run.options;
    const { value: question, piece } = encode(about, limits, "question");
    if (piece !== undefined) {
      const message = `the question has more than ${limits.inlineBytes} bytes, the most that a record can hold; shorten it`;
      throw new PermanentError(message, { code: "question-too-large" });
    }
    const key = this.#keyOf(question);
    const known = run.state.calls.get(key);
    if (known?.kind === "wait" && known.phase === "signalled") return run.state.signals.get(key) ?? null;
    run.record({ type: "wait-started", key, step, about: question });
    if (run.state.signals.has(key)) return this.#answer(key);
    const answered = new Promise<Json>((resolve, reject) => {
      this.#open.set(key, reject);
      run.signalWaiters.set(key, () => {
        this.#open.delete(key);
        resolve(this.#answer(key));
      });
    });
    answered.catch(() => undefined); // an aborted step may not wait for it
    this.#setWaiting(true);
    const value = await answered;
    // While another question is open, the step counts as waiting, but the caller with an answer continues.
    let turn: Promise<void> | undefined;
    if (this.#open.size === 0 && this.#isWaiting) {
      this.#continuing ??= this.#parts
        .mayContinue(() => this.#isClosed)
        .then(() => {
          this.#continuing = undefined;
          if (this.#open.size === 0) this.#setWaiting(false);
        });
      turn = this.#continuing;
    }
    await turn;
    return value;
  }

  /** The attempt has ended. Without a reason, open questions never settle: no one waits for them. */
  close(reason?: Error): void {
    this.#isClosed = true;
    for (const [key, reject] of this.#open) {
      this.#parts.run.signalWaiters.delete(key);
      if (reason !== undefined) reject(reason);
    }
    this.#open.clear();
    this.#setWaiting(false);
  }

  #setWaiting(isWaiting: boolean): void {
    if (this.#isWaiting === isWaiting || (isWaiting && this.#isClosed)) return;
    this.#isWaiting = isWaiting;
    this.#parts.onWaiting(isWaiting);
  }

  #answer(key: string): Json {
    const { run } = this.#parts;
    run.record({ type: "wait-ended", key, ok: true });
    return run.state.signals.get(key) ?? null;
  }

  /** The key of an earlier attempt's equal question, or a new key. Several equal questions are matched in order. */
  #keyOf(about: Json): string {
    const { run, step } = this.#parts;
    const { calls } = run.state;
    const before = this.#asked.filter((each) => isDeepStrictEqual(each, about)).length;
    this.#asked.push(about);
    const call = calls.get(step);
    const keys = (call?.kind === "step" && call.questions) || [];
    const same = keys.filter((key) => {
      const known = calls.get(key);
      return known?.kind === "wait" && known.phase !== "abandoned" && isDeepStrictEqual(known.about, about);
    });
    if (same[before] !== undefined) return same[before];
    // The next number whose key no call has.
    let n = keys.length + 1;
    while (!run.keys.add(`${step}?${n}`)) n += 1;
    return `${step}?${n}`;
  }
}
