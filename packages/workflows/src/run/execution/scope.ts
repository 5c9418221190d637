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
  /** Calls under way by their keys; of steps, the attempt that runs. */
  readonly #open = new Map<string, Abortable | undefined>();
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
    for (const attempt of [...this.#open.values()]) attempt?.abort(why);
  }

  /** The branch has come to its end. */
  leave(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
  }

  opened(key: string): void {
    this.#open.set(key, undefined);
  }

  closed(key: string): void {
    this.#open.delete(key);
  }

  began(key: string, attempt: Abortable): void {
    this.#open.set(key, attempt);
  }

  openKeys(): string[] {
    return [...this.#open.keys(), ...[...this.#children].flatMap((child) => child.openKeys())];
  }
}
