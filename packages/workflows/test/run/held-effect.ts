import { type Deferred, deferred } from "@atomic/testing/waiting";
import type { Effect } from "./toy.ts";

export interface HeldEffect {
  readonly effect: Effect;
  open(key: string): void;
}

/** Says when a step begins, ends and is aborted. One whose name begins with `hold` ends only once it is opened. */
export function heldEffect(say: (line: string) => void): HeldEffect {
  const gates = new Map<string, Deferred>();
  let isOpen = false;
  const gate = (key: string): Deferred => {
    const found = gates.get(key) ?? deferred();
    gates.set(key, found);
    return found;
  };
  return {
    effect: async (key, { signal }) => {
      say(`begin ${key}`);
      if (isHeld(key) && !isOpen) await Promise.race([gate(key).promise, gate("*").promise, aborted(signal)]);
      if (signal.aborted) {
        say(`abort ${key}`);
        throw signal.reason;
      }
      say(`end ${key}`);
      return `did ${key}`;
    },
    open: (key) => {
      if (key === "*") isOpen = true;
      gate(key).resolve();
    },
  };
}

function isHeld(key: string): boolean {
  return key.slice(key.lastIndexOf("/") + 1).startsWith("hold");
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
