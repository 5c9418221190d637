import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { Harness, WorkerProcess } from "../../workflows/test/run/harness.ts";
import { toyInterpreter } from "../../workflows/test/run/toy.ts";
import { startWorkerProcess } from "../../workflows/test/run/worker-process.ts";
import { Database } from "../src/database.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { migrate } from "../src/migrate.ts";
import { postgresEngine } from "../src/postgres-engine.ts";

/** Short, so that a test can wait for its end; long enough for a loaded machine. */
const leaseMs = 3000;

const availability = postgresAvailability();
export const isSkipped = !availability.available;
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

/** One server for all tests of a file. */
export async function serverForTests(): Promise<Postgres> {
  return await startPostgres();
}

let count = 0;

/** A schema of its own with the current tables. */
export async function newSchema(server: Postgres, parameters = ""): Promise<string> {
  const schema = `t${process.pid}_${++count}`;
  const url = `${server.url}?schema=${schema}${parameters}`;
  const database = new Database(parseEngineUrl(url));
  await migrate(database);
  await database.close();
  return url;
}

/** Real processes on one database. `command` runs a worker that takes the arguments of scenario/worker.ts. */
export async function postgresHarness(
  server: Postgres,
  {
    parameters = "",
    command = [process.execPath, workerProgram],
  }: { parameters?: string; command?: readonly string[] } = {},
): Promise<Harness> {
  const url = await newSchema(server, parameters);
  const folder = await temporaryFolder("runs-");
  const log = join(folder.path, "outside.log");
  const workers: WorkerProcess[] = [];
  await Bun.write(log, "");
  const interpret = toyInterpreter(() => {
    throw new Error("a client works on nothing");
  });
  const client = await postgresEngine(url, { interpret, leaseMs });
  return {
    client,
    isLeased: true,
    outside: async () => (await readFile(log, "utf8")).split("\n").filter(Boolean),
    worker: async ({ interpreter = "1", concurrency = 50 } = {}) => {
      const worker = await startWorkerProcess([
        ...command,
        url,
        log,
        interpreter,
        String(concurrency),
        String(leaseMs),
      ]);
      workers.push(worker);
      return worker;
    },
    [Symbol.asyncDispose]: async () => {
      for (const worker of workers) await worker.kill();
      await client.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export const workerProgram: string = fileURLToPath(import.meta.resolve("./scenario/worker.ts"));
