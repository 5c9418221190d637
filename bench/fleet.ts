/**
 * What runs in Postgres cost, beside runs in a folder: `bun bench/fleet.ts`, into `results/fleet.md`.
 *
 * Not one of those that `npm run bench` starts: it needs a Postgres, which `@atomic/testing` starts with fsync.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { migrate } from "@atomic/engine-postgres/migrate";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import { startPostgres } from "@atomic/testing/postgres";
import { embeddedEngine } from "@atomic/workflows/internal/run/embedded/embedded-engine";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { Json } from "@atomic/workflows/internal/run/json";
import { type Job, program } from "./fleet/program.ts";

await using server = await startPostgres({ isDurable: true });
let schemas = 0;
async function newEngine(): Promise<string> {
  const url = `${server.url}?schema=b${++schemas}`;
  const database = new Database(parseEngineUrl(url));
  await migrate(database);
  await database.close();
  return url;
}

async function startAll(engine: LocalEngine, count: number, job: Job): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `run-${index}`);
  await Promise.all(ids.map((runId) => engine.start({ runId, graph: null, input: job as unknown as Json })));
  return ids;
}

async function allDone(engine: LocalEngine): Promise<void> {
  while ((await engine.list()).some(({ status }) => status.kind !== "done")) await Bun.sleep(20);
}

/** One process, a hundred runs of ten steps that do nothing. */
async function stepsOf(engine: LocalEngine): Promise<{ perSecond: number; cpuMs: number }> {
  await startAll(engine, 100, { steps: 10, waitMs: 0, asks: false });
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const worker = await engine.work({ concurrency: 20 });
  await allDone(engine);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - began) / 1000;
  await worker.stop();
  return { perSecond: 1000 / seconds, cpuMs: (user + system) / 1000 / 1000 };
}

async function startWorker(url: string, concurrency: number) {
  const file = join(import.meta.dirname, "fleet/worker.ts");
  const child = Bun.spawn([process.execPath, file, url, String(concurrency)], { stdin: "pipe", stdout: "pipe" });
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    usage: async (): Promise<{ cpuMs: number; rssMb: number }> => {
      child.stdin.write("\n");
      child.stdin.flush();
      return JSON.parse(new TextDecoder().decode((await reader.read()).value));
    },
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}

const rows: string[] = [];
const say = (what: string, result: string): void => {
  rows.push(`| ${what} | ${result} |`);
  console.log(`${what}: ${result}`);
};

for (let round = 1; round <= 3; round++) {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  const embedded = await stepsOf(embeddedEngine(folder, { interpret: program }));
  rmSync(folder, { recursive: true });
  const engine = await postgresEngine(await newEngine(), { interpret: program });
  const postgres = await stepsOf(engine);
  await engine.close();
  const shown = ({ perSecond, cpuMs }: typeof embedded): string =>
    `${perSecond.toFixed(0)}/s, ${cpuMs.toFixed(2)} ms CPU`;
  say(`steps, round ${round}: a folder; Postgres`, `${shown(embedded)}; ${shown(postgres)}`);
}

const speeds: number[] = [];
for (const count of [1, 2, 4]) {
  const url = await newEngine();
  const engine = await postgresEngine(url, { interpret: program });
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(url, 8)));
  const began = performance.now();
  await startAll(engine, 64, { steps: 7, waitMs: 250, asks: false });
  await allDone(engine);
  speeds.push((64 * 7) / ((performance.now() - began) / 1000));
  for (const worker of workers) worker[Symbol.dispose]();
  await engine.close();
}
const [one = 1, two = 0, four = 0] = speeds;
say("steps of 250 ms with 1, 2, 4 workers of 8 slots", `${speeds.map((each) => each.toFixed(0)).join(", ")}/s`);
say("of linear with 2 and 4 workers", `${(two / one / 2).toFixed(2)}, ${(four / one / 4).toFixed(2)}`);

const url = await newEngine();
const engine = await postgresEngine(url, { interpret: program });
const ids = await startAll(engine, 1000, { steps: 1, waitMs: 0, asks: true });
using worker = await startWorker(url, 8);
while ((await engine.list()).some(({ status }) => status.kind !== "waiting")) await Bun.sleep(100);
const before = await worker.usage();
await Bun.sleep(10_000);
const after = await worker.usage();
say(
  "1,000 waiting runs on one worker",
  `${after.rssMb.toFixed(0)} MB, ${((after.cpuMs - before.cpuMs) / 100).toFixed(1)} % CPU`,
);
const latencies: number[] = [];
for (const runId of ids.slice(0, 100)) {
  const records = async (): Promise<string | undefined> => (await engine.stamp(runId))?.split(" ")[0];
  const seen = await records();
  const began = performance.now();
  await engine.signal(runId, "ask", null);
  while ((await records()) === seen) await Bun.sleep(1);
  latencies.push(performance.now() - began);
}
latencies.sort((a, b) => a - b);
say(
  "from an answer to the next step, as another process sees it: p50, p95",
  `${latencies[50]?.toFixed(0)} ms, ${latencies[95]?.toFixed(0)} ms`,
);
await engine.close();

const about =
  "# What runs in Postgres cost\n\nMeasured by `bun bench/fleet.ts`; Postgres and all workers on one machine.\n";
writeFileSync(
  join(import.meta.dirname, "results/fleet.md"),
  `${about}\n| what | result |\n|---|---|\n${rows.join("\n")}\n`,
);
