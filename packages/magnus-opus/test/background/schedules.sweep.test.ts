// Background tasks under many schedules: events are lost, late, repeated and reordered, prompts are rejected, sessions deleted,
// people press Esc, and OpenCode dies. `SWEEP=full` runs 100,000 of them, an everyday run a sample. `SEED=…` replays one.
import { expect, test } from "bun:test";
import { runSchedule } from "./schedule.ts";

const { SEED, SWEEP } = process.env;
const first = SEED === undefined ? 1 : Number(SEED);
const count = SEED !== undefined ? 1 : SWEEP === "full" ? 100_000 : 2_000;

test("every task ends once, its parent hears of it once, no slot is lost, and nothing hangs", () => {
  const reached = new Map<string, number>();
  for (let seed = first; seed < first + count; seed++) {
    const { problems, trace, outcomes, wakes, restarts } = runSchedule(seed);
    if (problems.length > 0)
      throw new Error(
        [`Schedule ${seed}: ${problems.join("; ")}`, ...trace.slice(-400), `Replay it with SEED=${seed}`].join("\n"),
      );
    for (const each of outcomes) reached.set(each, (reached.get(each) ?? 0) + 1);
    reached.set("wakes", (reached.get("wakes") ?? 0) + wakes);
    reached.set("restarts", (reached.get("restarts") ?? 0) + restarts);
  }
  if (SEED !== undefined) return;
  // The schedules reach everything that can become of a task.
  const all = [
    "cancelled",
    "completed",
    "deleted",
    "failed",
    "interrupted",
    "refused",
    "restarts",
    "timed-out",
    "wakes",
  ];
  expect(
    [...reached]
      .filter(([, times]) => times > count / 100)
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(all);
}, 600_000);
