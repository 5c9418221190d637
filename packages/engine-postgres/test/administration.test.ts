// What administrators do, and what the database says about who did what.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Postgres } from "@atomic/testing/postgres";
import type { RunCtx } from "@atomic/workflows/internal/run/run-ctx";
import { Client } from "pg";
import { checkEngine } from "../src/check-engine.ts";
import { Database } from "../src/database.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { migrate } from "../src/migrate.ts";
import { migrations } from "../src/migrations.ts";
import { postgresEngine } from "../src/postgres-engine.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(120_000);

const asks = async (ctx: RunCtx) => (await ctx.wait("ask")).ok;

async function migrated(url: string) {
  const database = new Database(parseEngineUrl(url));
  try {
    return await migrate(database);
  } finally {
    await database.close();
  }
}

describe.skipIf(isSkipped)("administration", () => {
  let server: Postgres;
  const administer = async (...statements: readonly string[]): Promise<void> => {
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    for (const statement of statements) await admin.query(statement);
    await admin.end();
  };
  const urlOf = (change: (url: URL) => void, from = server.url): string => {
    const url = new URL(from);
    change(url);
    return url.href;
  };
  beforeAll(async () => {
    server = await serverForTests();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  test("several administrators may migrate at once, one database or several of the same server", async () => {
    const schema = `at_once_${process.pid}`;
    const names = ["one", "two", "three"].map((name) => `${name}_${process.pid}`);
    await administer(...names.map((name) => `create database ${name}`));
    const urls = names.map((name) =>
      urlOf((url) => {
        url.pathname = `/${name}`;
        url.searchParams.set("schema", schema);
      }),
    );
    const done = await Promise.all([...urls, ...urls, ...urls].map((url) => migrated(url)));
    expect(done.map(({ to, hasRoles }) => ({ to, hasRoles }))).toEqual(
      done.map(() => ({ to: migrations.length, hasRoles: true })),
    );
    expect(done.filter(({ from }) => from === 0)).toHaveLength(urls.length);
    for (const url of urls) expect(await checkEngine(url, Date.now)).toMatchObject({ mayStart: true, mayWork: true });
  });

  test("names of databases and users may contain spaces, quotes and anything but ASCII", async () => {
    const database = `my db ü%'${process.pid}`;
    const user = `a "b"@c:é/${process.pid}`;
    await administer(`create database "${database}"`);
    const admin = urlOf((url) => {
      url.pathname = `/${encodeURIComponent(database)}`;
      url.searchParams.set("schema", `odd_${process.pid}`);
    });
    expect(await migrated(admin)).toMatchObject({ from: 0, hasRoles: true });
    await administer(`create role "${user.replaceAll('"', '""')}" login in role odd_${process.pid}_worker`);
    const own = urlOf((url) => {
      url.username = encodeURIComponent(user);
    }, admin);
    expect(await checkEngine(own, Date.now)).toMatchObject({ user, mode: "session", mayWork: true });
    const engine = await postgresEngine(own, { interpret: asks });
    await engine.start({ runId: "run", graph: null, input: null });
    await engine.signal("run", "ask", "yes");
    expect(await (await engine.run("run")).ended).toMatchObject({ kind: "done" });
    await engine.close();
  });

  test.each(["user", "select", "pg_runs"])("a schema cannot be called %s, and that is said", async (schema) => {
    const url = `${server.url}?schema=${schema}`;
    const expected = {
      code: "bad-request",
      message: expect.stringContaining(`reserves the name of the schema ${schema}`),
    };
    await expect(migrated(url)).rejects.toMatchObject(expected);
    if (!schema.startsWith("pg_")) await expect(checkEngine(url, Date.now)).rejects.toMatchObject(expected);
  });

  test("a user who does not own the tables cannot migrate them, and reads who can", async () => {
    const url = await newSchema(server);
    const { schema } = parseEngineUrl(url);
    await administer(`create role migrates_${schema} login in role ${schema}_worker`);
    const own = urlOf((each) => {
      each.username = `migrates_${schema}`;
    }, url);
    await expect(migrated(own)).rejects.toMatchObject({
      code: "not-writable",
      hint: "Migrate as the user who owns them, or as an administrator.",
    });
  });

  test("who answered begins with the database's user, whatever the sender says about itself", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    const engine = await postgresEngine(url, { interpret: asks });
    await engine.start({ runId: "run", graph: null, input: null });
    const senderOf = async (claimed: string | null): Promise<string | undefined> => {
      await database.query(
        `select ${schema}.post('run', gen_random_uuid(), null, 0, '{"type":"budget","budget":{},"at":1}', $1)`,
        [claimed],
      );
      const text = `select sender from ${schema}.message where run = 'run' order by n desc limit 1`;
      return (await database.query<{ sender: string }>(text))[0]?.sender;
    };
    expect(await senderOf("ada@laptop")).toBe("postgres (says it is ada@laptop)");
    expect(await senderOf("ada@laptop) (ada\n")).toBe("postgres (says it is ada@laptop ada)");
    expect(await senderOf("x".repeat(5000))).toBe(`postgres (says it is ${"x".repeat(100)})`);
    for (const claimed of ["", null]) expect(await senderOf(claimed)).toBe("postgres");
    await database.close();
    await engine.close();
  });

  test("what is not a message to a run is refused, so the run stays readable", async () => {
    const url = await newSchema(server);
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    const engine = await postgresEngine(url, { interpret: asks });
    await engine.start({ runId: "run", graph: null, input: null });
    for (const message of [
      "",
      "{",
      "null",
      "[]",
      "{}",
      '{"type":"note","at":1}',
      '{"type":"cancel"}',
      '{"type":"signal","key":"ask","value":1}',
      '{"type":"signal","value":1,"at":1}',
      '{"type":"signal","key":"ask","at":1}',
      '{"type":"budget","at":1}',
      '{"type":"budget","budget":5,"at":1}',
      '{"type":"budget","budget":{"usd":"1"},"at":1}',
      '{"type":"cancel","type":"note","at":1}',
      String.raw`{"type":"cancel","\u0074ype":"note","at":1}`,
    ]) {
      const posted = database.query(`select ${schema}.post('run', gen_random_uuid(), null, 0, $1, 'ada')`, [message]);
      await expect(posted).rejects.toThrow();
    }
    await engine.signal("run", "ask", null);
    expect((await (await engine.run("run")).ended).kind).toBe("done");
    await database.close();
    await engine.close();
  });

  test("of an answer and a cancellation at the same time, both arrive, or the answer is refused as too late", async () => {
    const url = await newSchema(server);
    const [one, other] = [
      await postgresEngine(url, { interpret: asks }),
      await postgresEngine(url, { interpret: asks }),
    ];
    const ids = Array.from({ length: 40 }, (_, index) => `run-${index}`);
    for (const runId of ids) await one.start({ runId, graph: null, input: null });
    const answers = await Promise.all(
      ids.map(async (runId, index) => {
        // Some cancellations get a head start.
        const cancelled = other.cancel(runId);
        if (index % 2 === 0) await other.stamp(runId);
        const answered = await one.signal(runId, "ask", "yes").catch((error: { code?: string }) => error.code);
        await cancelled;
        return answered;
      }),
    );
    expect(answers.filter((each) => each !== "kept" && each !== "run-ended")).toEqual([]);
    expect(new Set((await one.list()).map(({ status }) => status.kind))).toEqual(new Set(["cancelled"]));
    // What comes after the end is never kept, even if the sender has not seen the end yet.
    const database = new Database(parseEngineUrl(url));
    const text = `select ${database.url.schema}.post('run-0', gen_random_uuid(), 'late', 0, '{"type":"cancel","at":1}', '') as kept`;
    expect(await database.query<{ kept: string }>(text)).toEqual([{ kept: "ended" }]);
    await other.cancel("run-0");
    await database.close();
    for (const each of [one, other]) await each.close();
  });
});
