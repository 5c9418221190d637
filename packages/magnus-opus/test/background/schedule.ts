// One schedule: parents launch tasks, people interfere, OpenCode misbehaves and dies. At the end everything has to add up.
import { type Random, seededRandom } from "@atomic/testing/simulation/random";
import { advance } from "../../src/background/advance.ts";
import type { BackgroundEvent } from "../../src/background/event.ts";
import { type BackgroundAction, dueNotices, whyNotLaunch } from "../../src/background/next.ts";
import { type BackgroundRecord, readBackgroundRecord, stateOf } from "../../src/background/records.ts";
import {
  type BackgroundLimits,
  type BackgroundTask,
  defaultLimits,
  isOpen,
  nothingYet,
} from "../../src/background/task.ts";
import { dueAt } from "../../src/background/time.ts";
import { type Faults, type SessionEvent, SimulatedOpencode, SimulatedTime } from "./simulated-opencode.ts";
import { wrongAtTheEnd, wrongInMemory, wrongNow, wrongOutcome } from "./what-must-hold.ts";

/** Without the time, which the schedule adds. */
type NewEvent = BackgroundEvent extends infer Each ? (Each extends BackgroundEvent ? Omit<Each, "at"> : never) : never;

export interface ScheduleResult {
  readonly outcomes: readonly string[];
  readonly wakes: number;
  readonly restarts: number;
  readonly problems: readonly string[];
  readonly trace: readonly string[];
}

const calm: Faults = { lost: 0, twice: 0, late: 0, rejected: 0 };
const rough: Faults = { lost: 0.1, twice: 0.1, late: 0.15, rejected: 0.08 };
const mostSteps = 3_000;

export function runSchedule(seed: number): ScheduleResult {
  return new Schedule(seed).run();
}

class Schedule {
  readonly #random: Random;
  readonly #time = new SimulatedTime();
  readonly #opencode: SimulatedOpencode;
  readonly #faults: Faults;
  readonly #limits: BackgroundLimits;
  readonly #journal: unknown[] = [];
  readonly #problems: string[] = [];
  /** Tool calls that wait for a task's result. */
  readonly #waiting = new Map<string, string>();
  /** How often a turn's result is in the parent's conversation. */
  readonly #told = new Map<string, number>();
  /** Parents that a person, a crash or failures have silenced. */
  readonly #silenced = new Set<string>();
  #state = nothingYet;
  #calls = 0;
  #wakes = 0;
  #restarts = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const random = this.#random;
    this.#faults = random.chance(0.2) ? calm : rough;
    this.#limits = {
      ...defaultLimits,
      ...{ perModel: 1 + random.integer(3), perRoot: 1 + random.integer(4), depth: 1 + random.integer(2) },
      ...{ silenceMs: 60_000, personMs: 120_000, open: 6, wake: random.pick(["each", "all"] as const) },
      kept: random.integer(4),
      slots: random.chance(0.3) ? { p: 1 + random.integer(2) } : {},
    };
    this.#opencode = new SimulatedOpencode(this.#time, random, this.#faults, (event) => this.#hear(event));
  }

  run(): ScheduleResult {
    const random = this.#random;
    for (let parent = 0; parent <= random.integer(3); parent++) {
      const id = `parent-${parent}`;
      this.#opencode.create(id).isBusy = true;
      this.#launchGroup(id, id, 1);
      if (random.chance(0.4)) this.#interfere(id);
    }
    const isRough = this.#faults === rough;
    for (let more = isRough ? random.integer(3) : 0; more > 0; more--)
      this.#time.after(random.integer(90_000), "OpenCode restarts", () => this.#restart(random.chance(0.3)));
    let steps = 0;
    while (this.#step() || this.#finalWord()) {
      steps += 1;
      if (steps > mostSteps) {
        this.#problems.push("it never ends");
        break;
      }
    }
    this.#addUp();
    const records = this.#journal.map((each) => readBackgroundRecord(each)!);
    return {
      outcomes: records.flatMap((each) => (each.type === "ended" ? [each.outcome.kind] : [])),
      ...{ wakes: this.#wakes, restarts: this.#restarts, problems: this.#problems, trace: this.#time.trace },
    };
  }

  /** A parent's tool calls, and the end of its turn. */
  #launchGroup(parent: string, root: string, depth: number): void {
    const random = this.#random;
    const session = this.#opencode.sessions.get(parent)!;
    const { generation } = session;
    const isStill = (): boolean => session.exists && session.isBusy && session.generation === generation;
    let ms = 0;
    for (let count = 1 + random.integer(4); count > 0; count--) {
      ms += random.integer(3_000);
      this.#time.after(ms, `${parent} launches`, () => isStill() && this.#launch(parent, root, depth), "process");
    }
    this.#time.after(
      ms + random.integer(20_000),
      `${parent} ends its turn`,
      () => isStill() && this.#endTurn(parent),
      "process",
    );
  }

  #endTurn(parent: string): void {
    const isWaiting = [...this.#waiting.keys()].some((id) => this.#state.tasks.get(id)?.parent === parent);
    if (isWaiting) {
      this.#time.after(1_000, `${parent} waits`, () => this.#endTurn(parent), "process");
      return;
    }
    const session = this.#opencode.sessions.get(parent)!;
    if (!session.exists || !session.isBusy) return;
    session.isBusy = false;
    session.answers += 1;
    this.#opencode.emit({ type: "idle", session: parent });
  }

  #launch(parent: string, root: string, depth: number): void {
    if (whyNotLaunch(this.#state, this.#limits, { root, depth }) !== undefined) return;
    const random = this.#random;
    const id = `task-${this.#opencode.sessions.size}`;
    this.#opencode.create(id, parent);
    const model = random.pick(["p/a", "p/b", "q/a"]);
    const task = { id, turn: 1, parent, root, depth, agent: "explorer", description: id, model, after: "0" };
    const isAwaited = random.chance(0.2);
    if (isAwaited) this.#waiting.set(id, this.#call());
    this.#dispatch({ type: "launched", task, isAwaited });
    if (random.chance(0.1))
      this.#time.after(random.integer(random.pick([60, 20_000])), `cancel ${id}`, () =>
        this.#dispatch({ type: "cancelled", id, why: "not needed" }),
      );
    if (!isAwaited && random.chance(0.15))
      this.#time.after(random.integer(9_000), `ask for ${id}`, () => this.#ask(id));
    if (random.chance(0.1)) this.#time.after(60_000 + random.integer(60_000), `resume ${id}`, () => this.#resume(id));
  }

  /** `background_output`: waits a while. */
  #ask(id: string): void {
    const task = this.#state.tasks.get(id);
    const parent = task && this.#opencode.sessions.get(task.parent);
    if (parent === undefined || !parent.isBusy || !parent.exists || this.#waiting.has(id)) return;
    this.#waiting.set(id, this.#call());
    this.#dispatch({ type: "awaited", id, isAwaited: true });
    this.#time.after(30_000, `stop waiting for ${id}`, () => {
      if (this.#waiting.delete(id)) this.#dispatch({ type: "awaited", id, isAwaited: false });
    });
  }

  #resume(id: string): void {
    const task = this.#known(id);
    const session = this.#opencode.sessions.get(id)!;
    const isFree = task !== undefined && !isOpen(task) && task.notice.kind === "given";
    const parent = task && this.#opencode.sessions.get(task.parent);
    if (!isFree || !session.exists || session.isBusy || parent?.exists !== true) return;
    if (this.#silenced.has(task.parent) || !task.parent.startsWith("parent")) return;
    const { parent: of, root, depth, agent, description, model, turn } = task;
    const start = { id, turn: turn + 1, parent: of, root, depth, agent, description, model };
    this.#dispatch({ type: "launched", task: { ...start, after: String(session.answers) }, isAwaited: false });
    // The call was part of a turn.
    parent.isBusy = true;
    parent.generation += 1;
    this.#time.after(500, `${of} ends its turn`, () => this.#endTurn(of), "process");
  }

  #interfere(parent: string): void {
    const random = this.#random;
    const session = this.#opencode.sessions.get(parent)!;
    const what = random.pick(["Esc", "Esc", "speak", "speak", "delete"] as const);
    this.#time.after(random.integer(60_000), `${what} in ${parent}`, () => {
      if (what === "Esc") this.#opencode.abort(session, true);
      if (what === "speak") this.#speak(parent);
      if (what === "delete" && this.#random.chance(0.5)) this.#opencode.delete(session);
    });
  }

  /** A person writes: waiting results go along with the message. */
  #speak(parent: string): void {
    const session = this.#opencode.sessions.get(parent)!;
    if (!session.exists) return;
    this.#silenced.delete(parent);
    if (!this.#dispatch({ type: "spoke", session: parent })) return;
    const tasks = dueNotices(this.#state, parent).map(({ id }) => id);
    if (tasks.length > 0) {
      const delivery = `${parent}.${this.#state.deliveries + 1}`;
      if (!this.#dispatch({ type: "handed", parent, delivery, tasks })) return;
      this.#store(parent, delivery, tasks);
    }
    if (!session.isBusy) this.#opencode.turn(session, { isFast: true });
  }

  #restart(isReload: boolean): void {
    this.#restarts += 1;
    this.#time.note(isReload ? "(a reload)" : "(a crash)");
    this.#time.forget(isReload ? ["plugin"] : ["plugin", "process"]);
    if (!isReload) this.#opencode.crash();
    this.#waiting.clear();
    if (!isReload)
      for (const { id, parent } of this.#opencode.sessions.values()) if (parent === undefined) this.#silenced.add(id);
    const records = this.#journal.map((each) => readBackgroundRecord(JSON.parse(JSON.stringify(each)))!);
    this.#state = stateOf(records, this.#limits);
    this.#dispatch({ type: "restarted", isSameProcess: isReload });
  }

  #hear(event: SessionEvent): void {
    if (event.type === "aborted" && event.session.startsWith("parent")) this.#silenced.add(event.session);
    this.#dispatch(event);
  }

  /** False if the process died. */
  #dispatch(event: NewEvent): boolean {
    const before = this.#state;
    const step = advance(before, { ...event, at: this.#time.now } as BackgroundEvent, this.#limits);
    if (this.#faults === rough && step.records.length > 0 && event.type !== "restarted" && this.#random.chance(0.004)) {
      // The process dies while it writes: some of the records are on disk, and nothing was done.
      this.#journal.push(...step.records.slice(0, this.#random.integer(step.records.length + 1)));
      this.#time.note(`OpenCode dies while it writes about ${event.type}`);
      this.#restart(false);
      return false;
    }
    this.#state = step.state;
    this.#journal.push(...step.records);
    for (const record of step.records) {
      this.#time.note(`  → ${describe(record)}`);
      if (record.type !== "ended") continue;
      const { id, outcome } = record;
      const [session, task] = [this.#opencode.sessions.get(id)!, this.#state.tasks.get(id)!];
      this.#problems.push(...wrongOutcome(outcome, task, session, this.#restarts));
    }
    this.#problems.push(...wrongNow(this.#state, this.#limits));
    for (const action of step.actions) this.#perform(action);
    for (const [id, call] of this.#waiting) {
      const task = this.#state.tasks.get(id);
      if (task === undefined || isOpen(task) || !this.#waiting.delete(id)) continue;
      if (task.notice.kind !== "due") continue; // the parent has it already, or soon
      if (!this.#dispatch({ type: "handed", parent: task.parent, delivery: call, tasks: [id] })) return false;
      this.#store(task.parent, call, [id]);
    }
    return true;
  }

  /** Something is now part of a parent's conversation. */
  #store(parent: string, delivery: string, tasks: readonly string[]): void {
    this.#opencode.sessions.get(parent)!.deliveries.push(delivery);
    for (const id of tasks) {
      const key = `${id}#${this.#known(id)!.turn}`;
      this.#told.set(key, (this.#told.get(key) ?? 0) + 1);
    }
    this.#opencode.emit({ type: "arrived", delivery });
  }

  /** A request takes its time; its answer may get lost. */
  #perform(action: BackgroundAction): void {
    const random = this.#random;
    this.#time.note(`  ⇒ ${action.do} ${"id" in action ? action.id : action.parent}`);
    const answer = (event: NewEvent): void => {
      if (random.chance(this.#faults.lost / 2)) {
        this.#time.note(`lost answer: ${event.type}`);
        return;
      }
      this.#time.after(random.integer(50), `answer: ${event.type}`, () => this.#dispatch(event), "plugin");
    };
    const isRejected = random.chance(this.#faults.rejected);
    if (action.do === "wake" && action.tasks.some((id) => this.#waiting.has(id)))
      this.#problems.push("a tool call waits for a result that goes elsewhere");
    if (action.do === "wake" && this.#silenced.has(action.parent))
      this.#problems.push(`${action.parent} was woken after Esc`);
    this.#time.after(
      1 + random.integer(50),
      `${action.do} arrives`,
      () => this.#arrive(action, isRejected, answer),
      "process",
    );
  }

  #arrive(action: BackgroundAction, isRejected: boolean, answer: (event: NewEvent) => void): void {
    const session = this.#opencode.sessions.get("id" in action ? action.id : action.parent)!;
    switch (action.do) {
      case "start": {
        const { id, turn } = action;
        if (isRejected || !session.exists) {
          answer({ type: "refused", id, turn, why: "no" });
          return;
        }
        this.#opencode.turn(session);
        const wasCancelled = !isOpen(this.#known(id)!);
        if (wasCancelled && session.isBusy) this.#opencode.emit({ type: "busy", session: id }, true);
        const { depth, root } = this.#known(id)!;
        if (session.isBusy && depth < this.#limits.depth && this.#random.chance(0.3))
          this.#launchGroup(id, root, depth + 1);
        return;
      }
      case "look": {
        const { id, turn } = action;
        const after = Number(this.#state.tasks.get(id)?.after ?? 0);
        const found = isRejected ? ({ kind: "unknown" } as const) : this.#opencode.found(id, after);
        answer({ type: "looked", id, turn, found });
        return;
      }
      case "abort":
        this.#opencode.abort(session);
        return;
      case "wake": {
        const { parent, delivery, tasks } = action;
        const fault = isRejected ? this.#random.pick(["failed", "held"] as const) : undefined;
        const because = !session.exists ? "gone" : session.isBusy ? "busy" : fault;
        if (because !== undefined) {
          answer({ type: "unsent", parent, delivery, because });
          return;
        }
        this.#wakes += 1;
        session.wakes += 1;
        if (tasks.length === 0) this.#problems.push("an empty wake");
        // On a busy machine it takes OpenCode a while to store what it has accepted.
        const ms = this.#random.chance(this.#faults.late / 3) ? this.#random.integer(25_000) : 0;
        const store = (): void => {
          if (!session.exists) return;
          this.#store(parent, delivery, tasks);
          if (!session.isBusy) this.#opencode.turn(session, { isFast: true });
        };
        this.#time.after(ms, `${parent} gets what it was sent`, store, "process");
        return;
      }
      case "find": {
        const { parent, delivery } = action;
        if (isRejected) return;
        answer({ type: "searched", parent, delivery, isThere: session.deliveries.includes(delivery) });
        return;
      }
      case "look-at-parent": {
        if (isRejected) return;
        const is = session.exists ? (session.isBusy ? "busy" : "idle") : "gone";
        answer({ type: "parent-seen", session: session.id, is });
        return;
      }
    }
  }

  #step(): boolean {
    const due = dueAt(this.#state, this.#limits) ?? Number.POSITIVE_INFINITY;
    if (this.#time.runNext(due)) return true;
    if (due === Number.POSITIVE_INFINITY) return false;
    this.#time.now = Math.max(this.#time.now, due);
    this.#time.note("time passes");
    this.#dispatch({ type: "time-passed" });
    return true;
  }

  /** Nothing is left to happen: where results still wait for a person, the person comes back. */
  #finalWord(): boolean {
    const waiting = [...this.#state.parents].filter(
      ([session, { isStopped }]) =>
        isStopped && this.#opencode.sessions.get(session)!.exists && dueNotices(this.#state, session).length > 0,
    );
    for (const [session] of waiting) this.#speak(session);
    return waiting.length > 0;
  }

  /** At the end. */
  #addUp(): void {
    const { sessions } = this.#opencode;
    this.#problems.push(...wrongInMemory(this.#state, this.#limits, this.#time.now + 600_000));
    const records = this.#journal.map((each) => readBackgroundRecord(each)!);
    this.#problems.push(...wrongAtTheEnd({ records, sessions, told: this.#told, state: this.#state }));
    const isDisturbed = this.#time.trace.some((line) => /Esc|speak|resume|ask for|unsent/.test(line));
    const isUndisturbed = this.#faults === calm && this.#limits.wake === "all" && !isDisturbed;
    for (const { id, wakes } of sessions.values())
      if (isUndisturbed && id.startsWith("parent") && wakes > 1)
        this.#problems.push(`${id} was woken ${wakes} times for one group`);
  }

  /** In memory, or in the journal. */
  #known(id: string): BackgroundTask | undefined {
    const records = this.#journal.map((each) => readBackgroundRecord(each)!);
    return this.#state.tasks.get(id) ?? stateOf(records, this.#limits).tasks.get(id);
  }

  #call(): string {
    this.#calls += 1;
    return `call-${this.#calls}`;
  }
}

function describe(record: BackgroundRecord): string {
  if (record.type === "launched") return `launched ${record.task.id}`;
  if (record.type === "ended") return `ended ${record.id}: ${record.outcome.kind}`;
  if (record.type === "stopped") return `${record.session} is ${record.isStopped ? "" : "no longer "}stopped`;
  return `${record.type} ${record.tasks.join(", ")}`;
}
