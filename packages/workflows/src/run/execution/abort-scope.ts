import type { AbortReason } from "../step-errors.ts";

/** Something that ends with its scope. */
export interface Abortable {
  abort(why: AbortReason): void;
}

/**
 * A run, or a branch of a fork: what is aborted together. Once it is frozen, its calls never settle, so the interpreter
 * stops and no handler mistakes the end for a failure.
 */
export class AbortScope {
  readonly #parent: AbortScope | undefined;
  readonly #children = new Set<AbortScope>();
  /** The open calls by their keys. */
  readonly open: Map<string, Abortable | undefined> = new Map();
  #frozen: AbortReason | undefined;

  constructor(parent?: AbortScope) {
    this.#parent = parent;
    if (parent === undefined) return;
    parent.#children.add(this);
    this.#frozen = parent.#frozen;
  }

  /** Why nothing continues here; undefined while it does. */
  get frozen(): AbortReason | undefined {
    return this.#frozen;
  }

  freeze(why: AbortReason): void {
    this.#frozen ??= why;
    for (const child of this.#children) child.freeze(why);
  }

  abort(why: AbortReason): void {
    this.freeze(why);
    for (const child of this.#children) child.abort(why);
    for (const call of [...this.open.values()]) call?.abort(why);
  }

  /** The branch has ended. */
  leave(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
  }

  openKeys(): string[] {
    return [...this.open.keys(), ...[...this.#children].flatMap((child) => child.openKeys())];
  }
}
