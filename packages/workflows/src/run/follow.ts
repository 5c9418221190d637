import type { JournalQuery } from "./engine.ts";
import type { JournalEntry, RunOwner } from "./events.ts";
import type { RunStore } from "./run-store.ts";

/** How often a follower of a silent run checks whether its owner is still alive. */
const aliveEveryMs = 500;

/** A run's records; with `follow`, also those to come, until its owner has no more to record, or is dead. */
export async function* follow(
  store: RunStore,
  runId: string,
  { follow: isFollowing = false, after = 0 }: JournalQuery,
): AsyncGenerator<JournalEntry, void> {
  let isOver = false;
  let last = after;
  let owner: RunOwner | undefined;
  for (const entry of await store.read(runId)) {
    isOver = isEnd(entry);
    if (isOver) owner = undefined;
    else if (entry.event.type === "run-claimed") owner = entry.event.owner;
    last = entry.n;
    if (entry.n > after) yield entry;
  }
  if (!isFollowing || isOver) return;
  const read = store.tail(runId, last);
  let wake: (() => void) | undefined;
  let isNew = true;
  let isDead = false;
  let failure: { readonly error: unknown } | undefined;
  const unwatch = store.watch(runId, "journal", () => {
    isNew = true;
    wake?.();
  });
  // A dead owner writes nothing, so nothing would ever be new.
  const look = async (): Promise<void> => {
    try {
      isDead = owner !== undefined && !(await store.isAlive(runId, owner));
    } catch (error) {
      failure = { error };
    }
    if (isDead || failure !== undefined) wake?.();
  };
  const looking = setInterval(() => void look(), aliveEveryMs);
  looking.unref();
  try {
    for (;;) {
      isNew = false;
      const isLast = isDead;
      isDead = false;
      const fresh = await read();
      if (failure !== undefined) throw failure.error;
      for (const entry of fresh) {
        if (entry.event.type === "run-claimed") owner = entry.event.owner;
        yield entry;
        if (isEnd(entry)) return;
      }
      // If something is new, the run may have another owner.
      if (isLast && fresh.length === 0) return;
      if (isNew) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    clearInterval(looking);
    unwatch();
  }
}

function isEnd({ event }: JournalEntry): boolean {
  return event.type === "run-ended" || event.type === "run-released";
}
