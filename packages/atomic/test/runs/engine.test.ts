// Runs in a database: what one machine starts, another one sees, answers and continues.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import type { Project } from "@atomic/testing/project";
import { atomic as inProcess } from "../atomic.ts";
import { build, runtimes } from "../program.ts";
import { projectWith } from "./begun.ts";

setDefaultTimeout(180_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const asking = `{ name: "asking" }, (graph) => graph
  .start(toolNode({ id: "plan", run: () => "planned" }))
  .wait(waitNode({ id: "approval", prompt: "Ship it?" }))
  .then(toolNode({ id: "say", run: ({ outputs }) => \`\${outputs.plan}, said \${outputs.approval}\` }))`;

const holding = `{ name: "holding" }, (graph) => graph
  .start(toolNode({ id: "hold", run: (_state, { signal, note }) => {
    note({ type: "text", text: "holding on" });
    return new Promise((_, reject) => {
      const alive = setInterval(() => undefined, 1000);
      signal.addEventListener("abort", () => { clearInterval(alive); reject(signal.reason); });
    });
  } }))`;

const counting = `{ name: "counting" }, (graph) => graph
  .start(toolNode({ id: "one", run: () => 1 })).then(toolNode({ id: "two", run: () => 2 })).then(toolNode({ id: "three", run: () => 3 }))`;

const [node, bun] = runtimes;

test("a project's file does not decide who receives your password", async () => {
  await using project = await projectWith({ counting });
  await project.write(".atomic/config.json", '{ "engine": "postgres://you@127.0.0.1:1/stolen" }');
  const { code, stderr } = await inProcess(project, ["runs"], { env: { PGPASSWORD: "secret" } });
  expect(code).toBe(1);
  expect(stderr).toBe(
    [
      "atomic: PGPASSWORD is set, and .atomic/config.json would send that password to postgres://you@127.0.0.1:1/stolen",
      "If you trust it, name it yourself: export ATOMIC_ENGINE=postgres://you@127.0.0.1:1/stolen",
      "Otherwise unset PGPASSWORD, or keep the password in ~/.pgpass.",
      "",
    ].join("\n"),
  );
});

describe.skipIf(!availability.available)("runs in a database", () => {
  let server: Postgres;
  let url: string;
  beforeAll(async () => {
    await build();
    server = await startPostgres();
    url = `${server.url}?schema=cli${process.pid}`;
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  const atomic = async (project: Project, argv: readonly string[], runtime = node) =>
    await project.run([...(runtime?.command ?? []), ...argv], { env: { ...runtime?.env, ATOMIC_ENGINE: url } });

  test("before the tables are there, an error says how to make them; afterwards the check says what works", async () => {
    await using project = await projectWith({ asking });
    const early = await atomic(project, ["runs"]);
    expect(early).toMatchObject({ code: 6, stdout: "" });
    expect(early.stderr).toContain("has no tables for runs");
    expect(early.stderr).toContain("atomic engine migrate --engine ");
    expect(await atomic(project, ["engine", "migrate"])).toMatchObject({
      code: 0,
      stdout: "The tables are now at version 4.\n",
    });
    expect((await atomic(project, ["engine", "migrate"])).stdout).toStartWith("The tables are up to date");
    for (const runtime of [node, bun]) {
      const { stdout } = await atomic(project, ["engine", "check", "--json"], runtime);
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, mode: "session", mayStart: true, mayWork: true });
    }
    const text = (await atomic(project, ["engine", "check"])).stdout;
    expect(text).toContain("session: the connection leads directly to the server");
    expect(text).toContain("start, answer and work on runs");
  });

  test("started on one machine, answered from another and continued by a third", async () => {
    await using here = await projectWith({ asking });
    await using there = await projectWith({});
    await using third = await projectWith({ asking });
    const started = await atomic(here, ["run", "asking", "--no-wait", "--json"]);
    expect(started.code).toBe(4);
    const { runId } = JSON.parse(started.stdout.split("\n")[0] ?? "");
    expect(await here.tree()).not.toContain(".atomic/runs");
    const listed = JSON.parse((await atomic(there, ["runs", "--json"])).stdout);
    expect(listed).toMatchObject({
      engine: url,
      runs: [{ runId, workflow: "asking", questions: [{ kind: "approval" }] }],
    });
    expect(listed.folder).toBeUndefined();
    expect((await atomic(there, ["show", runId])).stdout).toMatch(
      /next +answer it \(see below\), then a worker continues it/,
    );
    const approved = await atomic(there, ["approve", runId]);
    expect(approved.stdout).toContain("Ship it? yes");
    expect(approved.stderr).toBe(`A worker continues it. To work on it here instead: atomic resume ${runId}\n`);
    expect((await atomic(there, ["approve", runId, "--deny"])).code).not.toBe(0);
    const resumed = await atomic(third, ["resume", runId], bun);
    expect(resumed).toMatchObject({ code: 0, stdout: "planned, said true\n" });
    const shown = await atomic(there, ["show", runId]);
    expect(shown.stdout).toMatch(/answered: true, by postgres \(says it is \S+@\S+\)/);
    expect(await atomic(there, ["prune", "--older-than", "0s"])).toMatchObject({ code: 0, stdout: `${runId}\n` });
    expect((await atomic(here, ["show", runId])).code).toBe(1);
  });

  test("a run that the database cannot give back is listed as damaged, beside the others", async () => {
    await using here = await projectWith({ asking, counting });
    const begin = async (...argv: readonly string[]): Promise<string> =>
      JSON.parse((await atomic(here, ["run", ...argv, "--json"])).stdout.split("\n")[0] ?? "").runId;
    const good = await begin("asking", "--no-wait");
    const ended = await begin("counting");
    const database = new Database(parseEngineUrl(url));
    const { schema } = database.url;
    const reasons: Record<string, string> = {};
    for (const [damage, reason] of [
      ["update s.event set event = '{' where run = $1 and n = 2", "Record 2 of the run"],
      [`update s.event set event = '{"type":"usage","at":1}' where run = $1 and n = 3`, "is not a whole usage event"],
      ["update s.run set status = '?', name = '?' where id = $1", "its status in the database cannot be read"],
      ["insert into s.message select $1, 1, gen_random_uuid(), null, 'garbage', ''", "Message 1 to the run"],
    ] as const) {
      const runId = await begin("asking", "--no-wait");
      await database.query(damage.replaceAll("s.", `${schema}.`), [runId]);
      reasons[runId] = reason;
    }
    await database.query(`update ${schema}.event set event = '' where run = $1`, [ended]);
    await database.close();
    const listed = await atomic(here, ["runs", "--all"]);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(new RegExp(`^${good} +asking +idle .*Ship it`, "m"));
    expect(listed.stderr).toContain("5 cannot be read");
    const { runs } = JSON.parse((await atomic(here, ["runs", "--all", "--json"])).stdout);
    for (const [runId, reason] of Object.entries(reasons)) {
      expect(runs).toContainEqual(
        expect.objectContaining({ runId, status: { kind: "damaged", reason: expect.stringContaining(reason) } }),
      );
    }
    // What has ended is removed even if it cannot be read; and a command for another run does not care.
    expect(await atomic(here, ["prune", "--older-than", "0s"])).toMatchObject({ code: 0, stdout: `${ended}\n` });
    expect((await atomic(here, ["approve", good])).code).toBe(0);
    const [first = ""] = Object.keys(reasons);
    expect(await atomic(here, ["show", first])).toMatchObject({ code: 3, stdout: "" });
  });

  test("a run is followed, with what its steps say, and cancelled from another machine", async () => {
    await using here = await projectWith({ holding });
    await using there = await projectWith({});
    const env = { ATOMIC_ENGINE: url };
    const run = await here.start([...(node?.command ?? []), "run", "holding", "--json"], { env });
    const [, runId = ""] = await run.printed(/"runId":"([^"]*)","type":"step-note","key":"hold"/, 60_000);
    const follower = await there.start([...(bun?.command ?? []), "show", runId, "--follow", "--json"], { env });
    await follower.printed(/"type":"text","text":"holding on"/, 60_000);
    expect((await atomic(there, ["resume", runId])).code).not.toBe(0);
    expect((await atomic(there, ["cancel", runId])).code).toBe(0);
    expect((await run.end(60_000)).code).toBe(8);
    expect((await follower.end(60_000)).code).toBe(8);
    expect((await atomic(there, ["cancel", runId])).code).toBe(0);
  });

  test("a run that used up its budget continues after a raise from another machine", async () => {
    await using here = await projectWith({ counting });
    await using there = await projectWith({});
    const stopped = await atomic(here, ["run", "counting", "--max-steps", "1", "--json"]);
    expect(stopped.code).toBe(5);
    const { runId } = JSON.parse(stopped.stdout.split("\n")[0] ?? "");
    expect((await atomic(there, ["raise", runId])).code).toBe(2);
    expect((await atomic(there, ["show", runId])).stdout).toMatch(/next +atomic raise \S+ --max-steps <more>/);
    expect(await atomic(there, ["raise", runId, "--max-steps", "9"])).toMatchObject({
      code: 0,
      stdout: `${runId}: the budget is now 9 steps.\n`,
      stderr: expect.stringContaining("A worker continues it."),
    });
    expect((await atomic(here, ["resume", runId])).code).toBe(0);
  });

  test("a detached run waits until a process takes it", async () => {
    await using here = await projectWith({ counting });
    const { stdout } = await atomic(here, ["run", "counting", "--detach"]);
    const runId = stdout.trim();
    expect(JSON.parse((await atomic(here, ["runs", "--json"])).stdout).runs).toContainEqual(
      expect.objectContaining({ runId, status: { kind: "pending" } }),
    );
    expect((await atomic(here, ["resume", runId])).code).toBe(0);
  });

  test("with --engine, the commands that are shown find the same runs", async () => {
    await using here = await projectWith({ counting });
    const argv = [...(node?.command ?? []), "run", "counting", "--detach", "--engine", url];
    const { stdout, stderr } = await here.run(argv);
    expect(stderr).toContain(`ATOMIC_ENGINE='${url}' atomic resume ${stdout.trim()}`);
  });

  test("the engine comes from the option, the environment or .atomic/config.json, in this order", async () => {
    await using project = await projectWith({ counting });
    const missing = "postgres://nobody@127.0.0.1:9/x";
    const runs = async (argv: readonly string[], env: Record<string, string> = {}) =>
      await inProcess(project, ["runs", "--json", ...argv], { env });
    await project.write(".atomic/config.json", JSON.stringify({ engine: missing }));
    expect((await runs([])).code).toBe(6);
    expect(JSON.parse((await runs([], { ATOMIC_ENGINE: url })).stdout).engine).toBe(url);
    expect(JSON.parse((await runs(["--engine", url], { ATOMIC_ENGINE: missing })).stdout).engine).toBe(url);
    expect(JSON.parse((await runs(["--engine", "folder"])).stdout).folder).toEndWith(".atomic/runs");
  });
});

test.each([
  ["postgres://ada:secret@db/x", "The engine's URL contains a password", "PGPASSWORD"],
  ["mysql://db/x", "only postgres:// is known", "postgres://user@host"],
])("%s is refused before anything is connected", async (engine, what, hint) => {
  await using project = await projectWith({ counting });
  const { code, stderr } = await inProcess(project, ["run", "counting", "--engine", engine]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(what);
  expect(stderr).toContain(hint);
  expect(stderr).not.toContain("secret");
});

test("a mistake in .atomic/config.json is reported with its position", async () => {
  await using project = await projectWith({ counting });
  await project.write(".atomic/config.json", '{\n  "engine" "x"\n}\n');
  const { code, stderr } = await inProcess(project, ["runs"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("config.json:2:12");
  await project.write(".atomic/config.json", '{ "engine": 5 }');
  expect((await inProcess(project, ["runs"])).stderr).toContain('"engine" is not text');
});
