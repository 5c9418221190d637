import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "@atomic/durable-files/journal";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { EventOf, MagnusEvent, Person } from "../../src/run/event.ts";
import { openRun, type RunJournal, type RunPlace, readRun, startRun } from "../../src/run/journal.ts";
import * as persons from "../../src/run/person-actions.ts";
import { sealPath } from "../../src/run/seal.ts";
import type { RunState } from "../../src/run/state.ts";
import { anna, plugin, Rehearsal, startEvent } from "./rehearsal.ts";

const shell: Person = { kind: "person", how: "shell", name: "anna" };
const start = startEvent({ options: { skipPlanReview: true } }) as EventOf<"run-started">;

async function place() {
  const folder = await temporaryFolder("magnus-");
  const at: RunPlace = { journal: join(folder.path, "run", "journal.jsonl"), seal: join(folder.path, "seal.json") };
  await Bun.write(join(folder.path, "run", ".keep"), "");
  return Object.assign(folder, { at });
}

/** The events of a run that has come as far as that phase. */
function until(phase: string): readonly MagnusEvent[] {
  const run = new Rehearsal({ options: { skipPlanReview: true } });
  while (run.state.phase !== phase) if (!run.step()) run.person(persons.approve);
  return run.events.slice(1);
}

async function act(
  place: RunPlace,
  action: (state: RunState, act: persons.Act) => persons.Acted,
  by = shell,
): Promise<void> {
  await using run = await openRun(place, { drive: false });
  const acted = action(run.state, { by, at: run.state.at + 1 });
  if (!acted.ok) throw new Error(acted.because);
  await run.append(acted.event);
}

const paused = { kind: "paused", reason: "journal-changed" };

test("a run is the same after it was closed and opened again", async () => {
  await using folder = await place();
  const first = await startRun(folder.at, start);
  await first.append(...until("architecture"));
  const { state } = first;
  first.close();
  await using again = await openRun(folder.at, { drive: true });
  expect(again.state).toEqual(state);
  expect(again.state.phase).toBe("architecture");
  expect(readRun(folder.at.journal).state).toEqual(state);
});

test("only one process drives a run, and the other is told who does", async () => {
  await using folder = await place();
  await using _driver = await startRun(folder.at, start);
  await expect(openRun(folder.at, { drive: true })).rejects.toMatchObject({
    code: "locked",
    message: expect.stringContaining(String(process.pid)),
  });
});

test("an event that calls itself a person's is not written unless a person's act made it", async () => {
  await using folder = await place();
  await using run = await startRun(folder.at, start);
  const acted = persons.cancel(run.state, { by: anna, at: 1 }, "enough");
  if (!acted.ok) throw new Error(acted.because);
  await expect(run.append({ ...acted.event })).rejects.toThrow("no person made it");
  expect(readRun(folder.at.journal).events).toHaveLength(1);
  expect((await run.append(acted.event)).status.kind).toBe("cancelled");
});

test("a person approves in a shell while the plan waits, and the driver goes on", async () => {
  await using folder = await place();
  await using run = await startRun(folder.at, start);
  const events = until("implementation");
  await run.append(
    ...events.slice(
      0,
      events.findIndex(({ type }) => type === "approved"),
    ),
  );
  expect(run.state.isReady).toBe(true);
  await act(folder.at, persons.approve);
  const state = await run.refresh();
  expect([state.phase, state.status.kind]).toEqual(["implementation", "running"]);
});

test("once agents have a shell, an act from a shell pauses the run until a person resumes it in OpenCode", async () => {
  await using folder = await place();
  await using run = await startRun(folder.at, start);
  await replay(run, until("implementation"));
  await act(folder.at, (state, who) => persons.waive(state, who, { gate: "phase", why: "trust me" }));
  expect((await run.refresh()).status).toMatchObject(paused);
  await act(folder.at, persons.resume);
  expect((await run.refresh()).status).toMatchObject(paused);
  const resumed = persons.resume(run.state, { by: anna, at: run.state.at + 1 });
  if (!resumed.ok) throw new Error(resumed.because);
  expect((await run.append(resumed.event)).status.kind).toBe("running");
});

test("events of the plugin that the plugin did not write pause the run", async () => {
  await using folder = await place();
  await using run = await startRun(folder.at, start);
  await using foreign = await openJournal(folder.at.journal);
  await foreign.append({ type: "tree-seen", at: 1, by: plugin, tree: "x" });
  foreign.close();
  expect((await run.refresh()).status).toMatchObject(paused);
});

const changes: Record<string, (path: string) => void | Promise<void>> = {
  "rewritten with sums that fit": async (path) => {
    const { records } = await import("@atomic/durable-files/read-journal").then(({ readJournal }) => readJournal(path));
    rmSync(path);
    await using forged = await openJournal(path);
    for (const { event } of records) await forged.append({ ...(event as object), at: 7 });
  },
  "edited in place": (path) => writeFileSync(path, readFileSync(path, "utf8").replace('"UI_FOCUSED"', '"API_FOCUSED"')),
  "cut short": (path) => writeFileSync(path, `${readFileSync(path, "utf8").split("\n").slice(0, 2).join("\n")}\n`),
  "followed by a line of no sum": (path) => appendFileSync(path, '{"type":"approved"}\n'),
  removed: (path) => rmSync(path),
};

for (const [how, change] of Object.entries(changes)) {
  test(`a journal that is ${how} under a running plugin is put right, and the run pauses`, async () => {
    await using folder = await place();
    await using run = await startRun(folder.at, start);
    await replay(run, until("architecture"));
    const { state } = run;
    await change(folder.at.journal);
    const after = await run.append({ type: "tree-seen", at: 99_000, by: plugin, tree: "tree-9" });
    expect(after.status).toMatchObject(paused);
    expect(after).toMatchObject({
      phase: state.phase,
      workflow: "UI_FOCUSED",
      artifacts: state.artifacts,
      tree: "tree-9",
    });
    expect(readRun(folder.at.journal).state).toEqual(after);
    expect(existsSync(`${folder.at.journal}.changed-1`)).toBe(how !== "removed");
  });

  test(`a journal that is ${how} while nobody looks pauses the run when it is opened`, async () => {
    await using folder = await place();
    const run = await startRun(folder.at, start);
    await replay(run, until("architecture"));
    run.close();
    await change(folder.at.journal);
    if (how === "removed") {
      await expect(openRun(folder.at, { drive: true })).rejects.toThrow("There is no run");
      return;
    }
    if (how === "edited in place") {
      const bytes = readFileSync(folder.at.journal, "utf8");
      await expect(openRun(folder.at, { drive: true })).rejects.toThrow("No run can be read");
      expect(readFileSync(folder.at.journal, "utf8")).toBe(bytes);
      return;
    }
    await using again = await openRun(folder.at, { drive: true });
    expect(again.state.status).toMatchObject(paused);
  });
}

test("a journal without a seal is taken as it is", async () => {
  await using folder = await place();
  (await startRun(folder.at, start)).close();
  rmSync(folder.at.seal);
  await using again = await openRun(folder.at, { drive: true });
  expect(again.state.status.kind).toBe("running");
});

test("what a crash left between the journal and its seal is kept", async () => {
  await using folder = await place();
  const run = await startRun(folder.at, start);
  const seal = readFileSync(folder.at.seal);
  await run.append({ type: "tree-seen", at: 1, by: plugin, tree: "tree-1" });
  run.close();
  writeFileSync(folder.at.seal, seal);
  await using again = await openRun(folder.at, { drive: true });
  expect([again.state.tree, again.state.status.kind]).toEqual(["tree-1", "running"]);
});

test("appends of the same moment keep their order and lose nothing", async () => {
  await using folder = await place();
  await using run = await startRun(folder.at, start);
  const trees = Array.from({ length: 20 }, (_, at) => `tree-${at}`);
  await Promise.all(trees.map((tree) => run.append({ type: "tree-seen", at: 1, by: plugin, tree })));
  const written = readRun(folder.at.journal).events.flatMap((event) => (event.type === "tree-seen" ? event.tree : []));
  expect(written).toEqual(trees);
});

test("a second run in the same place is refused, and nothing is left behind", async () => {
  await using folder = await place();
  (await startRun(folder.at, start)).close();
  await expect(startRun(folder.at, start)).rejects.toThrow("There is a run");
  expect(readdirSync(join(folder.path, "run")).filter((name) => name.includes("changed"))).toEqual([]);
});

test("the seal is outside the project, one for each journal", () => {
  const env = { HOME: "/home/anna" };
  expect(sealPath("/p/a.jsonl", env)).toMatch(/^\/home\/anna\/\.local\/state\/magnus-opus\/[0-9a-f]{24}\.seal\.json$/);
  expect(sealPath("/p/a.jsonl", { XDG_STATE_HOME: "/state" })).toStartWith("/state/magnus-opus/");
  expect(sealPath("/p/a.jsonl", env)).not.toBe(sealPath("/p/b.jsonl", env));
});

/** Persons' events are made anew: copies are not written. */
async function replay(run: RunJournal, events: readonly MagnusEvent[]): Promise<void> {
  for (const event of events) await run.append(event);
}
