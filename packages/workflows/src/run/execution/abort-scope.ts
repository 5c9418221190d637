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
  // Created when they are needed: a fork may have many branches, and most of them need only one of these, or none.
  #children: Set<AbortScope> | undefined;
  #open: Map<string, Abortable | undefined> | undefined;
  #frozen: AbortReason | undefined;

  constructor(parent?: AbortScope) {
    this.#parent = parent;
    if (parent === undefined) return;
    parent.#children ??= new Set();
    parent.#children.add(this);
    this.#frozen = parent.#frozen;
  }

  /** Why nothing continues here; undefined while it does. */
  get frozen(): AbortReason | undefined {
    return this.#frozen;
  }

  /** A call has begun. What can be aborted is aborted with the scope. */
  opened(key: string, call?: Abortable): void {
    this.#open ??= new Map();
    this.#open.set(key, call);
  }

  closed(key: string): void {
    this.#open?.delete(key);
  }

  freeze(why: AbortReason): void {
    this.#frozen ??= why;
    if (this.#children !== undefined) for (const child of this.#children) child.freeze(why);
  }

  abort(why: AbortReason): void {
    this.freeze(why);
    if (this.#children !== undefined) for (const child of this.#children) child.abort(why);
    if (this.#open !== undefined) for (const call of [...this.#open.values()]) call?.abort(why);
  }

  /** The branch has ended, or is not needed any more. Aborts what is open in it, and adds the keys to the list. */
  leave(left: string[]): void {
    this.#addOpenKeys(left);
    this.abort("abandoned");
    if (this.#parent !== undefined) this.#parent.#children?.delete(this);
  }

  #addOpenKeys(keys: string[]): void {
    if (this.#open !== undefined) keys.push(...this.#open.keys());
    if (this.#children !== undefined) for (const child of this.#children) child.#addOpenKeys(keys);
  }
}
