import { expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Journal, openJournal } from "@atomic/durable-files/journal/journal";
import * as persons from "../../src/run/person-actions.ts";
import { openRun, readRun, startRun } from "../../src/sessions/journal.ts";
import { sealPath } from "../../src/sessions/seal.ts";
import { anna, plugin, SimulatedRun } from "../run/simulated-run.ts";
import { act, asAnna, paused, place, replay, say, start, until, waiveToTheEnd } from "./run-on-disk.ts";

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

test("only one process drives a run, and another one learns which", async () => {
  await using folder = await place();
  await using _driver = await startRun(folder.at, start);
  await expect(openRun(folder.at, { drive: true })).rejects.toMatchObject({
    code: "locked",
    message: expect.stringContaining(String(process.pid)),
  });
});

test("an event that claims to be the user's is only written if the user's action made it", async () => {
  await using folder = await place();
  await using run = await startRun(folder.at, start);
  const acted = persons.cancel(run.state, { by: anna, at: 1 }, "enough");
  if (!acted.ok) throw new Error(acted.because);
  await expect(run.append({ ...acted.event })).rejects.toThrow("the user did not make this one");
  expect(readRun(folder.at.journal).events).toHaveLength(1);
  expect((await run.append(acted.event)).status.kind).toBe("cancelled");
});

test("the user approves the plan in a shell, and the driver continues", async () => {
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
test("a finished run is paused again if its journal was changed, until the user decides", async () => {
  for (const how of ["resume", "reject"] as const) {
    await using folder = await place();
    await using run = await startRun(folder.at, start);
    const whole = new SimulatedRun({ options: { skipPlanReview: true } });
    whole.play();
    await replay(run, whole.events.slice(1));
    expect(run.state.status.kind).toBe("done");
    appendFileSync(folder.at.journal, '{"type":"approved"}\n');
    expect((await run.refresh()).status).toMatchObject({ ...paused, wasDone: true });
    const act = asAnna(run);
    if (how === "reject") await say(run, persons.reject(run.state, act, { notes: "not mine", to: "implementation" }));
    await say(run, persons.resume(run.state, act));
    expect(run.state.status.kind).toBe(how === "resume" ? "done" : "running");
  }
});

test("without a seal, what was decided while agents had a shell is shown before it counts", async () => {
  await using folder = await place();
  const first = await startRun(folder.at, start);
  await replay(first, until("implementation"));
  first.close();
  await waiveToTheEnd(folder.at);
  rmSync(folder.at.seal);
  expect(readRun(folder.at.journal, folder.at.seal).isSealed).toBe(false);
  await using run = await openRun(folder.at, { drive: true });
  expect(run.state.status).toMatchObject({ ...paused, wasDone: true });
  expect(run.state.status).toMatchObject({
    detail: expect.stringMatching(/its seal is missing.*accept.*: waive phase of implementation: trust me, as anna/s),
  });
});

test("a folder in place of the seal stops nothing and counts as a missing seal", async () => {
  await using folder = await place();
  const first = await startRun(folder.at, start);
  await replay(first, until("implementation"));
  const block = (): void => {
    rmSync(folder.at.seal);
    mkdirSync(folder.at.seal);
  };
  block();
  await first.append({ type: "tree-seen", at: Date.now(), by: plugin, tree: "sha256:1" });
  expect(readRun(folder.at.journal, folder.at.seal)).toMatchObject({ isSealed: true });
  first.close();
  block();
  await using run = await openRun(folder.at, { drive: true });
  expect(run.state.status).toMatchObject({ kind: "paused", detail: expect.stringContaining("its seal is missing") });
});

test("the user's decision that a crash left between the journal and its seal counts", async () => {
  await using folder = await place();
  const first = await startRun(folder.at, start);
  await replay(first, until("implementation"));
  // As it lies on disk when the record is there, and its seal is not.
  const prototype = await prototypeOfJournals(folder.path);
  const { appendSync } = prototype;
  let sealed: Buffer | undefined;
  prototype.appendSync = function (event) {
    sealed ??= readFileSync(folder.at.seal);
    return appendSync.call(this, event);
  };
  try {
    await say(first, persons.waive(first.state, asAnna(first), { gate: "phase", why: "enough" }));
  } finally {
    prototype.appendSync = appendSync;
  }
  first.close();
  writeFileSync(folder.at.seal, sealed!);
  await using run = await openRun(folder.at, { drive: true });
  expect(run.state).toMatchObject({ phase: "design-validation", held: [], status: { kind: "running" } });
});

/** Their class is private, except to this test. */
async function prototypeOfJournals(folder: string): Promise<Journal> {
  await using journal = await openJournal(join(folder, "any.jsonl"));
  return Object.getPrototypeOf(journal) as Journal;
}

test("a run whose folder is replaced does not continue", async () => {
  await using folder = await place();
  const run = await startRun(folder.at, start);
  await replay(run, until("implementation"));
  const own = join(folder.path, "run");
  cpSync(own, `${own}.other`, { recursive: true });
  const other = { journal: join(`${own}.other`, "journal.jsonl"), seal: join(folder.path, "other.json") };
  await act(other, (state, who) => persons.waive(state, who, { gate: "phase", why: "trust me" }));
  rmSync(own, { recursive: true });
  renameSync(`${own}.other`, own);
  await expect(run.refresh()).rejects.toMatchObject({ code: "fenced" });
  expect(run.state).toMatchObject({ phase: "implementation", waivers: [] });
});

test("an event that only a newer version knows stops the run", async () => {
  await using folder = await place();
  const first = await startRun(folder.at, start);
  first.close();
  await using newer = await openJournal(folder.at.journal);
  await newer.append({ type: "approval-revoked", at: 1, by: anna, phase: "architecture" });
  newer.close();
  await using run = await openRun(folder.at, { drive: true });
  expect(run.state.status).toMatchObject({
    kind: "paused",
    reason: "newer-version",
    detail: expect.stringContaining('"approval-revoked", which only a newer version'),
  });
});

test("plugin events that the plugin did not write do not count, and pause the run", async () => {
  await using folder = await place();
  await using run = await startRun(folder.at, start);
  await using foreign = await openJournal(folder.at.journal);
  await foreign.append({ type: "tree-seen", at: 1, by: plugin, tree: "x" });
  foreign.close();
  expect(await run.refresh()).toMatchObject({ tree: undefined, status: paused });
});

const changes: Record<string, (path: string) => void | Promise<void>> = {
  "rewritten with sums that fit": async (path) => {
    const { records } = await import("@atomic/durable-files/journal/read-journal").then(({ readJournal }) =>
      readJournal(path),
    );
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
  test(`a journal that is ${how} while the plugin runs is restored, and the run pauses`, async () => {
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

  test(`a journal that is ${how} between sessions pauses the run when it is opened`, async () => {
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
      await expect(openRun(folder.at, { drive: true })).rejects.toThrow("contains no readable run");
      expect(readFileSync(folder.at.journal, "utf8")).toBe(bytes);
      return;
    }
    await using again = await openRun(folder.at, { drive: true });
    expect(again.state.status).toMatchObject(paused);
  });
}

test("a journal without a seal is accepted unchanged", async () => {
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

test("concurrent appends keep their order and lose nothing", async () => {
  await using folder = await place();
  await using run = await startRun(folder.at, start);
  const trees = Array.from({ length: 20 }, (_, at) => `tree-${at}`);
  await Promise.all(trees.map((tree) => run.append({ type: "tree-seen", at: 1, by: plugin, tree })));
  const written = readRun(folder.at.journal).events.flatMap((event) => (event.type === "tree-seen" ? event.tree : []));
  expect(written).toEqual(trees);
});

test("a second run in the same folder is refused, and nothing is left behind", async () => {
  await using folder = await place();
  (await startRun(folder.at, start)).close();
  await expect(startRun(folder.at, start)).rejects.toThrow("already contains a run");
  expect(readdirSync(join(folder.path, "run")).filter((name) => name.includes("changed"))).toEqual([]);
});

test("the seal is outside the project, one for each journal", () => {
  const env = { HOME: "/home/anna" };
  expect(sealPath("/p/a.jsonl", env)).toMatch(/^\/home\/anna\/\.local\/state\/magnus-opus\/[0-9a-f]{24}\.seal\.json$/);
  expect(sealPath("/p/a.jsonl", { XDG_STATE_HOME: "/state" })).toStartWith("/state/magnus-opus/");
  expect(sealPath("/p/a.jsonl", env)).not.toBe(sealPath("/p/b.jsonl", env));
});
