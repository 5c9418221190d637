/**
 * An hour at the rate of 100,000 runs a day, with real workers: `bun bench/fleet-hour.ts [--minutes 60] [--node] [--out folder]`,
 * into `results/fleet-hour.md` and `results/fleet-hour/summary.json`.
 *
 * Not one of those that `npm run bench` starts, because it takes an hour. It needs Linux, for the figures of processes.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { startPostgres } from "@atomic/testing/postgres";
import { type Project, tmpProject } from "@atomic/testing/project";
import { seededRandom } from "@atomic/testing/simulation/random";
import type { StartRequest } from "@atomic/workflows/internal/run/engine";
import { type HourRun, type HourSample, hourMarkdown, summarizeHour } from "./fleet/hour-report.ts";
import { parentOf, treeUsage } from "./fleet/process-tree.ts";
import { describeMachine, loadAverage } from "./harness/machine.ts";
import { stableJson } from "./harness/report.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    out: { type: "string" },
    log: { type: "string" },
    node: { type: "boolean" },
  },
});
const minutes = Number(flags.minutes);
const runsPerDay = 100_000;
const intervalMs = 86_400_000 / runsPerDay;
const count = Math.round((minutes * 60_000) / intervalMs);
const sampleMs = 10_000;
/** How long a user thinks about a question; all times in this range are equally likely. */
const thinkingMs = { least: 2000, most: 60_000 };
const drainMs = 10 * 60_000;
const slots = 4;
const program = join(import.meta.dirname, "../packages/atomic/bin/atomic.js");
// A process costs 0.2 seconds of CPU on Bun, and 0.5 on Node.
const runtimes = Array.from({ length: 3 }, () => (flags.node ? "node" : process.execPath));

const imports = `import { defineGraph, toolNode, waitNode } from "@atomic/workflows";
import { appendFileSync } from "node:fs";
const effect = (id: string) => toolNode({ id, run: (_state, { idemKey }) => { appendFileSync("effects.txt", idemKey + "\\n"); return id; } });
const ask = (id: string) => waitNode({ id, prompt: "Continue?" });
`;
const workflows = {
  ticket: `${imports}export default defineGraph({ name: "ticket" }, (graph) => graph
  .start(effect("plan")).wait(ask("approval")).then(effect("act")).then(effect("report")));\n`,
  release: `${imports}export default defineGraph({ name: "release" }, (graph) => graph
  .start(effect("plan")).wait(ask("approval")).then(effect("act")).wait(ask("publish")).then(effect("report")));\n`,
};
const steps = ["plan", "act", "report"];

const loadBefore = loadAverage();
await using server = await startPostgres({ isDurable: true });
const files = Object.entries(workflows).map(([name, text]) => [`.atomic/workflows/${name}.ts`, text]);
await using project = await tmpProject({ git: false, files: { ...Object.fromEntries(files), "effects.txt": "" } });
// The project's own setting is for programs that live for a second under test.
const env = { ATOMIC_ENGINE: server.url, BUN_JSC_useDFGJIT: "1" };
const say = (text: string): void => {
  const line = `${new Date().toISOString()} ${text}\n`;
  process.stdout.write(line);
  if (flags.log !== undefined) appendFileSync(flags.log, line);
};

await atomic(project, "engine", "migrate");
const database = new Database(parseEngineUrl(server.url));
const [{ pid, version } = { pid: 0, version: "" }] = await database.query<{ pid: number; version: string }>(
  "select pg_backend_pid() as pid, current_setting('server_version') as version",
);
const postmaster = parentOf(pid) ?? 0;

// What `atomic run --detach` sends is recorded once for each workflow, and then sent again with other ids.
const requests: StartRequest[] = [];
for (const name of ["ticket", "ticket", "ticket", "release"]) {
  const runId = (await atomic(project, "run", name, "--detach")).trim();
  const [row] = await database.query<{ event: string }>(`select event from atomic.event where run = '${runId}'`);
  requests.push(JSON.parse(row?.event ?? "{}") as StartRequest);
}
await database.query("delete from atomic.run");
const client = await postgresEngine(server.url, {
  interpret: async () => {
    throw new Error("a client works on nothing");
  },
});

const workers: OwnedProcess[] = [];
for (const runtime of runtimes) {
  const worker = await project.start([runtime, program, "worker", "--runs", String(slots)], { env });
  await worker.printed(/"event":"ready"/, 60_000);
  workers.push(worker);
}
say(`${count} runs in ${minutes} minutes, ${workers.length} workers with ${slots} slots each`);

const began = Date.now();
const submitted = new Map<string, number>();
const random = seededRandom(1);
const samples: HourSample[] = [];
let isOver = false;
await Promise.all([submit(), answer(), sample()]);

const runs = await journals();
const effects = readFileSync(project.path("effects.txt"), "utf8").trimEnd().split("\n");
if (flags.log !== undefined) writeFileSync(`${flags.log}.json`, JSON.stringify({ runs, samples, effects }));
const exits: (number | null)[] = [];
for (const worker of workers) {
  worker.kill("SIGTERM");
  exits.push((await worker.end(60_000)).code);
}
const summary = summarizeHour({
  ...{ minutes, count, slots, runtimes: runtimes.map((each) => (each === "node" ? "Node" : "Bun")) },
  ...{ runs, samples, effects, expectedEffects: count * steps.length, exits },
  logs: workers.map(({ stdout }) => Array.from(stdout.matchAll(/"event":"([^"]+)"/g), ([, event = ""]) => event)),
  ...{ postgres: version, machine: describeMachine(loadBefore) },
});
await client.close();
await database.close();
const folder = resolve(flags.out ?? join(import.meta.dirname, "results"));
mkdirSync(join(folder, "fleet-hour"), { recursive: true });
writeFileSync(join(folder, "fleet-hour/summary.json"), stableJson(summary));
writeFileSync(join(folder, "fleet-hour.md"), hourMarkdown(summary));
say(hourMarkdown(summary));
if (summary.problems.length > 0) process.exitCode = 1;

/** One run every 0.864 seconds, by the clock: what is late is made up for. */
async function submit(): Promise<void> {
  for (let index = 0; index < count; index++) {
    await Bun.sleep(Math.max(0, began + index * intervalMs - Date.now()));
    const request = requests[index % requests.length]!;
    const runId = `${request.name}-${index}`;
    submitted.set(runId, Date.now());
    await client.start({ ...request, runId });
  }
  const until = Date.now() + drainMs;
  const openRuns = async () =>
    Number((await database.query<{ n: string }>("select count(*) as n from atomic.run where not ended"))[0]?.n);
  for (let open = await openRuns(); open > 0 && Date.now() < until; open = await openRuns()) await Bun.sleep(500);
  isOver = true;
}

/** Answers every question after a while. */
async function answer(): Promise<void> {
  const due = new Map<string, { readonly runId: string; readonly key: string; readonly at: number }>();
  const answered = new Set<string>();
  for (; !isOver; await Bun.sleep(250)) {
    const waiting = await database.query<{ id: string; last_n: string; event: string }>(
      `select id, last_n, event from atomic.run join atomic.event on run = id and n = last_n - 1
       where not ended and owner is null and due = 'infinity' and messages = read`,
    );
    for (const { id: runId, event } of waiting) {
      const { type, key } = JSON.parse(event) as { type: string; key: string };
      const name = `${runId} ${key}`;
      if (type !== "wait-started" || due.has(name) || answered.has(name)) continue;
      const pause = thinkingMs.least + random.integer(thinkingMs.most - thinkingMs.least);
      due.set(name, { runId, key, at: Date.now() + pause });
    }
    for (const [name, { runId, key, at }] of due) {
      if (at > Date.now()) continue;
      due.delete(name);
      answered.add(name);
      await client.signal(runId, key, true);
    }
  }
}

async function sample(): Promise<void> {
  for (let next = began; !isOver; next += sampleMs) {
    await Bun.sleep(Math.max(0, next - Date.now()));
    const [counts] = await database.query<Record<"open" | "waiting" | "ended" | "records", string>>(
      `select count(*) filter (where not ended) as open, count(*) filter (where ended) as ended, sum(last_n) as records,
         count(*) filter (where not ended and owner is null and due > clock_timestamp() and messages = read) as waiting
       from atomic.run`,
    );
    const [size] = await database.query<Record<"bytes" | "connections" | "transactions", string>>(
      `select pg_database_size(current_database()) as bytes, numbackends as connections,
         xact_commit + xact_rollback as transactions from pg_stat_database where datname = current_database()`,
    );
    const tables = await database.query<Record<"relname" | "n_live_tup" | "n_dead_tup" | "autovacuum_count", string>>(
      `select relname, n_live_tup, n_dead_tup, autovacuum_count from pg_stat_user_tables where schemaname = 'atomic'`,
    );
    const { user, system } = process.cpuUsage();
    samples.push({
      ...{ atMs: Date.now() - began, load: loadavg()[0]!, clientCpuMs: (user + system) / 1000 },
      workers: workers.map(({ pid }) => treeUsage(pid)),
      database: treeUsage(postmaster),
      ...{ open: Number(counts?.open), waiting: Number(counts?.waiting), ended: Number(counts?.ended) },
      ...{ records: Number(counts?.records), bytes: Number(size?.bytes), connections: Number(size?.connections) },
      transactions: Number(size?.transactions),
      deadRows: tables.reduce((sum, each) => sum + Number(each.n_dead_tup), 0),
      vacuums: tables.reduce((sum, each) => sum + Number(each.autovacuum_count), 0),
    });
    const last = samples.at(-1)!;
    say(
      `${submitted.size} submitted, ${last.ended} ended, ${last.waiting} waiting, ${last.open} open, load ${last.load.toFixed(1)}`,
    );
  }
}

/** What the journals say about every run. */
async function journals(): Promise<HourRun[]> {
  const records = await database.query<{ run: string; n: string; type: string; key: string | null; at: string }>(
    `select run, n, event::jsonb ->> 'type' as type, event::jsonb ->> 'key' as key, event::jsonb ->> 'at' as at
     from atomic.event order by run, n`,
  );
  const sent = await database.query<{ run: string; key: string; at: string }>(
    `select run, message::jsonb ->> 'key' as key, message::jsonb ->> 'at' as at from atomic.message`,
  );
  const runs = new Map(
    [...submitted].map(([runId, at]): [string, HourRun] => [runId, { runId, at, records: [], answers: [] }]),
  );
  for (const { run, n, type, key, at } of records) {
    runs.get(run)?.records.push({ n: Number(n), type, key: key ?? "", at: Number(at) });
  }
  for (const { run, key, at } of sent) runs.get(run)?.answers.push({ key, at: Number(at) });
  return [...runs.values()];
}

async function atomic(where: Project, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await where.run(["node", program, ...argv], { env });
  if (code !== 0) throw new Error(`atomic ${argv.join(" ")} ended with ${code}:\n${stderr}`);
  return stdout;
}
