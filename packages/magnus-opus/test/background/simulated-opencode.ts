// An OpenCode that exists only in memory: sessions, their turns, and messages on unreliable ways. Every choice comes from a seed.
import type { Random } from "@atomic/testing/simulation/random";
import type { Found } from "../../src/background/event.ts";

export interface SimulatedSession {
  readonly id: string;
  readonly parent: string | undefined;
  exists: boolean;
  isBusy: boolean;
  /** Grows whenever a turn ends or is stopped: what a former turn still wanted to do is void. */
  generation: number;
  /** Turns that were answered, or ended with an error. */
  answers: number;
  error: string | undefined;
  openTodos: number;
  /** Deliveries that are part of the conversation. */
  readonly deliveries: string[];
  wakes: number;
}

export type SessionEvent =
  | { readonly type: "heard" | "busy" | "idle" | "aborted" | "deleted" | "prompted"; readonly session: string }
  | { readonly type: "errored"; readonly session: string; readonly why: string }
  | { readonly type: "arrived"; readonly delivery: string };

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly what: string;
  /** Undefined: survives everything. Otherwise it dies with that process or plugin. */
  readonly of: "process" | "plugin" | undefined;
  readonly run: () => void;
}

export interface Faults {
  readonly lost: number;
  readonly twice: number;
  readonly late: number;
  readonly rejected: number;
}

/** Time, and everything that is on its way. */
export class SimulatedTime {
  now = 0;
  readonly trace: string[] = [];
  #planned: Planned[] = [];
  #order = 0;

  after(ms: number, what: string, run: () => void, of: Planned["of"] = undefined): void {
    this.#order += 1;
    this.#planned.push({ at: this.now + ms, order: this.#order, what, run, of });
  }

  /** What would be next, unless something else is due before. */
  runNext(before: number): boolean {
    let first: Planned | undefined;
    for (const each of this.#planned)
      if (first === undefined || each.at < first.at || (each.at === first.at && each.order < first.order)) first = each;
    if (first === undefined || first.at > before) return false;
    this.#planned = this.#planned.filter((each) => each !== first);
    this.now = Math.max(this.now, first.at);
    this.note(first.what);
    first.run();
    return true;
  }

  forget(kinds: readonly Planned["of"][]): void {
    this.#planned = this.#planned.filter(({ of }) => !kinds.includes(of));
  }

  note(what: string): void {
    this.trace.push(`${String(this.now).padStart(7)} ${what}`);
  }
}

export class SimulatedOpencode {
  readonly sessions = new Map<string, SimulatedSession>();
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #listen: (event: SessionEvent) => void;

  constructor(time: SimulatedTime, random: Random, faults: Faults, listen: (event: SessionEvent) => void) {
    this.#time = time;
    this.#random = random;
    this.#faults = faults;
    this.#listen = listen;
  }

  create(id: string, parent?: string): SimulatedSession {
    const session: SimulatedSession = {
      ...{ id, parent, exists: true, isBusy: false, generation: 0, answers: 0, error: undefined, openTodos: 0 },
      ...{ deliveries: [], wakes: 0 },
    };
    this.sessions.set(id, session);
    return session;
  }

  /** Reports something, perhaps never, twice, or late. What a person did is never lost. */
  emit(event: SessionEvent, isCertain = false): void {
    const { lost, twice, late } = this.#faults;
    if (!isCertain && this.#random.chance(lost)) {
      this.#time.note(`lost: ${nameOf(event)}`);
      return;
    }
    const copies = this.#random.chance(twice) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const delay = this.#random.chance(late) ? this.#random.integer(20_000) : 0;
      this.#time.after(delay, nameOf(event), () => this.#listen(event), "plugin");
    }
  }

  /** One turn of a session, to its end. */
  turn(session: SimulatedSession, { isFast = false } = {}): void {
    const random = this.#random;
    session.error = undefined;
    session.openTodos = 0;
    const fate = isFast ? "answers" : random.pick(fates);
    if (fate === "bad agent") {
      this.emit({ type: "errored", session: session.id, why: "no such agent" });
      return;
    }
    session.isBusy = true;
    session.generation += 1;
    this.emit({ type: "busy", session: session.id });
    let ms = 0;
    const then = (most: number, what: string, act: () => void): void => {
      ms += random.integer(most);
      const { generation } = session;
      const isStill = (): boolean => session.exists && session.isBusy && session.generation === generation;
      this.#time.after(ms, `${session.id} ${what}`, () => isStill() && act(), "process");
    };
    for (let step = random.integer(3); step > 0; step--)
      then(9_000, "works", () => this.emit({ type: "heard", session: session.id }));
    if (fate === "asks") then(2_000, "asks", () => this.emit({ type: "prompted", session: session.id }));
    if (fate === "is sent nonsense")
      then(5_000, fate, () => this.emit({ type: "errored", session: session.id, why: "nonsense" }));
    if (fate === "hangs") return;
    then(9_000, fate, () => {
      if (fate === "is deleted") {
        this.delete(session);
        return;
      }
      if (fate === "is stopped") {
        this.abort(session);
        return;
      }
      if (fate === "fails") {
        session.error = "the provider failed";
        session.answers += 1;
        this.emit({ type: "errored", session: session.id, why: session.error });
      } else if (fate !== "says nothing") session.answers += 1;
      if (fate === "leaves todos") session.openTodos = 2;
      this.#rest(session);
    });
  }

  abort(session: SimulatedSession, isCertain = false): void {
    const wasBusy = session.isBusy;
    if (!session.exists) return;
    if (wasBusy || isCertain) this.emit({ type: "aborted", session: session.id }, isCertain);
    if (wasBusy) this.#rest(session);
  }

  delete(session: SimulatedSession): void {
    if (!session.exists) return;
    for (const child of this.sessions.values()) if (child.parent === session.id) this.delete(child);
    session.exists = false;
    session.isBusy = false;
    session.generation += 1;
    this.emit({ type: "deleted", session: session.id });
  }

  crash(): void {
    for (const session of this.sessions.values()) {
      session.isBusy = false;
      session.generation += 1;
    }
  }

  found(id: string, after: number): Found {
    const { exists, isBusy, answers, error, openTodos } = this.sessions.get(id)!;
    if (!exists) return { kind: "gone" };
    const isAnswered = answers > after;
    if (isBusy) return { kind: "busy" };
    return { kind: "ended", isAnswered, text: isAnswered ? `answer ${answers} of ${id}` : "", openTodos, error };
  }

  #rest(session: SimulatedSession): void {
    session.isBusy = false;
    session.generation += 1;
    this.emit({ type: "idle", session: session.id });
  }
}

const fates = [
  ...["answers", "answers", "answers", "answers", "says nothing", "leaves todos", "fails", "bad agent", "hangs"],
  ...["asks", "is sent nonsense", "is deleted", "is stopped"],
] as const;

function nameOf(event: SessionEvent): string {
  return `${event.type} ${"session" in event ? event.session : event.delivery}`;
}
