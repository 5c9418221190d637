// The life of a worker process under test. Reads `open <key>` and `stop` from stdin; says what its steps do.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { LocalEngine } from "../../src/run/engine.ts";
import type { EngineOptions } from "../../src/run/local-engine.ts";
import { heldEffect } from "./held-effect.ts";
import { toyInterpreter } from "./toy.ts";

export interface ServedWorker {
  /** Gets what steps say, too: it outlives the process. */
  readonly log: string;
  readonly interpreter: string;
  readonly concurrency: number;
}

export async function serveWorker(
  { log, interpreter, concurrency }: ServedWorker,
  engineOf: (options: EngineOptions) => LocalEngine | Promise<LocalEngine>,
): Promise<void> {
  const held = heldEffect((line) => {
    appendFileSync(log, `${line}\n`);
    console.log(line);
  });
  const engine = await engineOf({
    interpret: toyInterpreter(held.effect),
    interpreter,
    pollMs: 50,
    graceMs: 2000,
    onProblem: (runId, error) => console.log(`problem ${runId} ${(error as { code: string }).code}`),
  });
  const worker = await engine.work({ concurrency });
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "stop") break;
    held.open(line.replace(/^open /, ""));
  }
  await worker.stop();
  await engine.close();
  process.exit(0);
}
