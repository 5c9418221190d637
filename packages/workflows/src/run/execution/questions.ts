import { isDeepStrictEqual } from "node:util";
import type { Json } from "../json.ts";
import type { WaitState } from "../run-state.ts";
import { type AbortReason, PermanentError, StepAbortedError } from "../step-errors.ts";
import type { LiveRun } from "./live-run.ts";
import { encode } from "./stored.ts";

export interface QuestionParts {
  readonly live: LiveRun;
  /** The key of the step. */
  readonly step: string;
  /** Why the run does not go on, so that nobody would wait for an answer. */
  readonly frozen: () => AbortReason | undefined;
  /** Whether the step stands still because a question is open. Told whenever that changes. */
  readonly standsStill: (isStill: boolean) => void;
  /** Resolves when a step that stood still may go on. */
  readonly mayGoOn: (isOver: () => boolean) => Promise<void>;
}

/** What one attempt at a step asks. Questions of earlier attempts are in the state of the run. */
export class Questions {
  readonly #parts: QuestionParts;
  /** In this attempt. */
  readonly #asked: Json[] = [];
  readonly #open = new Map<string, (reason: Error) => void>();
  #isClosed = false;
  #isStill = false;
  #goingOn: Promise<void> | undefined;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  async ask(about: Json): Promise<Json> {
    const { live, step, frozen } = this.#parts;
    const why = frozen();
    if (why !== undefined) throw new StepAbortedError(why);
    const question = this.#checked(about);
    const key = this.#keyOf(question);
    if (this.#known(key)?.phase === "signalled") return live.state.signals.get(key) ?? null;
    live.record({ type: "wait-started", key, step, about: question });
    if (live.state.signals.has(key)) return this.#answer(key);
    const answered = this.#answered(key);
    this.#setStill(true);
    const value = await answered;
    await this.#goOn();
    return value;
  }

  /** The attempt has ended. Without a reason nobody is left to whom an answer would matter. */
  close(reason?: Error): void {
    this.#isClosed = true;
    for (const [key, reject] of this.#open) {
      this.#parts.live.offSignal(key);
      if (reason !== undefined) reject(reason);
    }
    this.#open.clear();
    this.#setStill(false);
  }

  /** With another question open it stays where it is, and yet whoever has an answer goes on. */
  #goOn(): Promise<void> | undefined {
    if (this.#open.size > 0 || !this.#isStill) return undefined;
    this.#goingOn ??= this.#parts
      .mayGoOn(() => this.#isClosed)
      .then(() => {
        this.#goingOn = undefined;
        if (this.#open.size === 0) this.#setStill(false);
      });
    return this.#goingOn;
  }

  #setStill(isStill: boolean): void {
    if (this.#isStill === isStill || (isStill && this.#isClosed)) return;
    this.#isStill = isStill;
    this.#parts.standsStill(isStill);
  }

  #answered(key: string): Promise<Json> {
    const answered = new Promise<Json>((resolve, reject) => {
      this.#open.set(key, reject);
      this.#parts.live.onSignal(key, () => {
        this.#open.delete(key);
        resolve(this.#answer(key));
      });
    });
    answered.catch(() => undefined); // a step that is aborted need not have waited for it
    return answered;
  }

  #answer(key: string): Json {
    const { live } = this.#parts;
    live.record({ type: "wait-ended", key, ok: true });
    return live.state.signals.get(key) ?? null;
  }

  #checked(about: Json): Json {
    const { limits } = this.#parts.live.options;
    const { value, text } = encode(about, limits, "question");
    if (text === undefined) return value;
    const message = `the question has more than the ${limits.inlineBytes} bytes that a record takes; ask about less`;
    throw new PermanentError(message, { code: "question-too-large" });
  }

  /** An earlier attempt's question, if it was the same; of several that are the same, the same one in order. */
  #keyOf(about: Json): string {
    const { live, step } = this.#parts;
    const before = this.#asked.filter((each) => isDeepStrictEqual(each, about)).length;
    this.#asked.push(about);
    const call = live.state.calls.get(step);
    const keys = (call?.kind === "step" && call.questions) || [];
    const same = keys.filter((key) => {
      const known = this.#known(key);
      return known !== undefined && known.phase !== "abandoned" && isDeepStrictEqual(known.about, about);
    });
    return same[before] ?? live.newKey((more) => `${step}?${keys.length + 1 + more}`);
  }

  #known(key: string): WaitState | undefined {
    const call = this.#parts.live.state.calls.get(key);
    return call?.kind === "wait" ? call : undefined;
  }
}
