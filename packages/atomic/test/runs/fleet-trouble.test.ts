// Trouble of operating a fleet: a stop while files are sent, a disk that cannot be used, a database that restarts or is newer.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { type Project, tmpProject } from "@atomic/testing/project";
import { build } from "../program.ts";
import { type Fleet, newFleet, program, sharedProject, workflow } from "./fleet.ts";

setDefaultTimeout(180_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const files = {
  ...workflow(
    "writes",
    `.start(toolNode({ id: "one", run: (_state, { folder }) => appendFileSync(join(folder, "one.txt"), "line\\n") }))
      .then(toolNode({ id: "two", run: (_state, { folder }) => appendFileSync(join(folder, "two.txt"), "line\\n") }))`,
  ),
  ...workflow(
    "blocks",
    `.start(toolNode({ id: "one", run: () => { execFileSync("sh", ["-c", 'echo > "$REACHED"; cat "$HELD"']); } }))`,
  ),
  ...workflow("fails", `.start(toolNode({ id: "one", run: () => { throw new Error("out of paint"); } }))`),
  ...workflow("asks", `.start(waitNode({ id: "ok", prompt: "Ok?" }))`),
};

describe.skipIf(!availability.available)("a fleet in trouble", () => {
  let server: Postgres;
  let repo: GitRepo;
  let here: Project;
  let fleet: Fleet;
  beforeAll(async () => {
    await build();
    server = await startPostgres();
    repo = await gitRepo();
    here = await sharedProject(repo, files);
    fleet = await newFleet(server, here);
  });
  afterAll(async () => {
    await here?.[Symbol.asyncDispose]();
    await repo?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  const detach = async (name: string): Promise<string> =>
    (await fleet.atomic(here, "run", name, "--detach")).stdout.trim();

  for (const moment of ["before", "after"]) {
    test(`asked to stop while git pushes, ${moment} the repository has the files: each step's effect is there once`, async () => {
      await using one = await tmpProject({ git: false });
      const [held, reached] = [one.path("held"), one.path("reached")];
      await one.run(["mkfifo", reached]);
      await one.write("held", "");
      // The first push never ends by itself.
      const stops = `if [ -e "${held}" ]; then rm "${held}"; echo here > "${reached}"; exec sleep 600; fi`;
      const real = Bun.which("git");
      const push = moment === "before" ? stops : `${real} "$@" && ${stops}`;
      await one.write("bin/git", `#!/bin/sh\ncase "$*" in *" push "*) ${push};; esac\nexec ${real} "$@"\n`);
      await chmod(one.path("bin/git"), 0o755);
      const runId = await detach("writes");
      const worker = await fleet.startWorker(one, [], { PATH: `${one.path("bin")}:${one.env.PATH}` });
      await (await one.start(["cat", reached])).end(60_000);
      process.kill(worker.pid, "SIGTERM");
      expect((await worker.end(60_000)).code).toBe(0);
      await using two = await tmpProject({ git: false });
      const next = await fleet.startWorker(two);
      await next.printed(new RegExp(`"event":"left".*"run":"${runId}","code":0`), 60_000);
      for (const name of ["one", "two"])
        expect(await repo.git("show", `refs/atomic/${runId}:${name}.txt`)).toBe("line");
      await next.stop();
    });
  }

  test("a worker whose folder for files cannot be used says so and takes runs again when it can", async () => {
    await using one = await tmpProject({ git: false });
    await one.write("~/.atomic/workspaces", "a file, not a folder");
    const worker = await fleet.startWorker(one);
    const runId = await detach("writes");
    const [line] = await worker.printed(new RegExp(`.*"event":"not-ready".*"run":"${runId}".*`), 60_000);
    expect(JSON.parse(line).problem).toContain(join(".atomic", "workspaces"));
    await rm(one.path("~/.atomic/workspaces"));
    await mkdir(one.path("~/.atomic/workspaces"));
    await worker.printed(new RegExp(`"event":"left".*"run":"${runId}","code":0`), 60_000);
    await worker.stop();
  });

  test("a repository that cannot be written for a while is not the step's failure; one that refuses the files is", async () => {
    await using own = await gitRepo();
    await using project = await sharedProject(own, files);
    await using one = await tmpProject({ git: false });
    const start = async () => (await fleet.atomic(project, "run", "writes", "--detach")).stdout.trim();
    const runId = await start();
    const lock = join(own.dir, `refs/atomic/${runId}.lock`);
    await Bun.write(lock, "");
    const worker = await fleet.startWorker(one);
    const [line] = await worker.printed(new RegExp(`.*"event":"not-ready".*"run":"${runId}".*`), 60_000);
    expect(JSON.parse(line).problem).toContain(".lock");
    await rm(lock);
    await worker.printed(new RegExp(`"event":"left".*"run":"${runId}","code":0`), 60_000);
    expect(await fleet.statusOf(project, runId)).toMatchObject({ kind: "done" });

    const hook = join(own.dir, "hooks/pre-receive");
    await Bun.write(hook, "#!/bin/sh\necho too large >&2; exit 1\n");
    await chmod(hook, 0o755);
    const refused = await start();
    await worker.printed(new RegExp(`"event":"left".*"run":"${refused}"`), 60_000);
    expect(await fleet.statusOf(project, refused)).toMatchObject({
      kind: "failed",
      error: { message: expect.stringContaining("too large") },
    });
    await worker.stop();
  });

  test("what a worker cannot tidy up keeps nothing else from being removed", async () => {
    await using own = await gitRepo();
    await using project = await sharedProject(own, files);
    await using one = await tmpProject({ git: false });
    const runId = (await fleet.atomic(project, "run", "writes", "--detach")).stdout.trim();
    const first = await fleet.startWorker(one);
    await first.printed(new RegExp(`"event":"left".*"run":"${runId}","code":0`), 60_000);
    await first.stop();
    await rename(own.dir, `${own.dir}.away`);
    await fleet.atomic(project, "prune", "--older-than", "0s");
    await rename(`${own.dir}.away`, own.dir);
    const mirrors = one.path("~/.atomic/workspaces/mirrors");
    await cp(own.dir, join(mirrors, "broken"), { recursive: true });
    await Bun.write(join(mirrors, "broken/config"), "[");
    const second = await fleet.startWorker(one);
    process.kill(second.pid, "SIGTERM");
    expect((await second.end(60_000)).code).toBe(0);
    expect(second.stdout).toMatch(/"event":"leftover".*bad config/);
    expect(await own.git("for-each-ref", "refs/atomic")).toBe("");
  });

  test("a step that blocks its thread for longer than the lease happens once", async () => {
    const own = await newFleet(server, here);
    await using one = await tmpProject({ git: false });
    await using two = await tmpProject({ git: false });
    const [HELD, REACHED] = [one.path("held"), one.path("reached")];
    await one.run(["mkfifo", HELD, REACHED]);
    const env = { HELD, REACHED };
    const first = await own.startWorker(one, [], env);
    const runId = (await own.atomic(here, "run", "blocks", "--detach")).stdout.trim();
    await (await one.start(["cat", REACHED])).end(60_000);
    const database = new Database(parseEngineUrl(own.url));
    const { schema } = own;
    const [child] = await database.query<{ id: string }>(
      `update ${schema}.process set lease = '3 seconds' from ${schema}.run where process.id = owner returning process.id`,
    );
    expect(child).toBeDefined();
    // A younger run, whose process is gone: once it is taken, the time of the first one is over, too.
    await database.query(
      `select ${schema}.create_run('canary', gen_random_uuid(), null, '{"kind":"pending"}', event, 0, '{}')
       from ${schema}.event where run = $1 and n = 1`,
      [runId],
    );
    await database.query(
      `with gone as (
         insert into ${schema}.process (id, host, pid, program, lease) values (gen_random_uuid(), 'gone', 1, '', '3 seconds')
         returning id
       ) update ${schema}.run set owner = gone.id, created_at = 9e15 from gone where run.id = 'canary'`,
    );
    const second = await own.startWorker(two, [], env);
    const [taken] = await second.printed(/"event":"taken".*/, 60_000);
    expect(taken).toContain(`"run":"canary"`);
    await two.run(["sh", "-c", `echo done > "${HELD}"`]);
    await first.printed(new RegExp(`"event":"left".*"run":"${runId}","code":0`), 60_000);
    const steps = await database.query(
      `select n from ${schema}.event where run = $1 and strpos(event, '"type":"step-started"') > 0`,
      [runId],
    );
    expect(steps).toHaveLength(1);
    await database.close();
    for (const worker of [first, second]) worker.kill("SIGKILL");
  });

  test("a run that failed is left with the reason, and is not called not ready", async () => {
    await using one = await tmpProject({ git: false });
    const worker = await fleet.startWorker(one);
    const runId = await detach("fails");
    const [line] = await worker.printed(new RegExp(`.*"event":"left".*"run":"${runId}".*`), 60_000);
    expect(JSON.parse(line)).toMatchObject({ code: 1, problem: expect.stringContaining("out of paint") });
    const next = await detach("writes");
    await worker.printed(new RegExp(`"event":"left".*"run":"${next}","code":0`), 60_000);
    expect(worker.stdout).not.toContain("not-ready");
    await worker.stop();
  });

  test("who follows a run still does after the database was away for a while", async () => {
    if (server.crash === undefined) return; // a server that is not ours
    await using one = await tmpProject({ git: false });
    await using there = await tmpProject({ git: false });
    const worker = await fleet.startWorker(one);
    const runId = await detach("asks");
    const follower = await there.start([...program, "show", runId, "--follow", "--json"], { env: fleet.env });
    await follower.printed(/"type":"wait-started"/, 60_000);
    const follow = ["sh", "-c", 'exec "$@" 2>&1', "sh", ...program, "show", runId, "--follow"];
    const patient = await there.start(follow, { env: fleet.env });
    await patient.printed(/Ok\?/, 60_000);
    await server.crash();
    await patient.printed(/The database at \S+ does not answer: .* Waiting for it…/, 60_000);
    await server.restart?.();
    expect((await fleet.atomic(there, "approve", runId)).code).toBe(0);
    await follower.printed(/"type":"run-ended"/, 60_000);
    expect((await follower.end(60_000)).code).toBe(0);
    expect((await patient.end(60_000)).code).toBe(0);
    await worker.stop();
  });

  test("a worker that is older than the tables starts nothing, and says why", async () => {
    const own = await newFleet(server, here);
    await using one = await tmpProject({ git: false });
    const worker = await own.startWorker(one);
    const runId = (await own.atomic(here, "run", "writes", "--detach")).stdout.trim();
    await worker.printed(new RegExp(`"event":"left".*"run":"${runId}","code":0`), 60_000);
    const database = new Database(parseEngineUrl(own.url));
    const text = `select ${own.schema}.create_run('later', gen_random_uuid(), null, '{"kind":"pending"}', event, 0, '{}')
      from ${own.schema}.event where run = $1 and n = 1`;
    await database.query(`insert into ${own.schema}.version (version) values (99)`);
    await database.query(text, [runId]);
    await database.query(
      `insert into ${own.schema}.schedule (name, cron, request, needs, next)
       values ('nightly', '0 3 * * *', '{"graph":null,"input":null}', '{}', '2026-01-01T03:00Z')`,
    );
    const [line] = await worker.printed(/.*"event":"not-ready".*/, 60_000);
    expect(JSON.parse(line).problem).toContain("have version 99; this atomic knows only");
    for (const argv of [["runs"], ["approve", "later"], ["worker"], ["engine", "migrate"]]) {
      const { code, stderr } = await own.atomic(here, ...argv);
      expect({ argv, code, stderr }).toEqual({
        argv,
        code: 6,
        stderr: expect.stringContaining("Update atomic. Nothing was changed."),
      });
    }
    const [row] = await database.query<{ n: string }>(`select last_n as n from ${own.schema}.run where id = 'later'`);
    expect(row?.n).toBe("1");
    expect(worker.stdout).not.toContain(`"run":"later"`);
    // Once the tables are what it knows, it continues by itself.
    await database.query(`delete from ${own.schema}.version where version = 99`);
    await worker.printed(/"event":"scheduled".*"run":"nightly-20260101t0300"/, 60_000);
    await worker.printed(/"event":"left".*"run":"later"/, 60_000);
    await database.close();
    await worker.stop();
  });
});
