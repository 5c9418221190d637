// What the two roles may do is decided by the database, whatever program a user writes.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Postgres } from "@atomic/testing/postgres";
import { Client } from "pg";
import { checkEngine } from "../src/check-engine.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(120_000);

/** `s` stands for the schema. */
const onlyForWorkers = [
  `insert into s.event (run, n, event) values ('run', 2, '{}')`,
  `update s.event set event = '{}' where run = 'run'`,
  `delete from s.event where run = 'run'`,
  `update s.run set owner = null, epoch = epoch + 1 where id = 'run'`,
  `update s.run set ended = true where id = 'run'`,
  `insert into s.process (id, host, pid, program, lease) values (gen_random_uuid(), 'x', 1, 'x', '1 day')`,
  `insert into s.blob (run, hash, content) values ('run', 'x', 'x')`,
  `insert into s.note (run, epoch, n, note) values ('run', 1, 1, 'x')`,
  `insert into s.leftover (run, url) values ('other', 'x')`,
  `select s.take_run(gen_random_uuid(), null, '{}', '{}')`,
  `delete from s.leftover`,
  `delete from s.run where id = 'run'`,
];

const forNeither = [
  `insert into s.message (run, n, id, message, sender) values ('run', 9, gen_random_uuid(), '{}', 'bob')`,
  `update s.message set sender = 'bob'`,
  `insert into s.schedule (name, cron, request, needs, next, creator) values ('a', '* * * * *', '{}', '{}', now(), 'bob')`,
  `update s.schedule set creator = 'bob'`,
  `update s.fleet set id = gen_random_uuid()`,
  `insert into s.version (version) values (99)`,
  `drop table s.event`,
];

const forBoth = [
  `select s.create_run('run2', gen_random_uuid(), null, '{}', '{}', 0, '{}')`,
  `select s.post('run', gen_random_uuid(), 'k', 0, '{"type":"cancel","at":1}', 'me')`,
  `insert into s.schedule (name, cron, request, needs, next) values (current_user, '* * * * *', '{}', '{}', now())`,
  `update s.schedule set is_paused = true where name = current_user`,
  `delete from s.schedule where name = current_user`,
  `select * from s.event`,
];

describe.skipIf(isSkipped)("roles", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await serverForTests();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  test.each(["client", "worker"])("a %s may do what its role says, and nothing else", async (role) => {
    const url = await newSchema(server);
    const { schema } = parseEngineUrl(url);
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    const user = `${role}_of_${schema}`;
    await admin.query(`create role ${user} login in role ${schema}_${role}`);
    await admin.query(`select ${schema}.create_run('run', gen_random_uuid(), null, '{}', '{}', 0, '{}')`);
    await admin.end();
    const own = new URL(url);
    own.username = user;
    expect(await checkEngine(own.href, Date.now)).toMatchObject({ user, mayStart: true, mayWork: role === "worker" });
    const connection = new Client({ connectionString: own.href.replace(/\?.*/, "") });
    await connection.connect();
    const outcomes = async (statements: readonly string[]) => {
      const found: [string, string][] = [];
      for (const statement of statements) {
        // Each on its own: nothing of one is there for the next.
        await connection.query("begin");
        const outcome = await connection.query(statement.replaceAll("s.", `${schema}.`)).then(
          () => "done",
          (error: { code: string }) => error.code,
        );
        await connection.query("rollback");
        found.push([statement, outcome]);
      }
      return Object.fromEntries(found);
    };
    const all = (statements: readonly string[], outcome: string) =>
      Object.fromEntries(statements.map((statement) => [statement, outcome]));
    expect(await outcomes(forBoth)).toEqual(all(forBoth, "done"));
    expect(await outcomes(forNeither)).toEqual(all(forNeither, "42501"));
    expect(await outcomes(onlyForWorkers)).toEqual(all(onlyForWorkers, role === "worker" ? "done" : "42501"));
    await connection.end();
  });
});
