import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Postgres } from "@atomic/testing/postgres";
import { Database } from "../src/database.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { postgresEngine } from "../src/postgres-engine.ts";
import { addSchedule, listSchedules, startDue } from "../src/schedules.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(120_000);

describe.skipIf(isSkipped)("schedules", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await serverForTests();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  test("one that cannot start is paused and reported, and does not keep the others from starting", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    const engine = await postgresEngine(url, { interpret: async () => null });
    const request = JSON.stringify({ graph: null, input: null });
    // A client may write rows by itself.
    const insert = `insert into ${schema}.schedule (name, cron, request, needs, next) values ($1, $2, $3, '{}', '2026-01-01T00:00Z')`;
    await database.query(insert, ["../up", "0 3 * * *", request]);
    await database.query(insert, ["never", "61 * * * *", request]);
    await database.query(insert, ["torn", "0 3 * * *", "{"]);
    await database.query(insert, ["nothing", "0 3 * * *", "null"]);
    await database.query(insert, ["list", "0 3 * * *", "[]"]);
    await database.query(insert, ["odd-needs", "0 3 * * *", '{"graph":null,"input":null,"needs":{"a":1}}']);
    await database.query(insert, ["odd-budget", "0 3 * * *", '{"graph":null,"input":null,"budget":null}']);
    for (const [name, time] of [
      ["far", "294000-01-01"],
      ["forever", "infinity"],
      ["long-ago", "-infinity"],
    ]) {
      await database.query(insert, [name, "0 3 * * *", request]);
      await database.query(`update ${schema}.schedule set next = $2 where name = $1`, [name, time]);
      expect((await listSchedules(database)).find((each) => each.name === name)?.next).toBeUndefined();
    }
    await database.query(insert, ["well", "0 3 * * *", request]);
    const due = async () => await startDue(database, (each) => engine.start(each));
    const { started, problems } = await due();
    expect(started).toContain("well-20260101t0000");
    const bad = ["../up", "far", "forever", "list", "long-ago", "never", "nothing", "odd-budget", "odd-needs", "torn"];
    expect(problems.map(({ schedule }) => schedule).sort()).toEqual(bad);
    expect(await due()).toEqual({ started: [], problems: [] });
    const paused = (await listSchedules(database)).flatMap(({ name, isPaused }) => (isPaused ? name : []));
    expect(paused).toEqual(bad);
    await engine.close();
    await database.close();
  });

  test("none starts in tables that were updated after the worker last looked", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    const engine = await postgresEngine(url, { interpret: async () => null });
    const due = async () => await startDue(database, (each) => engine.start(each));
    await addSchedule(database, "nightly", "0 3 * * *", { graph: null, input: null });
    await database.query(`update ${schema}.schedule set next = '2026-01-01T03:00Z'`);
    await database.query(`insert into ${schema}.version (version) values (99)`);
    expect(await due()).toEqual({ started: [], problems: [] });
    await database.query(`delete from ${schema}.version where version = 99`);
    expect((await due()).started).toEqual(["nightly-20260101t0300"]);
    await engine.close();
    await database.close();
  });

  test("after the clock was far ahead for a moment, a schedule does not wait until then, and starts nothing twice", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const engine = await postgresEngine(url, { interpret: async () => null });
    const due = async () => await startDue(database, (each) => engine.start(each));
    const next = async () => (await listSchedules(database))[0]?.next?.toISOString();
    const add = async () => await addSchedule(database, "nightly", "0 3 * * *", { graph: null, input: null });
    const right = (await add()).toISOString();
    const { schema } = database.url;
    await database.query(`update ${schema}.schedule set next = next + interval '3 years'`);
    expect(await due()).toEqual({ started: [], problems: [] });
    expect(await next()).toBe(right);
    // The clock goes back behind a time that has already started a run.
    await database.query(`update ${schema}.schedule set next = '2026-01-01T03:00Z'`);
    expect((await due()).started).toEqual(["nightly-20260101t0300"]);
    await database.query(`update ${schema}.schedule set next = '2026-01-01T03:00Z'`);
    expect((await due()).started).toEqual([]);
    expect(await next()).toBe(right);
    // Times that were written by hand may have more digits than a Date.
    await database.query(`update ${schema}.schedule set next = '2026-01-02T03:00:00.000123Z'`);
    expect((await due()).started).toEqual(["nightly-20260102t0300"]);
    expect(await next()).toBe(right);
    await engine.close();
    await database.close();
  });

  test("only five fields are a schedule", async () => {
    const database = new Database(parseEngineUrl(await newSchema(server)));
    const add = async (name: string, cron: string) =>
      await addSchedule(database, name, cron, { graph: null, input: null });
    const others = [
      "2027-01-01T00:00:00",
      "@daily",
      "0 0 3 * * *",
      "0 3 * *",
      "0 3 L * *",
      "0 3 * * 1#2",
      "0 3 15W * *",
      "? 3 * * *",
    ];
    for (const cron of others) await expect(add("odd", cron)).rejects.toMatchObject({ code: "bad-request" });
    expect(await listSchedules(database)).toEqual([]);
    for (const cron of ["*/5 0-6,22 1 JAN-mar *", "0  3 * * Mon,fri", "0 3 * * 7"])
      await add(`well-${cron.length}`, cron);
    await database.close();
  });

  test("a name that cannot begin a run's id is refused at once", async () => {
    const database = new Database(parseEngineUrl(await newSchema(server)));
    const adding = addSchedule(database, "a/b", "0 3 * * *", { graph: null, input: null });
    await expect(adding).rejects.toMatchObject({ code: "bad-request" });
    expect(await listSchedules(database)).toEqual([]);
    await database.close();
  });
});
