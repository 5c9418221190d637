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

/** What an attempt has made because its function asked for it: most do not, and it would cost more than the rest of a step. */
interface Made {
  controller?: AbortController;
  note?: StepInfo["note"];
  spend?: StepInfo["spend"];
  ask?: StepInfo["ask"];
  bounds?: Bounds;
  questions?: Questions;
}

/** One call of a step's function, and what that function is given. */
export class Attempt implements StepInfo, Abortable {
  readonly attempt: number;
  readonly #owner: AttemptOwner;
  #reason: Error | undefined;
  #isOver = false;
  #lazy: Made | undefined;

  constructor(owner: AttemptOwner, attempt: number) {
    this.#owner = owner;
    this.attempt = attempt;
  }

  get idemKey(): string {
    return this.#owner.idemKey;
  }

  get signal(): AbortSignal {
    const made = this.#made();
    made.controller ??= new AbortController();
    if (this.#reason !== undefined) made.controller.abort(this.#reason);
    return made.controller.signal;
  }

  // These three are functions of their own: steps like to take them out of what they are given.
  get note(): StepInfo["note"] {
    const made = this.#made();
    made.note ??= (note) => {
      if (this.#reason !== undefined) return;
      made.bounds?.alive();
      this.#owner.note(note);
    };
    return made.note;
  }

  get spend(): StepInfo["spend"] {
    const made = this.#made();
    made.spend ??= (usage) => {
      // Also after an abort: it has been spent all the same.
      this.#owner.spend(usage);
      made.bounds?.alive();
      made.bounds?.spent(usage);
    };
    return made.spend;
  }

  get ask(): StepInfo["ask"] {
    const made = this.#made();
    made.ask ??= async (about) => {
      this.#refuseUnlessRunning();
      made.questions ??= this.#owner.questions((isStill) => made.bounds?.standStill(isStill));
      const answer = await made.questions.ask(about);
      if (this.#reason !== undefined) throw this.#reason;
      return answer;
    };
    return made.ask;
  }

  /** The function's result. Throws or rejects with whatever it throws, or when the attempt takes too long or costs too much. */
  run<T>(fn: (info: StepInfo) => Promise<T> | T): Promise<T> | T {
    const { options, budget } = this.#owner;
    if (options.timeoutMs === undefined && options.idleMs === undefined && budget === undefined) return fn(this);
    const bounds = new Bounds(this.#owner, (reason) => this.#abort(reason));
    this.#made().bounds = bounds;
    return bounds.hold(() => invoke(fn, this));
  }

  /** Nothing that its function still does matters. */
  end(): void {
    this.#isOver = true;
    this.#lazy?.questions?.close();
  }

  abort(why: AbortReason): void {
    this.#abort(new StepAbortedError(why));
  }

  #made(): Made {
    this.#lazy ??= {};
    return this.#lazy;
  }

  #abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#lazy?.bounds?.clear();
    this.#lazy?.controller?.abort(reason);
    this.#lazy?.questions?.close(reason);
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
