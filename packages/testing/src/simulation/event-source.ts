import type { Random } from "./random.ts";
import type { Scheduler, TaskOptions } from "./scheduler.ts";

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
