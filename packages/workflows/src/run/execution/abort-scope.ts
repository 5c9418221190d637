import type { AbortReason } from "../step-errors.ts";

/** Whatever has to end when its scope does. */
export interface Abortable {
  abort(why: AbortReason): void;
}

/**
 * A run, or a branch of a fork: what is aborted together. Once it is frozen its calls lead nowhere, so that the interpreter
 * stands still and no handler mistakes the end for a failure.
 */
export class AbortScope {
  readonly #parent: AbortScope | undefined;
  readonly #children = new Set<AbortScope>();
  /** Calls under way by their keys. */
  readonly #open = new Map<string, Abortable | undefined>();
  #why: AbortReason | undefined;

  constructor(parent?: AbortScope) {
    this.#parent = parent;
    if (parent === undefined) return;
    parent.#children.add(this);
    this.#why = parent.#why;
  }

  /** Why nothing continues here; undefined while it does. */
  get frozen(): AbortReason | undefined {
    return this.#why;
  }

  freeze(why: AbortReason): void {
    this.#why ??= why;
    for (const child of this.#children) child.freeze(why);
  }

  abort(why: AbortReason): void {
    this.freeze(why);
    for (const child of this.#children) child.abort(why);
    for (const call of [...this.#open.values()]) call?.abort(why);
  }

  /** The branch has come to its end. */
  leave(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
  }

  opened(key: string, call?: Abortable): void {
    this.#open.set(key, call);
  }

  closed(key: string): void {
    this.#open.delete(key);
  }

  openKeys(): string[] {
    return [...this.#open.keys(), ...[...this.#children].flatMap((child) => child.openKeys())];
  }
}
