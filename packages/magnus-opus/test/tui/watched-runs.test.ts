import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { type Project, tmpProject } from "@atomic/testing/project";
import { startRun } from "../../src/sessions/journal.ts";
import { runPlace } from "../../src/sessions/workplace.ts";
import { type FoundRuns, WatchedRuns } from "../../src/tui/watched-runs.ts";
import { startEvent } from "../run/simulated-run.ts";

const [kept, gone] = ["impl-20260118-143052-a1b2c3-kept", "impl-20260118-143052-a1b2c4-gone"] as const;
const journalOf = (run: string): string => `ai-docs/sessions/${run}/journal.jsonl`;

async function twoRuns(): Promise<Project> {
  const project = await tmpProject({ git: false });
  for (const run of [kept, gone]) {
    const place = runPlace({ directory: project.dir, worktree: project.dir }, run);
    const seal = project.path(`~/${run}`);
    await (await startRun({ ...place, seal }, { ...startEvent(), run } as Parameters<typeof startRun>[1]))[
      Symbol.asyncDispose
    ]();
  }
  return project;
}

function watch(project: Project) {
  const seen: FoundRuns[] = [];
  const runs = new WatchedRuns(project.dir, {
    changed: (now) => seen.push(now),
    failed: (error) => {
      throw error;
    },
  });
  const ids = (): readonly string[] => (seen.at(-1)?.runs ?? []).map(({ state }) => state.run).sort();
  const damaged = (): readonly (readonly [string, string])[] => [...(seen.at(-1)?.damaged ?? [])];
  return { look: () => runs.look(), seen, ids, damaged, [Symbol.dispose]: () => runs.close() };
}

test("a run whose folder is gone is dropped", async () => {
  await using project = await twoRuns();
  using runs = watch(project);
  runs.look();
  expect(runs.ids()).toEqual([kept, gone]);
  await rm(project.path(`ai-docs/sessions/${gone}`), { recursive: true });
  runs.look();
  expect([runs.seen.length, runs.ids(), runs.damaged()]).toEqual([2, [kept], []]);
});

test.each([
  ["damaged", "garbage\n", /Record 1 of the journal .* is damaged/],
  ["empty", "", /contains no readable run$/],
])("a journal that is %s is reported, and no longer once it is restored", async (_, text, why) => {
  await using project = await twoRuns();
  const journal = await project.read(journalOf(gone));
  using runs = watch(project);
  runs.look();
  await project.write(journalOf(gone), text);
  runs.look();
  expect(runs.ids()).toEqual([kept]);
  expect(runs.damaged()).toEqual([[gone, expect.stringMatching(why)]]);
  await project.write(journalOf(gone), journal);
  runs.look();
  expect([runs.ids(), runs.damaged()]).toEqual([[kept, gone], []]);
});

test("a run whose first event is only half written is not damaged", async () => {
  await using project = await twoRuns();
  const journal = await project.read(journalOf(gone));
  await project.write(journalOf(gone), journal.slice(0, 20));
  using runs = watch(project);
  runs.look();
  expect([runs.ids(), runs.damaged()]).toEqual([[kept], []]);
});
