// Measures one thing about runs in Postgres, and prints it as a sample: `measure.ts <what> <who>`.
import { join } from "node:path";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { migrate } from "@atomic/engine-postgres/migrate";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import { startPostgres } from "@atomic/testing/postgres";
import { embeddedEngine } from "@atomic/workflows/internal/run/embedded/embedded-engine";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { Json } from "@atomic/workflows/internal/run/json";
import { ownPeakRss } from "../harness/peak-rss.ts";
import type { Sample } from "../harness/sample.ts";
import { answersOfAtomic, takeoverOfAtomic, usageOfAtomic } from "./atomic-workers.ts";
import { parentOf, treeUsage } from "./process-tree.ts";
import { type Job, program } from "./program.ts";

const measurements: Readonly<Record<string, () => Promise<Sample>>> = {
  "steps folder": () => steps(embeddedEngine(join(process.cwd(), "runs"), { interpret: program })),
  "steps postgres": async () => await steps(client),
  "steps dbos": () => stepsOfDbos(),
  "scale 1": () => scale(1),
  "scale 2": () => scale(2),
  "scale 4": () => scale(4),
  "waiting engine": () => waiting(),
  "waiting atomic": () => waiting(async () => await usageOfAtomic(url, idleMs)),
  "answer p50": async () => latency(await answers(), 0.5),
  "answer p95": async () => latency(await answers(), 0.95),
  "answer atomic": async () => latency(await answersOfAtomic(url), 0.5),
  "takeover engine": async () => latency(await afterGrace(takeover), 1),
  "takeover atomic": async () => latency(await afterGrace(() => takeoverOfAtomic(url)), 1),
};

const idleMs = 10_000;
const windowMs = 12_000;
/** Of each worker. */
const slots = 8;

await using server = await startPostgres({ isDurable: true });
if (server.crash === undefined) throw new Error("Unset PGURL: only of a server of our own, the CPU time is known.");
const url = `${server.url}?schema=bench`;
const database = new Database(parseEngineUrl(url));
await migrate(database);
const client = await postgresEngine(url, { interpret: program });
const [{ pid: backend } = { pid: 0 }] = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
const postmaster = parentOf(backend) ?? 0;

const measure = measurements[process.argv.slice(2).join(" ")];
if (measure === undefined) throw new Error(`There is nothing to measure like that: ${process.argv.slice(2).join(" ")}`);
const sample = await measure();
await client.close();
await database.close();
await server[Symbol.asyncDispose]();
process.stdout.write(`${JSON.stringify(sample)}\n`);
process.exit();

/** A hundred runs of ten steps that do nothing, twenty at a time, each from its start to its result. Warm after ten. */
async function steps(engine: LocalEngine): Promise<Sample> {
  let runs = 0;
  const execute = async (most: number): Promise<void> => {
    while (runs < most) {
      const runId = `run-${runs++}`;
      await engine.start({ runId, graph: null, input: jobOf({ steps: 10 }) });
      const { kind } = await (await engine.run(runId)).ended;
      if (kind !== "done") throw new Error(`${runId} is ${kind}`);
    }
  };
  const lanes = async (most: number): Promise<unknown> =>
    await Promise.all(Array.from({ length: 20 }, () => execute(most)));
  await lanes(10);
  const [began, cpu, database] = [performance.now(), process.cpuUsage(), treeUsage(postmaster).cpuMs];
  const first = runs;
  await lanes(first + 100);
  const { user, system } = process.cpuUsage(cpu);
  const count = (runs - first) * 10;
  const used = (user + system) / 1000 + (engine === client ? treeUsage(postmaster).cpuMs - database : 0);
  return sampleOf({
    wallMs: (performance.now() - began) / count,
    cpuMs: used / count,
    rssBytes: ownPeakRss(),
    calls: count,
  });
}

async function stepsOfDbos(): Promise<Sample> {
  const file = join(import.meta.dirname, "../peers/fleet/dbos.mjs");
  const command = [process.execPath, file, server.url, String(postmaster)];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { env: { ...process.env, DO_NOT_TRACK: "1", CI: "1" } });
  if (exitCode !== 0) throw new Error(`DBOS failed:\n${stdout}${stderr}`);
  return JSON.parse(stdout.toString().trimEnd().split("\n").at(-1)!) as Sample;
}

/** Steps of 250 ms while there is more to do than the workers can take: the start of the workers and the end of the work do not count. */
async function scale(count: number): Promise<Sample> {
  await startAll(count * 110, { steps: 7, waitMs: 250 });
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker()));
  const finished = async () => {
    const [row] = await database.query<{ steps: string; ms: string }>(
      `select count(*) as steps, extract(epoch from clock_timestamp()) * 1000 as ms from bench.event
       where event like '{"type":"step-finished"%'`,
    );
    return { steps: Number(row?.steps), ms: Number(row?.ms) };
  };
  // Every slot has been through a whole run, on average.
  while ((await finished()).steps < count * slots * 7) await Bun.sleep(100);
  const cpuOf = async (): Promise<number> =>
    (await Promise.all(workers.map((worker) => worker.usage()))).reduce((sum, { cpuMs }) => sum + cpuMs, 0) +
    treeUsage(postmaster).cpuMs;
  const [before, cpu] = [await finished(), await cpuOf()];
  await Bun.sleep(windowMs);
  const after = await finished();
  const used = (await cpuOf()) - cpu;
  const idle = (await client.list()).filter(({ status }) => status.kind === "pending").length;
  if (idle < count * slots) throw new Error(`There was not enough to do: only ${idle} runs were left`);
  for (const worker of workers) worker.kill();
  const done = after.steps - before.steps;
  return sampleOf({ wallMs: (after.ms - before.ms) / done, cpuMs: used / done, calls: done });
}

/** What a thousand waiting runs cost in ten seconds: in the process that waits for them, or for another one. */
async function waiting(idle?: () => Promise<{ readonly cpuMs: number; readonly rssMb: number }>): Promise<Sample> {
  const worker = await startThousand();
  if (idle !== undefined) await worker.stop();
  const before = idle === undefined ? await worker.usage() : { cpuMs: 0 };
  if (idle === undefined) await Bun.sleep(idleMs);
  const after = idle === undefined ? await worker.usage() : await idle();
  worker.kill();
  return sampleOf({ wallMs: idleMs, cpuMs: after.cpuMs - before.cpuMs, rssBytes: after.rssMb * 1e6 });
}

/** From the moment in which an answer is sent until the step after the question begins, with a thousand waiting runs. */
async function answers(): Promise<number[]> {
  const worker = await startThousand();
  const times: number[] = [];
  for (let index = 0; index < 100; index++) {
    const runId = `run-${index}`;
    const sent = Date.now();
    await client.signal(runId, "ask", null);
    for (;;) {
      const status = await client.status(runId);
      if (status.kind === "done" && "value" in status.result) {
        times.push(Number(status.result.value) - sent);
        break;
      }
      await Bun.sleep(5);
    }
  }
  worker.kill();
  return times;
}

/** For five seconds after the start of the server, every process counts as alive. */
async function afterGrace<T>(measure: () => Promise<T>): Promise<T> {
  const text = "select extract(epoch from clock_timestamp() - pg_postmaster_start_time()) as age";
  while (Number((await database.query<{ age: string }>(text))[0]?.age) < 6) await Bun.sleep(200);
  return await measure();
}

/** From kill -9 until the killed worker's runs have begun their step again, in workers that have slots left. */
async function takeover(): Promise<number[]> {
  const workers = await Promise.all([1, 2, 3].map(() => startWorker()));
  const ids = await startAll(6, { steps: 1, waitMs: 280_000 });
  const times: number[] = [];
  const begun = async (runId: string) => {
    let [owner, at] = [0, 0];
    for await (const { event } of client.journal(runId)) {
      if (event.type === "run-claimed") owner = event.owner.pid;
      if (event.type === "step-started") at = event.at;
    }
    return { runId, owner, at };
  };
  for (let kill = 0; kill < 3; kill++) {
    for (const runId of ids) while ((await begun(runId)).at === 0) await Bun.sleep(20);
    const before = await Promise.all(ids.map(begun));
    const { owner } = before[kill]!;
    const index = workers.findIndex(({ pid }) => pid === owner);
    const killed = Date.now();
    workers[index]?.kill();
    for (const { runId, at, owner: dead } of before.filter((each) => each.owner === owner)) {
      for (;;) {
        const now = await begun(runId);
        if (now.at !== at && now.owner !== dead) {
          times.push(now.at - killed);
          break;
        }
        await Bun.sleep(20);
      }
    }
    workers[index] = await startWorker();
  }
  for (const worker of workers) worker.kill();
  return times;
}

/** One worker with a thousand runs that all wait for an answer. */
async function startThousand() {
  const ids = await startAll(1000, { steps: 1, asks: true });
  const worker = await startWorker();
  const isWaiting = `select count(*) as n from bench.event where event like '{"type":"wait-started"%'`;
  while (Number((await database.query<{ n: string }>(isWaiting))[0]?.n) < ids.length) await Bun.sleep(100);
  return worker;
}

async function startAll(count: number, job: Partial<Job>): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `run-${index}`);
  await Promise.all(ids.map((runId) => client.start({ runId, graph: null, input: jobOf(job) })));
  return ids;
}

function jobOf(job: Partial<Job>): Json {
  return { steps: 1, waitMs: 0, asks: false, ...job };
}

async function startWorker() {
  const file = join(import.meta.dirname, "worker.ts");
  const child = Bun.spawn([process.execPath, file, url, String(slots)], { stdin: "pipe", stdout: "pipe" });
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    pid: child.pid,
    usage: async (): Promise<{ cpuMs: number; rssMb: number }> => {
      child.stdin.write("usage\n");
      child.stdin.flush();
      return JSON.parse(new TextDecoder().decode((await reader.read()).value));
    },
    /** Releases the runs. */
    stop: async (): Promise<void> => {
      child.stdin.write("stop\n");
      child.stdin.flush();
      await child.exited;
    },
    kill: (): void => child.kill("SIGKILL"),
  };
}

function latency(times: readonly number[], part: number): Sample {
  const sorted = times.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor(part * sorted.length));
  return sampleOf({ wallMs: sorted[at] ?? Number.NaN, calls: times.length });
}

function sampleOf(part: Partial<Sample> & Pick<Sample, "wallMs">): Sample {
  return { cpuMs: 0, rssBytes: 0, rssAtMost: false, calls: 1, ...part };
}
