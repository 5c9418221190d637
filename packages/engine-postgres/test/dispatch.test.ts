import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Postgres } from "@atomic/testing/postgres";
import { Database } from "../src/database.ts";
import { Dispatch } from "../src/dispatch.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { postgresEngine } from "../src/postgres-engine.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(120_000);

describe.skipIf(isSkipped)("dispatch", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await serverForTests();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  const open = async (url: string) =>
    await Dispatch.open(url, {
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
