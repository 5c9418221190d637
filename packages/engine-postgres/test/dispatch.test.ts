import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Postgres } from "@atomic/testing/postgres";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { asGraph } from "../../workflows/test/run/toy.ts";
import { startWorkerProcess } from "../../workflows/test/run/worker-process.ts";
import { Database } from "../src/database.ts";
import { Dispatch } from "../src/dispatch.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { postgresEngine } from "../src/postgres-engine.ts";
import { isSkipped, newSchema, serverForTests, workerProgram } from "./postgres-harness.ts";

setDefaultTimeout(120_000);

describe.skipIf(isSkipped)("dispatch", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await serverForTests();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  const open = async (url: string, children = new Map<string, number>()) =>
    await Dispatch.open(url, {
      children: () => children,
      hosts: undefined,
      limits: {},
      wake: () => undefined,
      failed: (error) => {
        throw error;
      },
    });

  test("a run that takes long to prepare stays reserved, and not longer than until it is claimed", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    const engine = await postgresEngine(url, { interpret: async (ctx) => (await ctx.wait("never")).ok });
    const [one, other] = [await open(url), await open(url)];
    await engine.start({ runId: "run", graph: null, input: null });
    expect(await one.take([])).toMatchObject({ runId: "run" });
    // As if 30 seconds had passed.
    await database.query(`update ${schema}.run set taken_until = clock_timestamp()`);
    await one.reserve("run");
    expect(await other.take([])).toBeUndefined();
    await database.query(`update ${schema}.run set taken_until = clock_timestamp()`);
    await other.reserve("run");
    expect(await other.take([])).toMatchObject({ runId: "run" });
    const run = await engine.run("run");
    await other.reserve("run");
    expect(await database.query(`select taken_until from ${schema}.run`)).toEqual([{ taken_until: null }]);
    await run.release();
    for (const dispatch of [one, other]) await dispatch.close();
    await engine.close();
    await database.close();
  });

  test("a run is not taken from tables that were updated after the worker last looked, and stays free", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    const engine = await postgresEngine(url, { interpret: async () => null });
    const [one, other] = [await open(url), await open(url)];
    await engine.start({ runId: "run", graph: null, input: null });
    await database.query(`insert into ${schema}.version (version) values (99)`);
    expect(await one.take([])).toBeUndefined();
    await database.query(`delete from ${schema}.version where version = 99`);
    expect(await other.take([])).toMatchObject({ runId: "run" });
    for (const dispatch of [one, other]) await dispatch.close();
    await engine.close();
    await database.close();
  });

  test("a worker that wakes up after another one has taken its run changes nothing about it", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    const engine = await postgresEngine(url, { interpret: async () => null });
    const [one, other] = [await open(url), await open(url)];
    await engine.start({ runId: "run", graph: null, input: null });
    await one.take([]);
    await database.query(`update ${schema}.run set taken_until = clock_timestamp(), crashes = 2`);
    expect(await other.take([])).toMatchObject({ runId: "run", crashes: 2 });
    for (const isCrash of [true, false]) await one.left("run", isCrash);
    expect(await one.take([])).toBeUndefined();
    expect(await database.query(`select crashes, not_before from ${schema}.run`)).toEqual([
      { crashes: 2, not_before: null },
    ]);
    expect(await other.left("run", true)).toMatchObject({ crashes: 3 });
    for (const dispatch of [one, other]) await dispatch.close();
    await engine.close();
    await database.close();
  });

  test("a process that shows no sign of life keeps its run while its parent vouches for it, and no longer", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    await using folder = await temporaryFolder("vouched-");
    const engine = await postgresEngine(url, { interpret: async () => null });
    const children = new Map<string, number>();
    const [parent, other] = [await open(url, children), await open(url)];
    await using stopped = new AsyncDisposableStack();
    /** A process that has the run, and does nothing any more. */
    const stopWith = async (runId: string): Promise<void> => {
      await engine.start({ runId, graph: asGraph([{ step: "hold" }]), input: null });
      expect(await parent.take([])).toMatchObject({ runId });
      const log = join(folder.path, runId);
      const child = await startWorkerProcess([process.execPath, workerProgram, url, log, "1", "1", "3000"]);
      stopped.defer(() => child.kill());
      await child.said("begin hold");
      const owner = `select pid from ${schema}.process join ${schema}.run on owner = process.id where run.id = $1`;
      const [row] = await database.query<{ pid: number }>(owner, [runId]);
      if (runId === "vouched") children.set(runId, row?.pid ?? 0);
      await child.pause();
    };
    const nextFor = async (worker: Dispatch): Promise<string> => {
      for (;;) {
        const taken = await worker.take([]);
        if (taken !== undefined) return taken.runId;
      }
    };
    await stopWith("vouched");
    await stopWith("alone");
    // The other one is older and was stopped earlier, so it would be the first.
    expect(await nextFor(other)).toBe("alone");
    expect(await other.take([])).toBeUndefined();
    children.clear();
    expect(await nextFor(other)).toBe("vouched");
    for (const dispatch of [parent, other]) await dispatch.close();
    await engine.close();
    await database.close();
  });

  test.each(["null", "7", "[]", "{", "{}"])("a run that begins with %s is taken like any other", async (event) => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    // A client may call this by itself.
    await database.query(
      `select ${database.url.schema}.create_run('run', gen_random_uuid(), null, '{"kind":"pending"}', $1, 0, '{}')`,
      [event],
    );
    const dispatch = await open(url);
    expect(await dispatch.take([])).toEqual({ runId: "run", records: 1, crashes: 0 });
    await dispatch.close();
    await database.close();
  });
});
