import type { FakeClock } from "./clock.ts";
import type { Random } from "./random.ts";

export interface TaskOptions {
  /** The task is picked before this much time has passed. Without it, any number of timers may fire first. */
  readonly within?: number;
}

export interface Scheduler {
  /** Something that is ready to happen: resolves when it is picked. */
  ready(name: string, options?: TaskOptions): Promise<void>;
  /** Picks one of the ready tasks, or the next timer, and lets it happen. False if there is neither. */
  pickNext(): boolean;
  note(text: string): void;
  /** What happened, in order. */
  readonly trace: readonly string[];
}

interface Task {
  readonly name: string;
  readonly latest: number;
  readonly run: () => void;
}

const theNextTimer = Symbol("the next timer");

export function seededScheduler(random: Random, clock: FakeClock): Scheduler {
  const tasks: Task[] = [];
  const trace: string[] = [];
  const note = (text: string, time = clock.monotonic()): void => {
    trace.push(`${String(time).padStart(7)} ms  ${text}`);
  };

  return {
    trace,
    note: (text) => note(text),
    ready: (name, { within = Number.POSITIVE_INFINITY } = {}) =>
      new Promise((resolve) => {
        tasks.push({ name, latest: clock.monotonic() + within, run: resolve });
      }),
    pickNext: () => {
      const due = clock.nextDue();
      const choices: (Task | typeof theNextTimer)[] = [...tasks];
      // A timer may overtake every task that is allowed to take that long.
      if (due !== undefined && tasks.every(({ latest }) => due <= latest)) choices.push(theNextTimer);
      if (choices.length === 0) return false;
      const choice = random.pick(choices);
      if (choice === theNextTimer) {
        note("a timer fires", due);
        clock.fireNext();
      } else {
        tasks.splice(tasks.indexOf(choice), 1);
        note(choice.name);
        choice.run();
      }
      return true;
    },
  };
}
