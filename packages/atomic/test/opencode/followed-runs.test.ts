// What OpenCode's terminal shows of runs in a database that other machines work on.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { tmpProject } from "@atomic/testing/project";
import { type FollowedRun, FollowedRuns } from "../../src/opencode/followed-runs.ts";
import { build } from "../program.ts";
import { newFleet, sharedProject, workflow } from "../runs/fleet.ts";

setDefaultTimeout(120_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

describe.skipIf(!availability.available)("OpenCode's terminal with a database", () => {
  let server: Postgres;
  beforeAll(async () => {
    await build();
    server = await startPostgres();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  test("shows the project's runs, what they ask, and that an answer counts; not those of other projects", async () => {
    await using repo = await gitRepo();
    await using elsewhere = await gitRepo();
    const asks = workflow("asks", `.start(waitNode({ id: "ok", prompt: "Ok?" }))`);
    await using here = await sharedProject(repo, asks);
    await using other = await sharedProject(elsewhere, asks);
    await using one = await tmpProject({ git: false });
    const fleet = await newFleet(server, here);
    const worker = await fleet.startWorker(one);
    const mine = (await fleet.atomic(here, "run", "asks", "--detach")).stdout.trim();
    const theirs = (await fleet.atomic(other, "run", "asks", "--detach")).stdout.trim();

    const waiting: { when: (runs: readonly FollowedRun[]) => boolean; resolve: () => void }[] = [];
    const problems: unknown[] = [];
    let now: readonly FollowedRun[] = [];
    const look = (): void => {
      for (const { when, resolve } of waiting) if (when(now)) resolve();
    };
    const until = (when: (runs: readonly FollowedRun[]) => boolean): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ when, resolve });
        look();
      });
    const followed = await FollowedRuns.open(here.dir, fleet.env, {
      changed: (runs) => {
        now = runs;
        look();
      },
      failed: (error) => problems.push(error),
    });
    expect(followed.hasWorkers).toBe(true);
    await followed.look();
    await until((runs) => runs.some(({ runId, questions }) => runId === mine && questions.length === 1));
    await worker.printed(new RegExp(`"event":"left".*"run":"${theirs}"`), 60_000);
    expect(now.map(({ runId }) => runId)).toEqual([mine]);
    expect(await followed.engine.signal(mine, "ok", true)).toBe("kept");
    await until((runs) => runs.some(({ runId, view }) => runId === mine && view.state.status.kind === "done"));
    expect(problems).toEqual([]);
    followed.close();
    await worker.stop();
  });
});
