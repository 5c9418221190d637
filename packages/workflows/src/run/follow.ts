import type { JournalQuery } from "./engine.ts";
import type { JournalEntry, RunOwner } from "./events.ts";
import type { RunStore } from "./run-store.ts";

/** How often whoever follows a run that is silent looks whether its owner is still there. */
const everyMs = 500;

/** The records of a run; with `follow` also those to come, until whoever works on it has no more to say, or is dead. */
export async function* follow(
  store: RunStore,
  runId: string,
  { follow: isFollowing = false, after = 0 }: JournalQuery,
): AsyncGenerator<JournalEntry, void> {
  let isOver = false;
  let last = after;
  let owner: RunOwner | undefined;
  for (const entry of store.read(runId)) {
    isOver = endsFollowing(entry);
    owner = ownerAfter(entry, owner);
    last = entry.n;
    if (entry.n > after) yield entry;
  }
  if (!isFollowing || isOver) return;
  const read = store.tail(runId, last);
  let wake = (): void => undefined;
  let isNew = true;
  let isDead = false;
  const unwatch = store.watch(runId, "journal", () => {
    isNew = true;
    wake();
  });
  // The dead write nothing, so nothing would ever be new.
  const looking = setInterval(() => {
    isDead = owner !== undefined && !store.isAlive(runId, owner);
    if (isDead) wake();
  }, everyMs);
  looking.unref();
  try {
    for (;;) {
      isNew = false;
      const isLast = isDead;
      isDead = false;
      const fresh = read();
      for (const entry of fresh) {
        owner = ownerAfter(entry, owner);
        yield entry;
        if (endsFollowing(entry)) return;
      }
      // With something new it may have another owner.
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

function ownerAfter({ event }: JournalEntry, before: RunOwner | undefined): RunOwner | undefined {
  if (event.type === "run-claimed") return event.owner;
  return event.type === "run-ended" || event.type === "run-released" ? undefined : before;
}

function endsFollowing({ event }: JournalEntry): boolean {
  return event.type === "run-ended" || event.type === "run-released";
}
