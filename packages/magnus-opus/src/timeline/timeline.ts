// What happened in a run, in the order in which it did: the one reading of a journal that the text and the page show. Pure.
import type { MagnusEvent } from "../run/event.ts";
import type { PhaseName } from "../run/phase-name.ts";
import { reduce } from "../run/reduce.ts";
import type { RunState } from "../run/state.ts";
import { type Description, describe, whoOf } from "./describe-event.ts";
import { type Stay, Stays } from "./stays.ts";

export interface Entry extends Description {
  readonly at: number;
  readonly type: MagnusEvent["type"];
  readonly who: string;
  /** Or said to be. */
  readonly isPerson: boolean;
  readonly phase: PhaseName;
  /** It is in the journal, but was not allowed to happen, and changed nothing. */
  readonly isIgnored: boolean;
}

/** A session that worked for the run. */
export interface Delegation {
  readonly session: string;
  readonly agent: string;
  readonly model: string | undefined;
  readonly phase: PhaseName;
  readonly from: number;
  /** Undefined: it has not ended, or nobody saw it. */
  readonly to: number | undefined;
  readonly outcome: "idle" | "error" | "lost" | "open";
  readonly usd: number;
  readonly tokens: number;
}

/** What had been spent by then. */
export interface CostPoint {
  readonly at: number;
  readonly usd: number;
  readonly tokens: number;
}

export interface Timeline {
  /** At the end. */
  readonly state: RunState;
  readonly from: number;
  readonly to: number;
  readonly stays: readonly Stay[];
  readonly delegations: readonly Delegation[];
  readonly costs: readonly CostPoint[];
  /** All that happened but what only says what something cost. */
  readonly entries: readonly Entry[];
}

/** Undefined: these are not the events of a run. */
export function timelineOf(events: readonly MagnusEvent[]): Timeline | undefined {
  let state: RunState | undefined;
  const stays = new Stays();
  const entries: Entry[] = [];
  const costs: CostPoint[] = [];
  const delegations = new Delegations();
  for (const event of events) {
    const before = state;
    state = reduce(state, event);
    if (state === undefined) continue;
    stays.take(before, event, state);
    const isIgnored = before !== undefined && state.ignored > before.ignored;
    if (!isIgnored) delegations.take(event, state);
    if (event.type === "usage-seen")
      costs.push({ at: state.at, usd: state.spent.run.usd, tokens: state.spent.run.tokens });
    else entries.push(entryOf(event, before ?? state, isIgnored));
  }
  if (state === undefined) return undefined;
  return {
    ...{ state, from: state.startedAt, to: state.at, entries, costs },
    stays: stays.all(state),
    delegations: delegations.all,
  };
}

function entryOf(event: MagnusEvent, { phase, startedAt }: RunState, isIgnored: boolean): Entry {
  const at = Math.max(event.at, startedAt);
  return {
    ...describe(event),
    at,
    type: event.type,
    who: whoOf(event),
    isPerson: event.by.kind === "person" || event.type === "held",
    phase,
    isIgnored,
  };
}

class Delegations {
  readonly #sessions = new Map<string, Delegation>();
  readonly #messages = new Map<string, { readonly usd: number; readonly tokens: number }>();

  get all(): readonly Delegation[] {
    return [...this.#sessions.values()];
  }

  take(event: MagnusEvent, { at, phase }: RunState): void {
    if (event.type === "session-joined") {
      const { session, agent, model } = event;
      const before = this.#sessions.get(session) ?? { from: at, usd: 0, tokens: 0 };
      this.#sessions.set(session, { ...before, session, agent, model, phase, to: undefined, outcome: "open" });
    } else if (event.type === "session-ended") {
      this.#change(event.session, { to: at, outcome: event.outcome });
    } else if (event.type === "usage-seen") {
      const before = this.#messages.get(event.message) ?? { usd: 0, tokens: 0 };
      const { usd, tokens, session } = event;
      this.#messages.set(event.message, { usd, tokens });
      const known = this.#sessions.get(session);
      if (known === undefined) return;
      this.#change(session, { usd: known.usd + usd - before.usd, tokens: known.tokens + tokens - before.tokens });
    }
  }

  #change(session: string, to: Partial<Delegation>): void {
    const known = this.#sessions.get(session);
    if (known !== undefined) this.#sessions.set(session, { ...known, ...to });
  }
}
