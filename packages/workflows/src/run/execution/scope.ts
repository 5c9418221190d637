import type { AbortReason } from "../step-errors.ts";

/** Whatever has to end when its scope does. */
export interface Abortable {
  abort(why: AbortReason): void;
}

/**
 * A run, or a branch of a fork: what is aborted together. Once it is frozen its calls lead nowhere, so that the interpreter
 * stands still and no handler mistakes the end for a failure.
 */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #children = new Set<Scope>();
  readonly #attempts = new Set<Abortable>();
  /** Keys of calls under way. */
  readonly #open = new Set<string>();
  #why: AbortReason | undefined;

  constructor(parent?: Scope) {
    this.#parent = parent;
    if (parent !== undefined) parent.#children.add(this);
  }

  /** Why nothing goes on here; undefined while it does. */
  get frozen(): AbortReason | undefined {
    return this.#why ?? this.#parent?.frozen;
  }

  freeze(why: AbortReason): void {
    this.#why ??= why;
  }

  abort(why: AbortReason): void {
    this.freeze(why);
    for (const child of this.#children) child.abort(why);
    for (const attempt of [...this.#attempts]) attempt.abort(why);
  }

  /** The branch has come to its end. */
  leave(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
  }

  opened(key: string): void {
    this.#open.add(key);
  }

  closed(key: string): void {
    this.#open.delete(key);
  }

  began(attempt: Abortable): void {
    this.#attempts.add(attempt);
  }

  ended(attempt: Abortable): void {
    this.#attempts.delete(attempt);
  }

  openKeys(): string[] {
    return [...this.#open, ...[...this.#children].flatMap((child) => child.openKeys())];
  }
}
