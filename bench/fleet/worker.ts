// A worker for `bench/fleet.ts`: `worker.ts <url> <concurrency>`. Prints its CPU time and memory for each line on stdin.
import { createInterface } from "node:readline";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import { program } from "./program.ts";

const [url = "", concurrency = "8"] = process.argv.slice(2);
const engine = await postgresEngine(url, { interpret: program });
await engine.work({ concurrency: Number(concurrency) });
console.log("ready");
for await (const _line of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 }));
}
