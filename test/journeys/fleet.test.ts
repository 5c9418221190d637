// Ralph on two workers with the real OpenCode: the first is killed in the second task, the second one continues elsewhere.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { gitRepo } from "@atomic/testing/git";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { type Project, tmpProject } from "@atomic/testing/project";
import { buildAtomic } from "./atomic.ts";

setDefaultTimeout(240_000);
beforeAll(buildAtomic);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const program = ["node", join(import.meta.dirname, "../../packages/atomic/bin/atomic.js")];
const order = ["plan", "schema", "store"];
const asks = (id: string): string => `"id": "${id}"`;

/** A machine with OpenCode, and nothing of the project. */
async function machine(model: ModelServer): Promise<Project> {
  const project = await tmpProject({
    git: false,
    files: { "~/.config/opencode/opencode.json": opencodeConfig(model) },
  });
  await project.skipPluginInstall();
  return project;
}

test.skipIf(!availability.available)(
  "three tasks are done by two machines, each approved from a third, and the result is on the run's branch",
  async () => {
    await using server = await startPostgres();
    await using model = await modelServer();
    await using repo = await gitRepo();
    const tasks = order.map((id, priority) => ({
      id,
      name: `The ${id}`,
      status: "pending",
      priority,
      dependencies: [],
    }));
    await using here = await tmpProject({ files: { "research/tasks.json": { version: "1.0", tasks } } });
    await using one = await machine(model);
    await using two = await machine(model);
    await using third = await tmpProject({ git: false });
    await using fourth = await tmpProject({ git: false });
    const env = { ATOMIC_ENGINE: server.url };
    const atomic = async (project: Project, ...argv: readonly string[]) =>
      await project.run([...program, ...argv], { env });
    const startWorker = async (project: Project): Promise<OwnedProcess> => {
      const worker = await project.start([...program, "worker", "--runs", "1"], { env });
      await worker.printed(/"event":"ready"/, 60_000);
      return worker;
    };
    await here.run(["git", "remote", "add", "origin", repo.url]);
    await here.run(["git", "push", "--quiet", "origin", "HEAD:main"]);
    await here.run(["git", "fetch", "--quiet", "origin"]);
    await atomic(here, "engine", "migrate");
    for (const id of order) {
      if (id === "schema") model.expect(asks(id)).reply("Let me see").hang();
      const noting = { command: `echo ${id} >> done.txt`, description: `Notes ${id}` };
      // Once you have answered, the prompt is repeated, and the question is not.
      model.expect(asks(id)).tool("bash", noting);
      model.expect(asks(id)).tool("bash", noting).then.reply(`The ${id} is done.\n\n<outcome>passing</outcome>`);
    }
    const first = await startWorker(one);
    const runId = (await atomic(here, "run", "ralph", "--detach")).stdout.trim();
    const follower = await fourth.start([...program, "show", runId, "--follow", "--json"], { env });
    /** The agent wants to use a shell. A run that waits for that holds no slot, so its worker has left it. */
    const approve = async (worker: OwnedProcess, earlier = 0): Promise<void> => {
      await worker.printed(new RegExp(`("event":"left"[^\\n]*"code":4[^]*?){${earlier + 1}}`), 120_000);
      expect(await atomic(third, "approve", runId, "yes")).toMatchObject({ code: 0 });
    };
    await approve(first);
    await model.waitFor(asks("schema"), { deadline: 120_000 });
    first.kill();
    await first.exited;
    const second = await startWorker(two);
    for (const earlier of [0, 1]) await approve(second, earlier);
    await second.printed(/"event":"left".*"code":0/, 120_000);
    expect((await follower.end(60_000)).code).toBe(0);
    for (const id of order) expect(follower.stdout).toContain(`The ${id} is done.`);
    const done = await repo.git("show", `refs/atomic/${runId}:done.txt`);
    expect(done.trim().split("\n")).toEqual(order);
    const saved = JSON.parse(await repo.git("show", `refs/atomic/${runId}:research/tasks.json`));
    expect(saved.tasks.map(({ status }: { status: string }) => status)).toEqual(["passing", "passing", "passing"]);
    second.kill("SIGTERM");
    expect({ ...(await second.end(60_000)), stderr: second.stderr }).toMatchObject({ code: 0, stderr: "" });
  },
);
