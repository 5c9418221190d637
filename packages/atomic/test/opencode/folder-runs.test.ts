// What OpenCode's terminal shows of the runs in a project's folder.
import { expect, setDefaultTimeout, test } from "bun:test";
import { rm } from "node:fs/promises";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type FollowedRun, FollowedRuns } from "../../src/opencode/followed-runs.ts";
import { atomic } from "../atomic.ts";

setDefaultTimeout(60_000);

const workflow = (name: string, node: string): string =>
  `import { defineGraph, toolNode, waitNode } from "@atomic/workflows";
export default defineGraph({ name: "${name}" }, (graph) => graph.start(${node}));
`;

const files = {
  ".atomic/workflows/asks.ts": workflow("asks", `waitNode({ id: "ok", prompt: "Ok?" })`),
  ".atomic/workflows/quick.ts": workflow("quick", `toolNode({ id: "say", run: () => "hi" })`),
};

async function started(project: Project, name: string): Promise<string> {
  const { stdout } = await atomic(project, ["run", name, "--no-wait", "--json"]);
  return JSON.parse(stdout.trim().split("\n")[0] ?? "").runId;
}

async function follow(project: Project) {
  const seen: (readonly FollowedRun[])[] = [];
  const problems: string[] = [];
  const lost: string[] = [];
  /** What was heard last is what stays on the screen. */
  let last: "runs" | "problem" | undefined;
  let changed = (): void => undefined;
  const followed = await FollowedRuns.open(project.dir, project.env, {
    changed: (runs, now) => {
      seen.push(runs);
      lost.push(...now);
      last = "runs";
      changed();
    },
    failed: (error) => {
      problems.push(error instanceof Error ? error.message : String(error));
      last = "problem";
      changed();
    },
  });
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      changed = () => {
        if (holds()) resolve();
      };
      changed();
    });
  await followed.look();
  const ids = (): readonly string[] => (seen.at(-1) ?? []).map(({ runId }) => runId);
  return { followed, problems, lost, seen, ids, until, last: () => last, [Symbol.dispose]: () => followed.close() };
}

test("a project without any runs comes alive with the first run of a shell, and again after its folder was removed", async () => {
  await using project = await tmpProject();
  using watched = await follow(project);
  expect(watched.ids()).toEqual([]);
  for (const [path, text] of Object.entries(files)) await project.write(path, text);
  const first = await started(project, "asks");
  await watched.until(() => watched.ids().includes(first));
  await rm(project.path(".atomic"), { recursive: true });
  await watched.until(() => watched.ids().length === 0);
  for (const [path, text] of Object.entries(files)) await project.write(path, text);
  const second = await started(project, "asks");
  await watched.until(() => watched.ids().includes(second));
  expect(watched.problems).toEqual([]);
});

test("a run whose folder is removed is no longer shown", async () => {
  await using project = await tmpProject({ files });
  const [gone, stays] = [await started(project, "asks"), await started(project, "asks")];
  using watched = await follow(project);
  expect(watched.ids().toSorted()).toEqual([gone, stays].toSorted());
  await rm(project.path(`.atomic/runs/${gone}`), { recursive: true });
  await watched.until(() => watched.ids().length === 1);
  expect([watched.ids(), watched.lost, watched.problems]).toEqual([[stays], [gone], []]);
});

test("a run that has ended is lost only when its folder is removed", async () => {
  await using project = await tmpProject({ files });
  using watched = await follow(project);
  const runId = await started(project, "quick");
  watched.followed.expect(runId);
  await watched.until(() => watched.ids().includes(runId));
  const asks = await started(project, "asks");
  await watched.until(() => watched.ids().includes(asks) && !watched.ids().includes(runId));
  expect(watched.lost).toEqual([]);
  await rm(project.path(`.atomic/runs/${runId}`), { recursive: true });
  await watched.until(() => watched.lost.length > 0);
  expect([watched.lost, watched.ids()]).toEqual([[runId], [asks]]);
});

test("a damaged run is no longer shown, and is named once; so is the next one", async () => {
  await using project = await tmpProject({ files });
  const [one, other] = [await started(project, "asks"), await started(project, "asks")];
  using watched = await follow(project);
  const journal = (runId: string): string => `.atomic/runs/${runId}/journal.jsonl`;
  const damage = async (runId: string): Promise<void> => await project.write(journal(runId), '{"n":1,"event":{}}\n');
  await damage(one);
  await watched.until(() => watched.problems.length === 1 && watched.ids().length === 1);
  expect(watched.problems).toEqual([expect.stringContaining(`Cannot show the run ${one}: `)]);
  expect([watched.last(), watched.lost]).toEqual(["problem", [one]]);
  await project.write(journal(one), '{"n":1,"event":{"type":"else"}}\n');
  await watched.followed.look();
  await damage(other);
  await watched.until(() => watched.problems.length === 2 && watched.ids().length === 0);
  expect(watched.problems[1]).toContain(`Cannot show the run ${other}: `);
});

test("a run that was damaged, and could be read in between, is named again", async () => {
  await using project = await tmpProject({ files });
  const runId = await started(project, "asks");
  using watched = await follow(project);
  const journal = `.atomic/runs/${runId}/journal.jsonl`;
  const whole = await project.read(journal);
  for (const times of [1, 2]) {
    await project.write(journal, '{"n":1,"event":{}}\n');
    await watched.until(() => watched.problems.length === times && watched.ids().length === 0);
    await project.write(journal, whole);
    await watched.until(() => watched.ids().length === 1);
  }
});

test("several damaged runs are one message", async () => {
  const record = '{"n":1,"event":{"type":"step-finished","key":"a"}}\n';
  const damaged = Object.fromEntries(["a", "b", "c"].map((id) => [`.atomic/runs/run-${id}/journal.jsonl`, record]));
  await using project = await tmpProject({ files: damaged });
  using watched = await follow(project);
  expect(watched.problems).toEqual([
    expect.stringMatching(/^Cannot show the run run-a: .*\. 2 more cannot be shown either; see \/runs$/),
  ]);
});

test("a run that was started here is followed to its end, even if it ended between two looks", async () => {
  await using project = await tmpProject({ files });
  const runId = await started(project, "quick");
  using watched = await follow(project);
  expect(watched.ids()).toEqual([]);
  watched.followed.expect(runId);
  await watched.until(() => watched.ids().includes(runId));
  expect(watched.seen.at(-1)?.[0]?.view.state.status.kind).toBe("done");
});
