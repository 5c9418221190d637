// The process that runs the graph is killed, and another one continues.
import { expect, test } from "bun:test";
import { type MemoryDisk, type MemoryStore, memoryStore } from "@atomic/workflows/internal/run/memory/memory-engine";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { Sessions } from "../../src/sessions/sessions.ts";
import { engineOn, eventsOf, goodAgents, Project } from "./run-implement.ts";

const input = { feature: "a settings page with a form", type: "UI_FOCUSED", skipPlanReview: false };

/** A process that dies when it has written this many records. */
function dyingStore(disk: MemoryDisk, records: number): { store: MemoryStore; died: Promise<void> } {
  const store = memoryStore(disk);
  const { promise: died, resolve } = Promise.withResolvers<void>();
  let left = records;
  const open: MemoryStore["open"] = async (runId, options) => {
    const log = await store.open(runId, options);
    const append = log.append.bind(log);
    log.append = (event) => {
      const number = append(event);
      left -= 1;
      if (left === 0) {
        store.crash();
        resolve();
      }
      return number;
    };
    return log;
  };
  return { store: { ...store, open }, died };
}

type Engine = ReturnType<typeof engineOn>["engine"];

/** A person who says yes to everything, also to what was asked by a process that is gone. */
async function sayYes(engine: Engine): Promise<void> {
  for await (const { event } of engine.journal("run", { follow: true })) {
    if (event.type === "wait-started") await engine.signal("run", event.key, "yes");
  }
}

async function stateOf(engine: Engine): Promise<MagnusState> {
  return (await eventsOf(engine)).reduce<MagnusState | undefined>(reduce, undefined)!;
}

/** Far enough into the run to be in each of its parts: the beginning, agents, questions, tests, the end. */
const kills = [2, 9, 23, 48, 71, 95, 112, 128];

test.each(kills)("killed after %d records, the run ends as it would have", async (records) => {
  await using project = await Project.make();
  const disk: MemoryDisk = new Map();
  const { store, died } = dyingStore(disk, records);
  const first = engineOn(project, goodAgents, store);
  await first.engine.start({ runId: "run", graph: first.graph, input });
  const run = await first.engine.run("run");
  void run.ended.catch(() => undefined); // it never ends: its process is gone
  const person = sayYes(first.engine);
  expect(await Promise.race([died.then(() => "killed"), run.ended.then(({ kind }) => kind)])).toBe("killed");
  void person.catch(() => undefined);

  const second = engineOn(project, goodAgents, memoryStore(disk));
  const again = await second.engine.run("run");
  const answering = sayYes(second.engine);
  expect((await again.ended).kind).toBe("done");
  await answering;
  const { visits, approvals, run: id } = await stateOf(second.engine);
  expect(visits.map(({ phase, left }) => `${phase} ${left}`)).toEqual([
    ...["requirements passed", "architecture passed", "plan-review passed", "implementation passed"],
    ...["design-validation passed", "code-review passed", "testing passed", "acceptance passed", "cleanup passed"],
  ]);
  expect(approvals.map(({ phase }) => phase)).toEqual(["architecture", "acceptance"]);
  expect(new Sessions(project.dir).list().map((session) => session.id)).toEqual([id]);
});
