// Workers on machines of their own: each has its own home and its own folder, and shares only the database and the repository.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { type Project, tmpProject } from "@atomic/testing/project";
import { build, runtimes } from "../program.ts";
import { projectWith } from "./begun.ts";

setDefaultTimeout(180_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const [node] = runtimes;
const program = node?.command ?? [];

/** Writes three files; the first attempt at the second one never ends. */
const three = `import { defineGraph, toolNode, waitNode } from "@atomic/workflows";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
const write = (folder: string, name: string) => writeFileSync(join(folder, name), name);
export default defineGraph({ name: "three" }, (graph) => graph
  .start(toolNode({ id: "a", run: (_state, { folder }) => write(folder, "a.txt") }))
  .then(toolNode({ id: "b", run: async (_state, { folder, attempt, note }) => {
    write(folder, attempt === 1 ? "half.txt" : "b.txt");
    note({ type: "text", text: "at work on b" });
    if (attempt === 1) await new Promise(() => setInterval(() => undefined, 1000));
  } }))
  .wait(waitNode({ id: "approval", prompt: "Go on?" }))
  .then(toolNode({ id: "c", run: (_state, { folder }) => write(folder, "c.txt") })));
`;

describe.skipIf(!availability.available)("workers", () => {
  let server: Postgres;
  let url: string;
  let env: { readonly ATOMIC_ENGINE: string };
  beforeAll(async () => {
    await build();
    server = await startPostgres();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  let schemas = 0;
  const newEngine = async (project: Project): Promise<void> => {
    url = `${server.url}?schema=w${process.pid}_${++schemas}`;
    env = { ATOMIC_ENGINE: url };
    await atomic(project, "engine", "migrate");
  };
  const atomic = async (project: Project, ...argv: readonly string[]) =>
    await project.run([...program, ...argv], { env });
  const startWorker = async (project: Project, ...argv: readonly string[]): Promise<OwnedProcess> => {
    const worker = await project.start([...program, "worker", "--runs", "1", ...argv], { env });
    await worker.printed(/"event":"ready"/, 60_000);
    return worker;
  };
  const statusOf = async (project: Project, runId: string) =>
    JSON.parse((await atomic(project, "show", runId, "--json")).stdout).status;
  /** A project whose files are in a repository that every machine reaches. */
  const sharedProject = async (repo: GitRepo, files: Record<string, string>): Promise<Project> => {
    const project = await tmpProject({ files });
    await project.run(["git", "remote", "add", "origin", repo.url]);
    await project.run(["git", "push", "--quiet", "origin", "HEAD:main"]);
    await project.run(["git", "fetch", "--quiet", "origin"]);
    return project;
  };

  test("the worker is killed in the second step; another machine continues with the files of the first", async () => {
    await using repo = await gitRepo();
    await using here = await sharedProject(repo, { ".atomic/workflows/three.ts": three });
    await using one = await tmpProject({ git: false });
    await using two = await tmpProject({ git: false });
    await using third = await tmpProject({ git: false });
    await newEngine(here);
    const first = await startWorker(one);
    const runId = (await atomic(here, "run", "three", "--detach")).stdout.trim();
    const follower = await third.start([...program, "show", runId, "--follow", "--json"], { env });
    await follower.printed(/"text":"at work on b"/, 60_000);
    first.kill();
    await first.end(60_000);
    const second = await startWorker(two);
    await second.printed(/"event":"left","worker":"[^"]*","run":"[^"]*","code":4/, 60_000);
    expect((await atomic(third, "approve", runId)).code).toBe(0);
    await second.printed(/"code":0/, 60_000);
    expect((await statusOf(third, runId)).kind).toBe("done");
    const saved = await repo.git("ls-tree", "--name-only", `refs/atomic/${runId}`);
    expect(
      saved
        .trim()
        .split("\n")
        .filter((name) => name.endsWith(".txt")),
    ).toEqual(["a.txt", "b.txt", "c.txt"]);
    second.kill("SIGTERM");
    expect((await second.end(60_000)).code).toBe(0);
  });

  test("what other machines could not get is refused with the command that helps, or taken along", async () => {
    await using repo = await gitRepo();
    await using here = await sharedProject(repo, { ".atomic/workflows/three.ts": three });
    await using one = await tmpProject({ git: false });
    await newEngine(here);
    await here.write("more.txt", "not committed");
    const dirty = await atomic(here, "run", "three", "--detach");
    expect(dirty).toMatchObject({ code: 3, stdout: "" });
    expect(dirty.stderr).toContain("--snapshot");
    await here.run(["git", "add", "."]);
    await here.run(["git", "commit", "--quiet", "-m", "more"]);
    expect((await atomic(here, "run", "three", "--detach")).stderr).toContain("git push");
    await here.write("more.txt", "changed again");
    const runId = (await atomic(here, "run", "three", "--detach", "--snapshot")).stdout.trim();
    expect(await repo.git("show", `refs/atomic/${runId}:more.txt`)).toContain("changed again");
    const worker = await startWorker(one);
    await worker.printed(/"event":"taken"/, 60_000);
    await worker.stop();
    await here.run(["git", "remote", "set-url", "origin", "https://ada:secret@example.invalid/x.git"]);
    const secret = await atomic(here, "run", "three", "--detach", "--snapshot");
    expect(secret.code).toBe(3);
    expect(secret.stderr).not.toContain("secret@");
  });

  test("asked to stop, a worker releases its run; what it cannot execute it leaves to others", async () => {
    await using one = await projectWith({});
    await using two = await projectWith({
      hold: `{ name: "hold" }, (graph) => graph.start(toolNode({ id: "hold", run: async (_state, { attempt, note, signal }) => {
        note("holding");
        if (attempt === 1) await new Promise((_, reject) => {
          const alive = setInterval(() => undefined, 1000);
          signal.addEventListener("abort", () => { clearInterval(alive); reject(signal.reason); });
        });
        return "held";
      } }))`,
    });
    await newEngine(one);
    const runId = (await atomic(two, "run", "hold", "--detach")).stdout.trim();
    const first = await startWorker(one);
    const [line] = await first.printed(/.*"event":"not-ready".*/, 60_000);
    expect(JSON.parse(line)).toMatchObject({ run: runId, problem: expect.stringContaining("hold") });
    expect((await statusOf(one, runId)).kind).toBe("pending");
    const second = await startWorker(two);
    const follower = await one.start([...program, "show", runId, "--follow", "--json"], { env });
    await follower.printed(/"note":"holding"/, 60_000);
    second.kill("SIGTERM");
    expect((await second.end(60_000)).code).toBe(0);
    expect((await statusOf(one, runId)).kind).toBe("pending");
    const third = await startWorker(two);
    await third.printed(/"code":0/, 60_000);
    expect((await statusOf(one, runId)).kind).toBe("done");
    await first.stop();
    await third.stop();
  });

  test("a run that crashes every worker ends and says why", async () => {
    await using one = await projectWith({
      crash: `{ name: "crash" }, (graph) => graph.start(toolNode({ id: "boom", run: () => process.kill(process.pid, "SIGKILL") }))`,
    });
    await newEngine(one);
    const runId = (await atomic(one, "run", "crash", "--detach")).stdout.trim();
    const worker = await startWorker(one, "--metrics", "0");
    const [, metrics = ""] = await worker.printed(/"url":"([^"]+)"/, 60_000);
    await worker.printed(/"event":"given-up"/, 90_000);
    expect(await statusOf(one, runId)).toMatchObject({
      kind: "failed",
      error: { message: expect.stringContaining("crashed 3 workers in a row") },
    });
    expect(await (await fetch(metrics)).text()).toContain("atomic_worker_crashed_total 3\n");
    await worker.stop();
  });

  test("the whole fleet respects a limit, and a waiting run holds no slot", async () => {
    const help = `agentNode({ id: "help", prompt: "Help" })`;
    const asking = `{ name: "asking" }, (graph) => graph.start(waitNode({ id: "ok", prompt: "Ok?", onError: [${help}] }))`;
    await using one = await projectWith({ asking }, { "s.json": "[]" });
    await newEngine(one);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++)
      ids.push(
        (await atomic(one, "run", "asking", "--detach", "--host", "scripted", "--script", "s.json")).stdout.trim(),
      );
    const workers = [
      await startWorker(one, "--limit", "scripted=1"),
      await startWorker(one, "--limit", "scripted=1", "--hosts", "opencode"),
    ];
    for (let n = 0; n < 3; n++) await workers[0]!.printed(new RegExp(`("event":"left"[\\s\\S]*){${n + 1}}`), 60_000);
    expect(workers[1]!.stdout).not.toContain('"event":"taken"');
    const before = JSON.parse((await atomic(one, "runs", "--json")).stdout).runs;
    expect(before.map(({ questions }: { questions: unknown[] }) => questions.length)).toEqual([1, 1, 1]);
    for (const runId of ids) await atomic(one, "approve", runId);
    for (let n = 3; n < 6; n++) await workers[0]!.printed(new RegExp(`("event":"left"[\\s\\S]*){${n + 1}}`), 60_000);
    for (const runId of ids) expect((await statusOf(one, runId)).kind).toBe("done");
    for (const worker of workers) await worker.stop();
  });

  test("a schedule starts one run at each of its times, however many workers there are", async () => {
    await using one = await projectWith({
      plain: `{ name: "plain" }, (graph) => graph.start(toolNode({ id: "say", run: () => "hi" }))`,
    });
    await newEngine(one);
    expect((await atomic(one, "schedule", "61 * * * *", "plain")).stderr).toContain("is not a schedule");
    expect((await atomic(one, "schedule", "0 0 1 1 *", "plain", "--name", "yearly")).stdout).toStartWith(
      "yearly starts next at ",
    );
    expect((await atomic(one, "schedule", "0 0 1 1 *", "plain", "--name", "yearly")).stderr).toContain(
      "already a schedule",
    );
    // As if its time had come.
    const admin = new Database(parseEngineUrl(url));
    await admin.query(`update ${admin.url.schema}.schedule set next = '2026-01-01T00:00Z'`);
    const workers = [await startWorker(one), await startWorker(one)];
    await Promise.race(workers.map((worker) => worker.printed(/"event":"left"[\s\S]*"code":0/, 60_000)));
    const { runs } = JSON.parse((await atomic(one, "runs", "--json")).stdout);
    expect(runs).toMatchObject([{ runId: "yearly-20260101t0000", workflow: "plain", status: { kind: "done" } }]);
    expect(JSON.parse((await atomic(one, "schedule", "list", "--json")).stdout).schedules).toMatchObject([
      { name: "yearly", cron: "0 0 1 1 *", workflow: "plain", isPaused: false },
    ]);
    expect((await atomic(one, "schedule", "pause", "yearly")).stdout).toBe("yearly is paused.\n");
    expect((await atomic(one, "schedule", "list")).stdout).toContain("paused");
    expect((await atomic(one, "schedule", "remove", "yearly")).stdout).toBe("yearly was removed.\n");
    expect((await atomic(one, "schedule", "remove", "yearly")).code).toBe(1);
    await admin.close();
    for (const worker of workers) await worker.stop();
  });
});
