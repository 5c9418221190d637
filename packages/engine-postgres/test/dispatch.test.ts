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
});
