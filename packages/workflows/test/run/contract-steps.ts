// What the contract's tests do with an engine: start runs, wait for what happens to them, count what their steps did.
import type { Budget } from "../../src/run/budget.ts";
import type { Engine, LocalEngine } from "../../src/run/engine.ts";
import type { Json } from "../../src/run/json.ts";
import type { RunStatus } from "../../src/run/run-state.ts";
import { asGraph, type Toy } from "./toy.ts";

export async function types(journal: ReturnType<Engine["journal"]>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { event } of journal) seen.push(event.type);
  return seen;
}

export async function start(
  engine: Engine,
  toys: readonly Toy[],
  runId = "run",
  budget: Budget = {},
): Promise<"started" | "exists"> {
  return await engine.start({ runId, graph: asGraph(toys), input: null, budget });
}

/** Waits for one of the run's events, whichever process works on it. */
export async function settled(
  engine: Engine,
  isIt: (event: { type: string; key?: string }) => boolean,
  runId = "run",
): Promise<void> {
  let after = 0;
  for (;;) {
    // An owner that gives a run back ends the stream, but not the run.
    for await (const { n, event } of engine.journal(runId, { follow: true, after })) {
      after = n;
      if (isIt(event as { type: string; key?: string })) return;
    }
    await new Promise(setImmediate);
  }
}

export async function ended(engine: Engine, runId = "run"): Promise<RunStatus> {
  await settled(engine, ({ type }) => type === "run-ended", runId);
  return await engine.status(runId);
}

export async function result(engine: LocalEngine, runId = "run"): Promise<Json> {
  const status = await ended(engine, runId);
  if (status.kind !== "done") throw new Error(`The run is ${JSON.stringify(status)}`);
  return (await engine.load(runId, status.result)) ?? null;
}

export async function refusal(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => "none",
    (error: { code: string }) => error.code,
  );
}

export function counts(lines: readonly string[], verb: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const line of lines) {
    if (!line.startsWith(`${verb} `)) continue;
    const key = line.slice(verb.length + 1);
    found[key] = (found[key] ?? 0) + 1;
  }
  return found;
}
