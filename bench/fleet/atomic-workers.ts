// The same questions for `atomic worker`, which gives every run a process of its own.
import { join } from "node:path";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { type Project, tmpProject } from "@atomic/testing/project";
import { residentMb, treeUsage } from "./process-tree.ts";

const program = ["node", join(import.meta.dirname, "../../packages/atomic/bin/atomic.js")];

const workflows = {
  asking: `import { defineGraph, toolNode, waitNode } from "@atomic/workflows";
export default defineGraph({ name: "asking" }, (graph) => graph
  .start(waitNode({ id: "ask", prompt: "Continue?" })).then(toolNode({ id: "act", run: () => "done" })));\n`,
  holding: `import { defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "holding" }, (graph) => graph.start(toolNode({ id: "hold", run: () =>
  new Promise(() => setInterval(() => undefined, 1000)) })));\n`,
};

/** CPU time in a while in which nothing happens, and memory. */
export async function usageOfAtomic(url: string, ms: number): Promise<{ cpuMs: number; rssMb: number }> {
  await using project = await projectOf("asking");
  const worker = await startWorker(project, url);
  await Bun.sleep(2000); // the first look at everything
  const before = treeUsage(worker.pid).cpuMs;
  await Bun.sleep(ms);
  const [cpuMs, rssMb] = [treeUsage(worker.pid).cpuMs - before, residentMb(worker.pid)];
  await worker.stop();
  return { cpuMs, rssMb };
}

/** From the moment in which an answer is sent until the next step begins, in a process that is started for it. */
export async function answersOfAtomic(url: string): Promise<number[]> {
  await using project = await projectOf("asking");
  const engine = await clientOf(url);
  const worker = await startWorker(project, url);
  const times: number[] = [];
  for (let index = 0; index < 10; index++) {
    const runId = await start(project, url, "asking");
    await recorded(url, runId, "run-released");
    const sent = Date.now();
    await engine.signal(runId, "ask", true);
    times.push((await recorded(url, runId, "step-started")) - sent);
    await recorded(url, runId, "run-ended");
  }
  await worker.stop();
  await engine.close();
  return times;
}

/** From kill -9 of a worker and of its runs' processes until another worker has begun their step again. */
export async function takeoverOfAtomic(url: string): Promise<number[]> {
  await using project = await projectOf("holding");
  const times: number[] = [];
  for (let kill = 0; kill < 3; kill++) {
    const first = await startWorker(project, url);
    const runId = await start(project, url, "holding");
    await recorded(url, runId, "step-started");
    const second = await startWorker(project, url);
    const killed = Date.now();
    first.kill("SIGKILL");
    times.push((await recorded(url, runId, "step-started", 2)) - killed);
    await second.stop();
    const engine = await clientOf(url);
    await engine.cancel(runId);
    await engine.close();
  }
  return times;
}

async function projectOf(name: keyof typeof workflows): Promise<Project> {
  return await tmpProject({ git: false, files: { [`.atomic/workflows/${name}.ts`]: workflows[name] } });
}

async function clientOf(url: string) {
  return await postgresEngine(url, {
    interpret: async () => {
      throw new Error("a client works on nothing");
    },
  });
}

async function startWorker(project: Project, url: string): Promise<OwnedProcess> {
  const worker = await project.start([...program, "worker", "--runs", "8", "--engine", url]);
  await worker.printed(/"event":"ready"/, 60_000);
  return worker;
}

async function start(project: Project, url: string, workflow: string): Promise<string> {
  const { code, stdout, stderr } = await project.run([...program, "run", workflow, "--detach", "--engine", url]);
  if (code !== 0) throw new Error(`atomic run ended with ${code}:\n${stderr}`);
  return stdout.trim();
}

/** When the run's journal got its so many-th record of a type. */
async function recorded(url: string, runId: string, type: string, nth = 1): Promise<number> {
  const database = new Database(parseEngineUrl(url));
  for (;;) {
    const rows = await database.query<{ event: string }>(
      `select event from ${database.url.schema}.event where run = $1 and event like $2 order by n`,
      [runId, `{"type":"${type}"%`],
    );
    const found = rows[nth - 1];
    if (found !== undefined) {
      await database.close();
      return (JSON.parse(found.event) as { at: number }).at;
    }
    await Bun.sleep(20);
  }
}
