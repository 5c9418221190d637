// A worker in a process of its own: `worker.ts <folder> <outside log> <interpreter>`. Reads `open <key>` and `stop` from stdin.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { embeddedEngine } from "../../../src/run/embedded/embedded-engine.ts";
import { heldEffect } from "../held-effect.ts";
import { toyInterpreter } from "../toy.ts";

const [folder = "", log = "", interpreter = "1"] = process.argv.slice(2);

const held = heldEffect((line) => {
  appendFileSync(log, `${line}\n`);
  console.log(line);
});
const engine = embeddedEngine(folder, {
  interpret: toyInterpreter(held.effect),
  interpreter,
  pollMs: 50,
  graceMs: 2000,
  onProblem: (runId, error) => console.log(`problem ${runId} ${(error as { code: string }).code}`),
});
const worker = await engine.work({ concurrency: 50 });
console.log("ready");

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "stop") break;
  held.open(line.replace(/^open /, ""));
}
await worker.stop();
process.exit(0);
