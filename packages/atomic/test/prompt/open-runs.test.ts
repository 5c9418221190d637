// Which runs a prompt line shows, and whose end, on real journals.
import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { type Project, tmpProject } from "@atomic/testing/project";
import { toolNode, waitNode } from "@atomic/workflows";
import type { JournalQuery, LocalEngine } from "@atomic/workflows/internal/run/engine";
import { OpenRuns } from "../../src/prompt/open-runs.ts";
import { runsOf } from "../../src/runs/runs-folder.ts";
import { questionsOf } from "../../src/view/questions.ts";
import { contextIn } from "../atomic.ts";
import { begin, newGraph } from "../runs/begun.ts";

const short = newGraph().start(toolNode({ id: "say", run: () => "said" }));
const asking = newGraph().start(waitNode({ id: "approval", prompt: "Publish?" }));

/**
 * What is shown of the project's runs, look by look.
 *
 * @param away What the engine cannot do when it is first asked, as a database that is away.
 */
async function watched(project: Project, away: readonly ("list" | "stamp")[] = []) {
  const { context } = contextIn(project, { columns: 80 });
  const ended: string[] = [];
  const failed: string[] = [];
  const damaged: string[] = [];
  const projectRuns = await runsOf(context, undefined);
  const { engine } = projectRuns;
  const left = new Set<string>(away);
  const once =
    <Given extends unknown[], Result>(name: string, act: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (left.delete(name)) throw new Error(`${name} is away`);
      return await act(...given);
    };
  const weak: LocalEngine = Object.create(engine, {
    ...{
      list: { value: once("list", () => engine.list()) },
      stamp: { value: once("stamp", (id: string) => engine.stamp(id)) },
    },
    ...{ status: { value: (id: string) => engine.status(id) }, notes: { value: (id: string) => engine.notes(id) } },
    state: { value: (id: string) => engine.state(id) },
    journal: { value: (id: string, query?: JournalQuery) => engine.journal(id, query) },
  });
  const runs = new OpenRuns(
    { ...projectRuns, engine: away.length === 0 ? engine : weak },
    {
      changed: () => undefined,
      ended: ({ view, status }) => void ended.push(`${view.state.runId} ${status.kind}`),
      damaged: (runId, error) => void damaged.push(`${runId}: ${error}`),
      failed: (error) => {
        if (away.length === 0) throw error;
        failed.push(String(error));
      },
    },
  );
  return {
    engine,
    runs,
    ended,
    failed,
    damaged,
    open: () => runs.list.map(({ view }) => view.state.runId),
    [Symbol.dispose]: () => runs.stop(),
  };
}

test("a run that was started here and ended before the first look shows its end, once", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project);
  await shown.runs.look();
  await begin(project, short, { runId: "calm-otter" });
  await shown.runs.follow("calm-otter", process.pid);
  await shown.runs.follow("calm-otter", process.pid);
  expect(shown.ended).toEqual(["calm-otter done"]);
  expect(shown.open()).toEqual([]);
});

test("a run that was started here is running before its process works on it", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project);
  await shown.engine.start({ runId: "calm-otter", graph: {}, input: null, name: "release" });
  await shown.engine.start({ runId: "brave-yak", graph: {}, input: null, name: "release" });
  await shown.runs.follow("calm-otter", process.pid);
  const statuses = shown.runs.list.map(({ view, status }) => [view.state.runId, status.kind]);
  expect(Object.fromEntries(statuses)).toEqual({ "calm-otter": "running", "brave-yak": "pending" });
});

test("a run that is continued and ends again before the next look shows its end again", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project);
  let isReady = false;
  const failing = newGraph().start(
    toolNode({
      id: "say",
      run: () => {
        if (!isReady) throw new Error("not yet");
        return "said";
      },
    }),
  );
  await begin(project, failing, { runId: "calm-otter" });
  await shown.runs.follow("calm-otter", process.pid);
  isReady = true;
  await shown.engine.reopen("calm-otter");
  await begin(project, failing, { runId: "calm-otter" });
  await shown.runs.follow("calm-otter", process.pid);
  await shown.runs.follow("calm-otter", process.pid);
  expect(shown.ended).toEqual(["calm-otter failed", "calm-otter done"]);
});

test("what a look could not read is read by the next one", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project, ["list", "stamp"]);
  await begin(project, asking, { runId: "brave-yak" });
  await begin(project, short, { runId: "calm-otter" });
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(project.path(".atomic/runs"), longAgo, longAgo);
  await shown.runs.follow("calm-otter", process.pid);
  await shown.runs.look();
  await shown.runs.look();
  expect(shown.failed).toEqual(["Error: list is away", "Error: stamp is away"]);
  expect(shown.open()).toEqual(["brave-yak"]);
  expect(shown.ended).toEqual(["calm-otter done"]);
});

test("a run that was started elsewhere and has ended is not shown", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project);
  await begin(project, short, { runId: "calm-otter" });
  await shown.runs.look();
  expect(shown.ended).toEqual([]);
});

test("a run that is in another engine is left out", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project);
  await begin(project, asking, { runId: "calm-otter" });
  await shown.runs.follow("brave-yak", process.pid);
  expect(shown.open()).toEqual(["calm-otter"]);
});

test("a question whose answer has not been read yet is no longer asked", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project);
  const questions = (): number => shown.runs.list.flatMap(({ view }) => questionsOf(view.state)).length;
  await begin(project, asking, { runId: "calm-otter" });
  await shown.runs.look();
  expect(questions()).toBe(1);
  await shown.engine.signal("calm-otter", "approval", true);
  await shown.runs.look();
  expect(shown.open()).toEqual(["calm-otter"]);
  expect(questions()).toBe(0);
});

test("a run that is continued here is running at once, and idle again if its process refuses it", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project);
  const status = (): string | undefined => shown.runs.list[0]?.status.kind;
  await begin(project, asking, { runId: "calm-otter" });
  await shown.runs.look();
  expect(status()).toBe("pending");
  shown.runs.starts("calm-otter");
  await shown.runs.look();
  expect(status()).toBe("running");
  shown.runs.refuses("calm-otter");
  await shown.runs.look();
  expect(status()).toBe("pending");
});

test("a run whose journal becomes damaged is not open, and is open again once it can be read", async () => {
  await using project = await tmpProject({ git: false });
  using shown = await watched(project);
  await begin(project, asking, { runId: "brave-yak" });
  await begin(project, asking, { runId: "calm-otter" });
  // A folder that changed a moment ago is listed at every look.
  const earlier = Date.now() / 1000 - 60;
  utimesSync(project.path(".atomic/runs"), earlier, earlier);
  await shown.runs.look();
  const path = ".atomic/runs/calm-otter/journal.jsonl";
  const journal = await project.read(path);
  await project.write(path, journal.replace('"release"', '"relaese"'));
  await shown.runs.look();
  await shown.runs.look();
  expect(shown.open()).toEqual(["brave-yak"]);
  expect(shown.damaged).toEqual([expect.stringContaining("calm-otter")]);
  await project.write(path, journal.replace('"release"', '"otherwise"'));
  await shown.runs.look();
  await project.write(path, journal);
  await shown.runs.look();
  expect(shown.open().toSorted()).toEqual(["brave-yak", "calm-otter"]);
});
