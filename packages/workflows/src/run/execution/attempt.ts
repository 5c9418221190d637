import type { Usage } from "../budget.ts";
import type { Json } from "../json.ts";
import type { StepInfo } from "../run-ctx.ts";
import { type AbortReason, StepAbortedError } from "../step-errors.ts";
import { type Bounded, Bounds } from "./bounds.ts";
import type { QuestionParts, Questions } from "./questions.ts";
import type { Abortable } from "./scope.ts";

/** What an attempt may ask of the step that it belongs to. */
export interface AttemptOwner extends Bounded {
  readonly idemKey: string;
  note(note: Json): void;
  spend(usage: Usage): void;
  /** Throws if the step may not ask. */
  questions(standsStill: QuestionParts["standsStill"]): Questions;
}

/**
 * One call of a step's function, and what that function is given. Whatever it may ask for is made when it does: most
 * steps do not, and all of it together costs more than the rest of a step.
 */
export class Attempt implements StepInfo, Abortable {
  readonly attempt: number;
  readonly #owner: AttemptOwner;
  #reason: Error | undefined;
  #isOver = false;
  #controller: AbortController | undefined;
  #note: StepInfo["note"] | undefined;
  #spend: StepInfo["spend"] | undefined;
  #ask: StepInfo["ask"] | undefined;
  #bounds: Bounds | undefined;
  #questions: Questions | undefined;

  constructor(owner: AttemptOwner, attempt: number) {
    this.#owner = owner;
    this.attempt = attempt;
  }

  get idemKey(): string {
    return this.#owner.idemKey;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  // These three are functions of their own: steps like to take them out of what they are given.
  get note(): StepInfo["note"] {
    this.#note ??= (note) => {
      if (this.#reason !== undefined) return;
      this.#bounds?.alive();
      this.#owner.note(note);
    };
    return this.#note;
  }

  get spend(): StepInfo["spend"] {
    this.#spend ??= (usage) => {
      // Also after an abort: it has been spent all the same.
      this.#owner.spend(usage);
      this.#bounds?.alive();
      this.#bounds?.spent(usage);
    };
    return this.#spend;
  }

  get ask(): StepInfo["ask"] {
    this.#ask ??= async (about) => {
      this.#refuseUnlessRunning();
      this.#questions ??= this.#owner.questions((isStill) => this.#bounds?.standStill(isStill));
      const answer = await this.#questions.ask(about);
      if (this.#reason !== undefined) throw this.#reason;
      return answer;
    };
    return this.#ask;
  }

  /** The function's result. Throws or rejects with whatever it throws, or when the attempt takes too long or costs too much. */
  run<T>(fn: (info: StepInfo) => Promise<T> | T): Promise<T> | T {
    const { timeoutMs, idleMs, budget } = this.#owner.options;
    if (timeoutMs === undefined && idleMs === undefined && budget === undefined) return fn(this);
    const bounds = new Bounds(this.#owner, (reason) => this.#abort(reason));
    this.#bounds = bounds;
    return bounds.hold(() => invoke(fn, this));
  }

  /** Nothing that its function still does matters. */
  end(): void {
    this.#isOver = true;
    this.#questions?.close();
  }

  abort(why: AbortReason): void {
    this.#abort(new StepAbortedError(why));
  }

  #abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#bounds?.clear();
    this.#controller?.abort(reason);
    this.#questions?.close(reason);
  }

  #refuseUnlessRunning(): void {
    if (this.#reason !== undefined) throw this.#reason;
    if (this.#isOver) throw new Error("The step has ended and cannot ask any more.");
  }
}

/** What a function throws before its first `await` is a failure like any other. */
async function invoke<T>(fn: (info: StepInfo) => Promise<T> | T, info: StepInfo): Promise<T> {
  return await fn(info);
}
