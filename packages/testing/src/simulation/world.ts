import { fakeClock, type SimulatedClock } from "./clock.ts";
import type { Random } from "./random.ts";
import { type Scheduler, seededScheduler, type TaskOptions } from "./scheduler.ts";

/** Everything outside of the code under test. Every wait goes through it, so the seed decides. */
export interface World {
  readonly random: Random;
  readonly clock: SimulatedClock & { jump(milliseconds: number): void };
  /** A place where anything else may happen first. */
  step(name: string, options?: TaskOptions): Promise<void>;
  /** A call to somewhere else: it takes time to get there, and the answer takes time to come back. */
  call<T>(name: string, work: () => T | Promise<T>, options?: TaskOptions): Promise<T>;
  /** The same function, somewhere else. */
  remote<A extends unknown[], R>(name: string, work: (...args: A) => R | Promise<R>): (...args: A) => Promise<R>;
  events<T>(name: string, options?: EventOptions): EventSource<T>;
  /** Starts something without waiting for it. If it throws, the simulation has failed. */
  start(name: string, work: () => void | Promise<void>): void;
  /** Waits for a condition, looked at after every step. */
  until(what: string, condition: () => boolean): Promise<void>;
  /** Waits until nothing is left to happen. */
  settled(): Promise<void>;
  /** Adds a line to the trace. */
  note(text: string): void;
  readonly trace: readonly string[];
}

/** How the simulation drives a world. */
export interface DrivenWorld {
  readonly world: World;
  /** Lets one thing happen. False when nothing can. */
  next(): boolean;
  /** What is waited for in vain when nothing can happen any more. */
  waitingFor(): readonly string[];
  /** The first error of something that was started without waiting for it. */
  backgroundError(): { readonly error: unknown } | undefined;
}

interface Waiter {
  readonly what: string;
  readonly condition: (() => boolean) | undefined;
  readonly resolve: () => void;
}

export function createWorld(random: Random): DrivenWorld {
  const clock = fakeClock();
  const scheduler = seededScheduler(random, clock);
  const counts = new Map<string, number>();
  let waiters: readonly Waiter[] = [];
  let failed: { readonly error: unknown } | undefined;

  const background = (work: () => Promise<void>): void => {
    work().catch((error: unknown) => {
      failed ??= { error };
    });
  };
  const wait = (what: string, condition: (() => boolean) | undefined): Promise<void> =>
    new Promise((resolve) => {
      waiters = [...waiters, { what, condition, resolve }];
    });
  const release = (isDone: (waiter: Waiter) => boolean): boolean => {
    const done = waiters.filter(isDone);
    waiters = waiters.filter((waiter) => !done.includes(waiter));
    for (const waiter of done) waiter.resolve();
    return done.length > 0;
  };

  const call: World["call"] = async (name, work, options) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const title = `${name} #${count}`;
    await scheduler.ready(`${title} is called`, options);
    const result = await Promise.try(work).then(
      (value) => ({ value }) as const,
      (error: unknown) => ({ error }) as const,
    );
    await scheduler.ready(`${title} ${"error" in result ? "fails" : "answers"}`, options);
    if ("error" in result) throw result.error;
    return result.value;
  };

  const world: World = {
    random,
    clock,
    call,
    step: (name, options) => scheduler.ready(name, options),
    remote:
      (name, work) =>
      (...args) =>
        call(name, () => work(...args)),
    events: (name, options) => seededEventSource({ name, random, scheduler, background }, options),
    start: (name, work) =>
      background(async () => {
        await scheduler.ready(`${name} starts`);
        await work();
      }),
    until: (what, condition) => (condition() ? Promise.resolve() : wait(what, condition)),
    settled: () => wait("nothing left to happen", undefined),
    note: scheduler.note,
    trace: scheduler.trace,
  };

  return {
    world,
    next: () =>
      release(({ condition }) => condition?.() ?? false) ||
      scheduler.pickNext() ||
      release(({ condition }) => condition === undefined),
    waitingFor: () => waiters.map(({ what }) => what),
    backgroundError: () => failed,
  };
}

export interface EventOptions extends TaskOptions {
  /** Probability that an event is lost. */
  readonly drop?: number;
  /** Probability that an event arrives twice. */
  readonly duplicate?: number;
  /** Whether a later event may overtake an earlier one. */
  readonly reorder?: boolean;
}

/** Events on their way from somewhere unreliable. */
export interface EventSource<T> {
  emit(event: T): void;
  /** Returns the way to stop listening. */
  subscribe(listener: (event: T) => void | Promise<void>): () => void;
}

export interface EventSourceParts {
  readonly name: string;
  readonly random: Random;
  readonly scheduler: Scheduler;
  /** A listener that throws fails the simulation. */
  readonly background: (work: () => Promise<void>) => void;
}

export function seededEventSource<T>(parts: EventSourceParts, options: EventOptions = {}): EventSource<T> {
  const { name, random, scheduler, background } = parts;
  const { drop = 0, duplicate = 0, reorder = false } = options;
  const listeners = new Set<(event: T) => void | Promise<void>>();
  let emitted = 0;
  let last: Promise<void> = Promise.resolve();

  const deliver = async (title: string, event: T, before: Promise<void>): Promise<void> => {
    if (!reorder) await before;
    await scheduler.ready(`${title} arrives`, options);
    for (const listener of [...listeners]) background(async () => await listener(event));
  };

  return {
    emit: (event) => {
      const title = `${name} #${++emitted}`;
      if (drop > 0 && random.chance(drop)) {
        scheduler.note(`${title} is lost`);
        return;
      }
      const copies = duplicate > 0 && random.chance(duplicate) ? [title, `${title} once more`] : [title];
      for (const copy of copies) {
        last = deliver(copy, event, last);
        const delivery = last;
        background(() => delivery);
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
