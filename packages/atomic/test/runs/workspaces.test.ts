// What a run needs on another machine: its files, its workflow, its packages, an agent; and what it leaves there.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { type Project, tmpProject } from "@atomic/testing/project";
import { build } from "../program.ts";
import { type Fleet, newFleet, program, push, sharedProject, workflow } from "./fleet.ts";

setDefaultTimeout(180_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const root = join(import.meta.dirname, "../../../..");

const quick = workflow(
  "quick",
  `.start(toolNode({ id: "write", run: (_state, { folder }) => writeFileSync(join(folder, "a.txt"), "a") }))`,
);

/** The log's line about a run. */
async function lineOf(worker: OwnedProcess, event: string, runId: string): Promise<Record<string, unknown>> {
  const [line] = await worker.printed(new RegExp(`.*"event":"${event}".*"run":"${runId}".*`), 60_000);
  return JSON.parse(line);
}

async function left(worker: OwnedProcess, runId: string): Promise<void> {
  await worker.printed(new RegExp(`"event":"left".*"run":"${runId}","code":0`), 60_000);
}

/** A machine with Node and git, and no agents or package managers. */
async function bareMachine(): Promise<{ readonly machine: Project; readonly env: { readonly PATH: string } }> {
  const machine = await tmpProject({ git: false });
  await machine.run(["mkdir", "-p", "bin"]);
  for (const name of ["node", "git", "sh"]) await machine.run(["ln", "-s", Bun.which(name) ?? "", `bin/${name}`]);
  return { machine, env: { PATH: machine.path("bin") } };
}

describe.skipIf(!availability.available)("runs on other machines", () => {
  let server: Postgres;
  let repo: GitRepo;
  beforeAll(async () => {
    await build();
    await bundlePackages("hugo-pm");
    server = await startPostgres();
    repo = await gitRepo();
  });
  afterAll(async () => {
    await repo?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const detach = async (fleet: Fleet, project: Project, name: string, ...more: readonly string[]): Promise<string> => {
    const { stdout, stderr, code } = await fleet.atomic(project, "run", name, "--detach", ...more);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  const refsOf = async (of: GitRepo) =>
    (await of.git("for-each-ref", "--format=%(refname)", "refs/atomic")).split("\n").filter(Boolean);

  test("what only your home has is refused, with the command that helps", async () => {
    await using here = await sharedProject(repo, {
      ...workflow("uses", `.start(agentNode({ id: "review", agent: "reviewer", prompt: "Look" }))`),
      "~/.atomic/workflows/mine.ts": Object.values(workflow("mine", `.start(toolNode({ id: "x", run: () => 1 }))`))[0]!,
      "~/.config/opencode/agents/reviewer.md": "---\ndescription: Reviews\n---\nReview.\n",
    });
    const fleet = await newFleet(server, here);
    for (const argv of [
      ["run", "mine", "--detach"],
      ["schedule", "0 3 * * *", "mine"],
    ]) {
      const { code, stdout, stderr } = await fleet.atomic(here, ...argv);
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toContain("atomic:user/mine is in your home");
      expect(stderr).toContain(`mkdir -p .atomic/workflows && cp ${here.path("~/.atomic/workflows/mine.ts")} .atomic/`);
    }
    const { code, stderr } = await fleet.atomic(here, "run", "uses", "--detach");
    expect(code).toBe(3);
    expect(stderr).toContain("opencode:user/reviewer is in your home");
    expect(stderr).toContain(".opencode/agents/reviewer.md");
    expect(JSON.parse((await fleet.atomic(here, "runs", "--all", "--json")).stdout).runs).toEqual([]);
    // In the project's own folder of runs, your home is here.
    expect((await here.run([...program, "run", "mine", "--engine", "folder"])).code).toBe(0);
  });

  test("a workflow that git ignores is refused, too", async () => {
    await using here = await sharedProject(repo, { ...quick, ".gitignore": ".atomic\n" });
    const fleet = await newFleet(server, here);
    const { code, stderr } = await fleet.atomic(here, "run", "quick", "--detach");
    expect(code).toBe(3);
    expect(stderr).toContain("git ignores .atomic/workflows/quick.ts");
    expect(stderr).toContain("git add -f ");
  });

  test("a snapshot does not send what may contain secrets, and no remote with a token is stored", async () => {
    await using here = await sharedProject(repo, quick);
    const fleet = await newFleet(server, here);
    await here.write(".env", "KEY=secret");
    const { code, stderr } = await fleet.atomic(here, "run", "quick", "--detach", "--snapshot");
    expect(code).toBe(3);
    expect(stderr).toContain("--snapshot would push .env");
    await here.write(".gitignore", ".env\n");
    await here.write(".env.example", "KEY=");
    const runId = await detach(fleet, here, "quick", "--snapshot");
    const sent = await repo.git("ls-tree", "--name-only", `refs/atomic/${runId}`);
    expect(sent.split("\n")).toContain(".env.example");
    expect(sent.split("\n")).not.toContain(".env");
    await here.run(["git", "remote", "set-url", "origin", "https://ghp_0123456789abcdef@example.invalid/x.git"]);
    const token = await fleet.atomic(here, "run", "quick", "--detach", "--snapshot");
    expect(token.code).toBe(3);
    expect(token.stderr).not.toContain("ghp_");
  });

  test("a snapshot of a project with a repository inside is refused, because its files would be missing", async () => {
    await using here = await sharedProject(repo, quick);
    const fleet = await newFleet(server, here);
    await here.write("inner/file.txt", "only here");
    await here.run(["git", "init", "--quiet", "inner"]);
    await here.run(["git", "-C", "inner", "add", "."]);
    await here.run(["git", "-C", "inner", "commit", "--quiet", "-m", "inner"]);
    const { code, stdout, stderr } = await fleet.atomic(here, "run", "quick", "--detach", "--snapshot");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("inner/ is a git repository of its own");
    expect(JSON.parse((await fleet.atomic(here, "runs", "--json")).stdout).runs).toEqual([]);
  });

  test("a run names the packages that Hugo installed; a worker downloads them, or says what is missing", async () => {
    await using here = await sharedProject(repo, quick);
    const fleet = await newFleet(server, here);
    await cp(join(root, "examples/changelog"), here.path("changelog"), { recursive: true });
    const manifest = JSON.parse(await here.read("changelog/package.json"));
    await here.write("changelog/package.json", { ...manifest, main: "plugin.js", files: undefined });
    await here.write("changelog/plugin.js", 'export default { id: "changelog", server: async () => ({}) };\n');
    const hugo = join(root, "packages/hugo/bin/hugo.js");
    const installed = await here.run(["node", hugo, "install", "./changelog", "--yes"]);
    expect({ code: installed.code, stderr: installed.stderr }).toMatchObject({ code: 0 });
    await push(here);
    const runId = await detach(fleet, here, "quick");
    const shown = JSON.parse((await fleet.atomic(here, "show", runId, "--json")).stdout);
    const { changelog } = shown.setup.packages;
    expect(changelog).toMatch(/^@example\/changelog@[\d.]+ sha256:/);
    expect((await fleet.atomic(here, "show", runId)).stdout).toContain(changelog.split(" ")[0]);

    const { machine, env } = await bareMachine();
    await using one = machine;
    const first = await fleet.startWorker(one, [], env);
    expect(await lineOf(first, "not-ready", runId)).toMatchObject({
      problem: expect.stringContaining("Packages that Hugo installed are missing here: @example/changelog@"),
    });
    expect(await fleet.statusOf(here, runId)).toEqual({ kind: "pending" });
    await first.stop();

    await one.write("bin/hugo-pm", `#!/bin/sh\nexec node "${hugo}" "$@"\n`);
    await chmod(one.path("bin/hugo-pm"), 0o755);
    const second = await fleet.startWorker(one, [], env);
    await left(second, runId);
    await second.stop();
  });

  test("a worker whose project has another version leaves the run alone, and says which", async () => {
    const lock = (version: string) => ({
      version: 1,
      workflows: {
        notes: {
          package: "notes",
          source: "notes",
          version,
          delivery: "copy",
          agents: [],
          commands: [],
          skills: [],
          files: {},
        },
      },
    });
    const files = (version: string) => ({ ...quick, ".opencode/hugo.json": lock(version) });
    // Without a repository, a worker uses the project that it was started in.
    await using here = await tmpProject({ git: false, files: files("1.0.0") });
    await using other = await tmpProject({ git: false, files: files("1.1.0") });
    await using bare = await tmpProject({ git: false, files: quick });
    const fleet = await newFleet(server, here);
    const runId = await detach(fleet, here, "quick");
    for (const [project, problem] of [
      [other, "notes@1.1.0 is installed instead of notes@1.0.0"],
      [bare, "notes@1.0.0 is missing"],
    ] as const) {
      const worker = await fleet.startWorker(project);
      expect(await lineOf(worker, "not-ready", runId)).toMatchObject({ problem: expect.stringContaining(problem) });
      await worker.stop();
    }
    expect(await fleet.statusOf(here, runId)).toEqual({ kind: "pending" });
    const worker = await fleet.startWorker(here);
    await left(worker, runId);
    await worker.stop();
  });

  test("a run for an agent that is not installed here is left to a machine that has it", async () => {
    await using here = await sharedProject(repo, workflow("asks", `.start(agentNode({ id: "ask", prompt: "Hi" }))`));
    const fleet = await newFleet(server, here);
    const runId = await detach(fleet, here, "asks");
    const { machine, env } = await bareMachine();
    await using one = machine;
    const worker = await fleet.startWorker(one, [], env);
    expect(await lineOf(worker, "not-ready", runId)).toMatchObject({
      problem: "OpenCode is not installed on this machine",
    });
    expect(await fleet.statusOf(here, runId)).toEqual({ kind: "pending" });
    await worker.stop();
  });

  test("a run that another version of atomic began is left alone, and reported", async () => {
    await using here = await sharedProject(repo, quick);
    const fleet = await newFleet(server, here);
    const runId = await detach(fleet, here, "quick");
    const database = new Database(parseEngineUrl(fleet.url));
    // As an older version would have recorded it.
    await database.query(
      `update ${fleet.schema}.event set event = replace(event, '"interpreter":"1"', '"interpreter":"0"') where run = $1`,
      [runId],
    );
    await using one = await tmpProject({ git: false });
    const worker = await fleet.startWorker(one);
    expect(await lineOf(worker, "not-ready", runId)).toMatchObject({
      problem: `The run ${runId} was started by version 0, but this is version 1`,
    });
    const [before] = await database.query<{ last_n: string }>(`select last_n from ${fleet.schema}.run`);
    expect(before?.last_n).toBe("1");
    const next = await detach(fleet, here, "quick");
    await left(worker, next);
    expect(await fleet.statusOf(here, runId)).toEqual({ kind: "pending" });
    await database.close();
    await worker.stop();
  });

  test("commits that a step makes itself are saved, and files outside of the project's folder", async () => {
    await using here = await sharedProject(repo, {
      "sub/.keep": "",
      ...Object.fromEntries(
        Object.entries(
          workflow(
            "commits",
            `.start(toolNode({ id: "one", run: (_state, { folder }) => writeFileSync(join(folder, "../above.txt"), "1") }))
             .then(toolNode({ id: "two", run: (_state, { folder }) => {
              writeFileSync(join(folder, "made.txt"), "2");
              const git = (...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder });
              git("add", ".");
              git("commit", "-q", "-m", "my own");
            } }))`,
          ),
        ).map(([path, text]) => [`sub/${path}`, text]),
      ),
    });
    const fleet = await newFleet(server, here);
    const { stdout } = await here.run([...program, "run", "commits", "--detach"], {
      env: fleet.env,
      cwd: here.path("sub"),
    });
    const runId = stdout.trim();
    await using one = await tmpProject({ git: false });
    const worker = await fleet.startWorker(one);
    await left(worker, runId);
    await worker.stop();
    const saved = await repo.git("ls-tree", "-r", "--name-only", `refs/atomic/${runId}`);
    expect(saved.split("\n")).toEqual(expect.arrayContaining(["above.txt", "sub/made.txt"]));
    expect(await repo.git("log", "--format=%s", `refs/atomic/${runId}`)).toContain("my own");
  });

  test("a process that has lost its run does not replace what its successor has saved", async () => {
    await using own = await gitRepo();
    await using here = await sharedProject(own, {
      ...workflow(
        "slow",
        `.start(toolNode({ id: "a", run: async (_state, { folder, attempt, note }) => {
          writeFileSync(join(folder, "by.txt"), String(attempt));
          note("at work");
          while (attempt === 1 && !(await import("node:fs")).existsSync(process.env.GO ?? "")) await new Promise((resolve) => setTimeout(resolve, 20));
        } }))`,
      ),
    });
    const fleet = await newFleet(server, here);
    await using one = await tmpProject({ git: false });
    await using two = await tmpProject({ git: false });
    const first = await fleet.startWorker(one, [], { GO: one.path("go") });
    const runId = await detach(fleet, here, "slow");
    const follower = await here.start([...program, "show", runId, "--follow", "--json"], { env: fleet.env });
    await follower.printed(/"note":"at work"/, 60_000);
    // As if it had shown no sign of life for longer than its lease.
    const admin = new Database(parseEngineUrl(fleet.url));
    await admin.query(`update ${fleet.schema}.run set owner = null, taken_until = null where id = $1`, [runId]);
    const second = await fleet.startWorker(two);
    await left(second, runId);
    const saved = (await own.git("rev-parse", `refs/atomic/${runId}`)).trim();
    await one.write("go", "");
    await first.printed(new RegExp(`"event":"(left|crashed)"[^\\n]*"run":"${runId}"`), 60_000);
    expect((await own.git("rev-parse", `refs/atomic/${runId}`)).trim()).toBe(saved);
    expect(await own.git("show", `refs/atomic/${runId}:by.txt`)).toBe("2");
    await admin.close();
    for (const worker of [first, second]) await worker.stop();
  });

  test("prune also removes an ended run's files from its repository, and workers their worktrees", async () => {
    await using own = await gitRepo();
    await using here = await sharedProject(own, {
      ...quick,
      ...workflow(
        "asks",
        `.start(toolNode({ id: "write", run: (_state, { folder }) => writeFileSync(join(folder, "b.txt"), "b") }))
         .wait(waitNode({ id: "ok", prompt: "Ok?" }))`,
      ),
    });
    const fleet = await newFleet(server, here);
    await using one = await tmpProject({ git: false });
    const [done, open] = [await detach(fleet, here, "quick"), await detach(fleet, here, "asks")];
    const worker = await fleet.startWorker(one);
    await left(worker, done);
    expect(await lineOf(worker, "left", open)).toMatchObject({ code: 4 });
    expect((await refsOf(own)).sort()).toEqual([done, open].map((runId) => `refs/atomic/${runId}`).sort());

    // Where it may not: said, and tried again later.
    const hook = join(own.dir, "hooks/pre-receive");
    await Bun.write(hook, "#!/bin/sh\necho closed >&2; exit 1\n");
    await chmod(hook, 0o755);
    const refused = await fleet.atomic(here, "prune", "--older-than", "0s");
    expect(refused).toMatchObject({ code: 0, stdout: `${done}\n` });
    expect(refused.stderr).toContain("The files of 1 removed run are still in their repositories");
    const database = new Database(parseEngineUrl(fleet.url));
    const again = await database.query<{ new: boolean }>(
      `select ${fleet.schema}.create_run($1, gen_random_uuid(), null, '{}', '{}', 0, '{}') as new`,
      [done],
    );
    expect(again).toEqual([{ new: false }]); // the id is not given to another run
    await chmod(hook, 0o644);
    expect((await fleet.atomic(here, "prune", "--older-than", "0s")).stderr).toBe("0 runs removed, 0 B\n");
    expect(await refsOf(own)).toEqual([`refs/atomic/${open}`]);
    await database.close();

    process.kill(worker.pid, "SIGTERM");
    await worker.end(60_000);
    const trees = async () =>
      (await readdir(one.path("~/.atomic/workspaces/runs"), { recursive: true })).map((each) => each.split("/"));
    expect((await trees()).filter((parts) => parts.length === 2).map(([, runId]) => runId)).toEqual([open]);
  });

  test("files of another database's run with the same id are neither used nor removed", async () => {
    await using own = await gitRepo();
    await using here = await sharedProject(own, quick);
    const [fleet, stranger] = [await newFleet(server, here), await newFleet(server, here)];
    await using one = await tmpProject({ git: false });
    const runId = await detach(fleet, here, "quick");
    const first = await fleet.startWorker(one);
    await left(first, runId);
    await first.stop();
    const theirs = new Database(parseEngineUrl(stranger.url));
    const copied = await theirs.query<{ new: boolean }>(
      `select ${stranger.schema}.create_run($1, gen_random_uuid(), null, '{"kind":"pending"}', (
         select event from ${fleet.schema}.event where run = $1 and n = 1), 0, '{}') as new`,
      [runId],
    );
    expect(copied).toEqual([{ new: true }]);
    const second = await stranger.startWorker(one);
    expect(await lineOf(second, "not-ready", runId)).toMatchObject({
      problem: expect.stringContaining("belongs to a run of another database"),
    });
    await second.stop();
    await stranger.atomic(here, "cancel", runId);
    expect((await stranger.atomic(here, "prune", "--older-than", "0s")).stdout).toBe(`${runId}\n`);
    expect(await refsOf(own)).toEqual([`refs/atomic/${runId}`]);
    await theirs.close();
  });
});
