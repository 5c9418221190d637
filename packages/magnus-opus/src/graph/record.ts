// What a graph step does, recorded as the run's events. The graph keeps them, and they mean the same as in OpenCode.
import { join } from "node:path";
import { treeHash } from "../evidence/tree-hash.ts";
import type { MagnusEvent } from "../run/event.ts";
import { reduce } from "../run/reduce.ts";
import type { MagnusState } from "../run/state.ts";
import { changedArtifacts } from "../sessions/artifacts.ts";

export type MagnusEvents = readonly MagnusEvent[];

/** OpenCode has no root session for this run, because the graph leads it. */
export const rootSession = "graph";
export const plugin = { kind: "plugin" } as const;
export const orchestrator = { kind: "agent", agent: "orchestrator", session: rootSession } as const;

export function runOf(events: MagnusEvents): MagnusState {
  const state = events.reduce<MagnusState | undefined>(reduce, undefined);
  if (state === undefined) throw new Error("The run has not started.");
  return state;
}

/** The run, and what one step adds to it. */
export class StepRecord {
  readonly added: MagnusEvent[] = [];
  #state: MagnusState;

  constructor(events: MagnusEvents) {
    this.#state = runOf(events);
  }

  get state(): MagnusState {
    return this.#state;
  }

  add(event: MagnusEvent): void {
    this.added.push(event);
    this.#state = reduce(this.#state, event);
  }

  /** Records the current files in the session folder and the project. */
  async refresh(): Promise<void> {
    const { worktree, folder, artifacts } = this.#state;
    const at = Date.now();
    for (const seen of changedArtifacts(join(worktree, folder), artifacts)) {
      this.add({ type: "artifact-seen", at, by: plugin, ...seen });
    }
    const tree = await treeHash(worktree);
    if (tree !== this.#state.tree) this.add({ type: "tree-seen", at, by: plugin, tree });
  }
}
