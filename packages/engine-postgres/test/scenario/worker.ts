// A worker on a database: `worker.ts <url> <outside log> <interpreter> <concurrency> <lease>`.
import { serveWorker } from "../../../workflows/test/run/serve-worker.ts";
import { postgresEngine } from "../../src/postgres-engine.ts";

const [url = "", log = "", interpreter = "1", concurrency = "50", leaseMs = "3000"] = process.argv.slice(2);
await serveWorker({ log, interpreter, concurrency: Number(concurrency) }, (options) =>
  postgresEngine(url, { ...options, leaseMs: Number(leaseMs) }),
);
