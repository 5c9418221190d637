// A worker that is asked to stop, at every point: it exits with 0, says nothing else, and its runs continue elsewhere.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { type Project, tmpProject } from "@atomic/testing/project";
import { build } from "../program.ts";
import { type Fleet, newFleet, program, sharedProject, workflow } from "./fleet.ts";

setDefaultTimeout(180_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const quick = workflow(
  "quick",
  `.start(toolNode({ id: "write", run: (_state, { folder }) => writeFileSync(join(folder, "a.txt"), "a") }))`,
);

/** What Ctrl-C in a terminal does, and what a service manager does. */
const targets = {
  "the process": (worker: OwnedProcess) => void process.kill(worker.pid, "SIGTERM"),
  "its whole group": (worker: OwnedProcess) => worker.kill("SIGTERM"),
} as const;

async function endOf(worker: OwnedProcess) {
  return { ...(await worker.end(60_000)), stderr: worker.stderr, stdout: worker.stdout };
}

describe.skipIf(!availability.available)("a worker that is asked to stop", () => {
  let server: Postgres;
  let repo: GitRepo;
  let here: Project;
  let fleet: Fleet;
  beforeAll(async () => {
    await build();
    server = await startPostgres();
    repo = await gitRepo();
    here = await sharedProject(repo, {
      ...quick,
      ...workflow(
        "spin",
        `.start(toolNode({ id: "spin", run: () => { writeFileSync(process.env.REACHED ?? "", ""); for (;;); } }))`,
      ),
      ...workflow("hold", `.start(toolNode({ id: "hold", run: () => writeFileSync(process.env.HOLD ?? "", "") }))`),
    });
    fleet = await newFleet(server, here);
  });
  afterAll(async () => {
    await here?.[Symbol.asyncDispose]();
    await repo?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  for (const [whom, signal] of Object.entries(targets)) {
    test(`while it connects: the signal reaches ${whom}`, async () => {
      await using one = await tmpProject({ git: false });
      const connected = Promise.withResolvers<void>();
      const silent = createServer(() => connected.resolve());
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const { port } = silent.address() as { readonly port: number };
      const env = { ATOMIC_ENGINE: `postgres://nobody@127.0.0.1:${port}/x` };
      const worker = await one.start([...program, "worker"], { env });
      await connected.promise;
      signal(worker);
      expect(await endOf(worker)).toMatchObject({
        code: 0,
        stderr: "",
        stdout: expect.stringContaining('"event":"stopped"'),
      });
      silent.close();
    });

    test.each(["metrics", "ready", "taken", "left"])(`at its line "%s": the signal reaches ${whom}`, async (event) => {
      await using one = await tmpProject({ git: false });
      const runId = (await fleet.atomic(here, "run", "quick", "--detach")).stdout.trim();
      const argv = [...program, "worker", "--metrics", "0"];
      const worker = await one.start(argv, { env: fleet.env });
      await worker.printed(new RegExp(`"event":"${event}"`), 60_000);
      signal(worker);
      expect(await endOf(worker)).toMatchObject({ code: 0, stderr: "" });
      expect(worker.stdout).not.toContain('"event":"crashed"');
      const next = await fleet.startWorker(one);
      if ((await fleet.statusOf(here, runId)).kind !== "done") {
        await next.printed(new RegExp(`"event":"left","worker":"[^"]*","run":"${runId}","code":0`), 60_000);
      }
      expect(await fleet.statusOf(here, runId)).toMatchObject({ kind: "done" });
      await next.stop();
    });
  }

  test("while git removes what a run left: that is picked up by the next worker", async () => {
    await using one = await tmpProject({ git: false });
    const [held, reached] = [one.path("held"), one.path("reached")];
    await one.run(["mkfifo", reached]);
    // The first command that tidies up after the run never ends by itself.
    await one.write(
      "bin/git",
      `#!/bin/sh
case "$*" in *" for-each-ref "*) if [ -e "${held}" ]; then rm "${held}"; echo here > "${reached}"; exec sleep 600; fi;; esac
exec ${Bun.which("git")} "$@"
`,
    );
    await chmod(one.path("bin/git"), 0o755);
    const runId = (await fleet.atomic(here, "run", "hold", "--detach")).stdout.trim();
    const worker = await fleet.startWorker(one, [], { HOLD: held, PATH: `${one.path("bin")}:${one.env.PATH}` });
    const reader = await one.start(["cat", reached]);
    await reader.end(60_000);
    worker.kill("SIGTERM");
    expect(await endOf(worker)).toMatchObject({ code: 0, stderr: "" });
    expect(await fleet.statusOf(here, runId)).toMatchObject({ kind: "done" });
    const next = await fleet.startWorker(one);
    process.kill(next.pid, "SIGTERM");
    expect(await endOf(next)).toMatchObject({ code: 0, stderr: "" });
    const [mirror = ""] = await readdir(one.path("~/.atomic/workspaces/mirrors"));
    const path = one.path(`~/.atomic/workspaces/mirrors/${mirror}`);
    expect((await one.run(["git", "-C", path, "for-each-ref", "refs/fleet"])).stdout).toBe("");
    const trees = await readdir(one.path("~/.atomic/workspaces/runs"), { recursive: true });
    expect(trees.filter((path) => path.includes(runId))).toEqual([]);
  });

  test("while a git server does not answer", async () => {
    await using one = await tmpProject({ git: false });
    const connected = Promise.withResolvers<void>();
    const silent = createServer(() => connected.resolve());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { readonly port: number };
    await using elsewhere = await gitRepo();
    await using away = await sharedProject(elsewhere, quick);
    await away.run(["git", "remote", "set-url", "origin", `git://127.0.0.1:${port}/x.git`]);
    const own = await newFleet(server, here);
    const runId = (await own.atomic(away, "run", "quick", "--detach")).stdout.trim();
    const worker = await own.startWorker(one);
    await connected.promise;
    process.kill(worker.pid, "SIGTERM");
    expect(await endOf(worker)).toMatchObject({ code: 0, stderr: "" });
    expect(worker.stdout).not.toContain('"event":"not-ready"');
    expect(await own.statusOf(here, runId)).toMatchObject({ kind: "pending" });
    silent.close();
  });

  test("while a step never returns to its process: that is killed, which is not the run's fault", async () => {
    await using one = await tmpProject({ git: false });
    const own = await newFleet(server, here);
    const runId = (await own.atomic(here, "run", "spin", "--detach")).stdout.trim();
    const reached = one.path("reached");
    await one.run(["mkfifo", reached]);
    const worker = await own.startWorker(one, [], { REACHED: reached });
    await (await one.start(["cat", reached])).end(60_000);
    process.kill(worker.pid, "SIGTERM");
    expect(await endOf(worker)).toMatchObject({ code: 0, stderr: "" });
    expect(worker.stdout).toContain('"event":"killed"');
    expect(worker.stdout).not.toContain('"event":"crashed"');
    expect((await own.statusOf(here, runId)).kind).not.toBe("failed");
  });

  test("while the database is away; and a worker that is not asked outlives that", async () => {
    if (server.crash === undefined) return; // a server that is not ours
    await using one = await tmpProject({ git: false });
    const [stopped, patient] = [await fleet.startWorker(one), await fleet.startWorker(one)];
    await server.crash();
    process.kill(stopped.pid, "SIGTERM");
    expect(await endOf(stopped)).toMatchObject({ code: 0, stderr: "" });
    await patient.printed(/"event":"database-away"/, 90_000);
    await server.restart?.();
    const runId = (await fleet.atomic(here, "run", "quick", "--detach")).stdout.trim();
    await patient.printed(new RegExp(`"run":"${runId}","code":0`), 60_000);
    await patient.stop();
  });
});
