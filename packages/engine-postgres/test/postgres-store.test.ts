import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { lossyProxy } from "@atomic/testing/lossy-proxy";
import type { Postgres } from "@atomic/testing/postgres";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { RunCtx } from "@atomic/workflows/internal/run/run-ctx";
import { Client } from "pg";
import { Database } from "../src/database.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { migrate } from "../src/migrate.ts";
import { migrations } from "../src/migrations.ts";
import { postgresEngine } from "../src/postgres-engine.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(120_000);

const quick = async (ctx: RunCtx) => await ctx.step("quick", () => "done");

describe.skipIf(isSkipped)("the store on Postgres", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await serverForTests();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  const start = (engine: LocalEngine, runId: string) => engine.start({ runId, graph: null, input: null });

  test("a thousand runs are listed with one statement", async () => {
    const url = await newSchema(server);
    await using proxy = await lossyProxy(url);
    const engine = await postgresEngine(proxy.url, { interpret: quick });
    await Promise.all(Array.from({ length: 1000 }, (_, index) => start(engine, `run-${index}`)));
    const before = proxy.statements.length;
    const listed = await engine.list();
    expect(proxy.statements.length - before).toBe(1);
    expect(listed).toHaveLength(1000);
    expect(new Set(listed.map(({ status }) => status.kind))).toEqual(new Set(["pending"]));
    await engine.close();
  });

  test("a worker whose slots were full does not try what others have taken meanwhile", async () => {
    const url = await newSchema(server);
    await using proxy = await lossyProxy(url);
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<string>();
    const slow = await postgresEngine(proxy.url, {
      interpret: async (ctx) =>
        await ctx.step("hold", async () => {
          begun.resolve(ctx.runId);
          return await gate.promise;
        }),
    });
    const quickOne = await postgresEngine(url, { interpret: quick });
    const ids = Array.from({ length: 10 }, (_, index) => `run-${index}`);
    for (const runId of ids) await start(quickOne, runId);
    const worker = await slow.work({ concurrency: 1 });
    const held = await begun.promise;
    const others = await quickOne.work({ concurrency: 4 });
    const ended = async (runId: string): Promise<void> => {
      while ((await quickOne.status(runId)).kind !== "done")
        await Array.fromAsync(quickOne.journal(runId, { follow: true }));
    };
    for (const runId of ids) if (runId !== held) await ended(runId);
    gate.resolve("done");
    await ended(held);
    await worker.stop();
    await others.stop();
    expect(proxy.statements.filter((text) => /set owner = \$2/.test(text))).toHaveLength(1);
    await slow.close();
    await quickOne.close();
  });

  test("of many answers at the same moment, one counts", async () => {
    const url = await newSchema(server);
    const engines = await Promise.all([1, 2, 3, 4].map(() => postgresEngine(url, { interpret: quick })));
    await start(engines[0]!, "run");
    const answers = Array.from({ length: 40 }, (_, n) => engines[n % engines.length]!.signal("run", "ask", n));
    const kept = (await Promise.all(answers)).filter((each) => each === "kept");
    expect(kept).toHaveLength(1);
    for (const engine of engines) await engine.close();
  });

  test("text that Postgres cannot hold as it is comes back as it was", async () => {
    const engine = await postgresEngine(await newSchema(server), {
      interpret: async (ctx, { input }) => [input, await ctx.step("odd", () => odd), (await ctx.wait(odd)).ok],
    });
    const odd = "nul \u0000, half \ud800, quote ' and \\";
    await engine.start({ runId: "run", graph: null, input: odd, name: odd });
    await engine.signal("run", odd, odd);
    expect(await (await engine.run("run")).ended).toMatchObject({ kind: "done", result: { value: [odd, odd, true] } });
    expect((await engine.list())[0]?.name).toBe(odd);
    await engine.close();
  });

  test("what agents say is kept with the run, and removed alone", async () => {
    const engine = await postgresEngine(await newSchema(server), {
      interpret: async (ctx) =>
        await ctx.step("talk", ({ note }) => {
          for (let n = 0; n < 3; n++) note({ type: "text", text: `part ${n}` });
          return null;
        }),
    });
    await start(engine, "run");
    await (await engine.run("run")).ended;
    const read = engine.notes("run");
    expect((await read()).map(({ note }) => note)).toEqual([0, 1, 2].map((n) => ({ type: "text", text: `part ${n}` })));
    expect(await read()).toEqual([]);
    const { removed, bytes } = await engine.prune({ transcripts: true, olderThanMs: -1 });
    expect(removed).toEqual(["run"]);
    expect(bytes).toBeGreaterThan(0);
    expect(await engine.notes("run")()).toEqual([]);
    expect((await engine.prune({ maxBytes: 0 })).removed).toEqual(["run"]);
    await expect(engine.status("run")).rejects.toMatchObject({ code: "run-not-found" });
    await engine.close();
  });

  test("a client may start, answer and look, but not work; its answers have its name", async () => {
    const url = await newSchema(server);
    const { schema } = parseEngineUrl(url);
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    const ada = `ada_${schema}`;
    await admin.query(`create role ${ada} login in role ${schema}_client`);
    const asAda = new URL(url);
    asAda.username = ada;
    const client = await postgresEngine(asAda.href, { interpret: quick });
    expect(await start(client, "run")).toBe("started");
    expect(await client.signal("run", "ask", "yes")).toBe("kept");
    expect(await client.list()).toHaveLength(1);
    await expect(client.run("run")).rejects.toMatchObject({ code: "not-writable" });
    const forged = new Client({ connectionString: asAda.href.replace(/\?.*/, "") });
    await forged.connect();
    const insert = `insert into ${schema}.message values ('run', 9, gen_random_uuid(), null, '{}', 'bob')`;
    await expect(forged.query(insert)).rejects.toThrow("permission denied");
    await forged.end();
    const { rows } = await admin.query(`select sender from ${schema}.message`);
    expect(rows[0].sender).toStartWith(`${ada} (says it is `);
    await admin.end();
    await client.close();
  });

  test("a run that a client cancels without a worker ends with the next worker", async () => {
    const url = await newSchema(server);
    const { schema } = parseEngineUrl(url);
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`create role bob_${schema} login in role ${schema}_client`);
    await admin.end();
    const asBob = new URL(url);
    asBob.username = `bob_${schema}`;
    const client = await postgresEngine(asBob.href, { interpret: quick });
    await start(client, "run");
    await client.cancel("run");
    expect((await client.status("run")).kind).toBe("cancelling");
    const worker = await postgresEngine(url, { interpret: quick });
    expect(await (await worker.run("run")).ended).toMatchObject({ kind: "cancelled" });
    await client.close();
    await worker.close();
  });

  test("migrations happen once, also if two processes begin them, and a newer version is left alone", async () => {
    const url = `${server.url}?schema=m${process.pid}`;
    const databases = [new Database(parseEngineUrl(url)), new Database(parseEngineUrl(url))];
    await expect(postgresEngine(url, { interpret: quick })).rejects.toThrow("has no tables for runs");
    const both = await Promise.all(databases.map((database) => migrate(database)));
    expect(both.map(({ from }) => from).sort()).toEqual([0, migrations.length]);
    expect(await migrate(databases[0]!)).toMatchObject({ from: migrations.length, to: migrations.length });
    await databases[0]!.query(`insert into m${process.pid}.version (version) values (99)`);
    await expect(migrate(databases[0]!)).rejects.toMatchObject({ hint: "Update atomic. Nothing was changed." });
    await expect(postgresEngine(url, { interpret: quick })).rejects.toThrow("have version 99");
    for (const database of databases) await database.close();
  });

  test("a server that does not answer is one clear error", async () => {
    const url = "postgres://nobody@127.0.0.1:9/x";
    await expect(postgresEngine(url, { interpret: quick })).rejects.toMatchObject({
      code: "unreachable",
      exitCode: 6,
    });
  });

  test("a process that holds a run is named to others", async () => {
    const url = await newSchema(server);
    const interpret = async (ctx: RunCtx) => (await ctx.wait("ask")).ok;
    const [one, other] = [await postgresEngine(url, { interpret }), await postgresEngine(url, { interpret })];
    await start(one, "run");
    const run = await one.run("run");
    await expect(other.run("run")).rejects.toThrow(`process ${process.pid} on `);
    await expect(one.run("run")).rejects.toMatchObject({ code: "run-held" });
    await run.release();
    await (await other.run("run")).release();
    await one.close();
    await other.close();
  });

  test("a machine whose clock is an hour late still uses the database's time", async () => {
    const url = await newSchema(server);
    const real = Date.now;
    const late = spyOn(Date, "now").mockImplementation(() => real() - 3_600_000);
    try {
      const nap = async (ctx: RunCtx) => {
        await ctx.sleep("nap", 600_000);
        return null;
      };
      const engine = await postgresEngine(url, { interpret: nap });
      await start(engine, "run");
      const run = await engine.run("run");
      for await (const { type } of run) if (type === "sleep-started") break;
      await run.release();
      const database = new Database(parseEngineUrl(url));
      const [row] = await database.query<{ ms: number }>(
        `select extract(epoch from due - clock_timestamp())::float8 * 1000 as ms from ${database.url.schema}.run`,
      );
      expect(row?.ms).toBeGreaterThan(0);
      await database.close();
      await engine.close();
    } finally {
      late.mockRestore();
    }
  });

  test("an answer arrives though the network has forgotten the connection that waits for it", async () => {
    const url = await newSchema(server);
    await using proxy = await lossyProxy(url);
    const asks = async (ctx: RunCtx) => (await ctx.wait("ask")).ok;
    const [engine, other] = [
      await postgresEngine(proxy.url, { interpret: asks }),
      await postgresEngine(url, { interpret: asks }),
    ];
    await start(engine, "run");
    const run = await engine.run("run");
    for await (const { type } of run) if (type === "wait-started") break;
    proxy.silence(/^listen/);
    await other.signal("run", "ask", "yes");
    expect(await run.ended).toMatchObject({ kind: "done" });
    for (const each of [engine, other]) await each.close();
  });
});
