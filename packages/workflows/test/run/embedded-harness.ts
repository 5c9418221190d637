import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import type { Harness, WorkerProcess } from "./harness.ts";
import { toyInterpreter } from "./toy.ts";
import { startWorkerProcess } from "./worker-process.ts";

export const workerProgram: string = fileURLToPath(import.meta.resolve("./scenario/worker.ts"));

/** Real processes on one folder. `command` runs a worker that takes the arguments of scenario/worker.ts. */
export async function embeddedHarness(
  command: readonly string[] = [process.execPath, workerProgram],
): Promise<Harness> {
  const folder = await temporaryFolder("runs-");
  const [runs, log] = [join(folder.path, "runs"), join(folder.path, "outside.log")];
  const workers: WorkerProcess[] = [];
  await Bun.write(log, "");
  const interpret = toyInterpreter(() => {
    throw new Error("a client works on nothing");
  });
  return {
    client: embeddedEngine(runs, { interpret }),
    isLeased: false,
    outside: async () => (await readFile(log, "utf8")).split("\n").filter(Boolean),
    worker: async ({ interpreter = "1", concurrency = 50 } = {}) => {
      const worker = await startWorkerProcess([...command, runs, log, interpreter, String(concurrency)]);
      workers.push(worker);
      return worker;
    },
    [Symbol.asyncDispose]: async () => {
      for (const worker of workers) await worker.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}
