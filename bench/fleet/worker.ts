// A worker that works on runs in its own process: `worker.ts <url> <slots>`. Reads `usage` and `stop` from stdin.
import { createInterface } from "node:readline";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import { program } from "./program.ts";

const [url = "", slots = "8"] = process.argv.slice(2);
const engine = await postgresEngine(url, { interpret: program });
const worker = await engine.work({ concurrency: Number(slots) });
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "stop") break;
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 }));
}
await worker.stop();
await engine.close();
process.exit();
