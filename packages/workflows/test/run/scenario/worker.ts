// A worker on a folder of runs: `worker.ts <folder> <outside log> <interpreter> <concurrency>`.
import { embeddedEngine } from "../../../src/run/embedded/embedded-engine.ts";
import { serveWorker } from "../serve-worker.ts";

const [folder = "", log = "", interpreter = "1", concurrency = "50"] = process.argv.slice(2);
await serveWorker({ log, interpreter, concurrency: Number(concurrency) }, (options) => embeddedEngine(folder, options));
