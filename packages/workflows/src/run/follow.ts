import type { JournalQuery } from "./engine.ts";
import type { JournalEntry } from "./events.ts";
import type { RunStore } from "./run-store.ts";

/** The records of a run; with `follow` also those to come, until whoever works on it has no more to say. */
export async function* follow(
  store: RunStore,
  runId: string,
  { follow: isFollowing = false, after = 0 }: JournalQuery,
): AsyncGenerator<JournalEntry, void> {
  let isOver = false;
  let last = after;
  for (const entry of store.read(runId)) {
    isOver = endsFollowing(entry);
    last = entry.n;
    if (entry.n > after) yield entry;
  }
  if (!isFollowing || isOver) return;
  const read = store.tail(runId, last);
  let wake = (): void => undefined;
  let isNew = true;
  const unwatch = store.watch(runId, "journal", () => {
    isNew = true;
    wake();
  });
  try {
    for (;;) {
      isNew = false;
      for (const entry of read()) {
        yield entry;
        if (endsFollowing(entry)) return;
      }
      if (isNew) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    unwatch();
  }
}

function endsFollowing({ event }: JournalEntry): boolean {
  return event.type === "run-ended" || event.type === "run-released";
}
