// Three workers, many runs, workers killed again and again, the server crashed once, connections cut.
import { expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { lossyProxy } from "@atomic/testing/lossy-proxy";
import { seededRandom } from "@atomic/testing/simulation/random";
import type { JournalEntry } from "@atomic/workflows/internal/run/events";
import { postgresEngine } from "../src/postgres-engine.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(600_000);

/** `npm run sweep` has the whole storm. In it, steps take long enough that a worker is killed every few seconds. */
const isFull = process.env.SWEEP === "full";
const [runs, kills, effectMs] = isFull ? [300, 12, 600] : [60, 4, 20];
const keys = ["start", "fan.0/a", "fan.0/b", "fan.1/a", "fan.1/b", "end"];
const program = fileURLToPath(import.meta.resolve("./scenario/storm-worker.ts"));

interface Kill {
  readonly pid: number;
  readonly at: number;
}

test.skipIf(isSkipped)("in a storm every run ends once, and every effect happens once", async () => {
  await using server = await serverForTests();
  const url = await newSchema(server);
  await using proxy = await lossyProxy(url);
  await using outside = ledger();
  const random = seededRandom(1);
  const begunWorker = async () => {
    const command = [process.execPath, program, proxy.url, outside.url];
    const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
    for await (const chunk of child.stdout) if (new TextDecoder().decode(chunk).includes("ready")) break;
    return child;
  };
  const workers = await Promise.all([1, 2, 3].map(begunWorker));
  const client = await postgresEngine(url, { interpret: async () => null });
  const ids = Array.from({ length: runs }, (_, index) => `run-${index}`);
  for (const runId of ids) {
    await client.start({ runId, graph: null, input: null });
    await client.signal(runId, "ask", `answer to ${runId}`);
  }
  const killed: Kill[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    // Each blow comes in the middle of an effect, and hits the worker that asked for it.
    const goal = Math.floor((kill * runs * keys.length) / (kills + 2));
    const worker = await outside.reached(goal, (pid) => workers.find((each) => each.pid === pid));
    if (kill === 2) proxy.lose("answer", /run set last_n/);
    if (kill === 3) proxy.lose("request", /run set last_n/);
    worker.kill("SIGKILL");
    killed.push({ pid: worker.pid, at: Date.now() });
    if (kill === 3 && server.crash !== undefined) {
      await server.crash();
      await server.restart?.();
    }
    if (random.chance(0.5)) proxy.cut();
    workers[workers.indexOf(worker)] = await begunWorker();
  }
  for (const runId of ids) {
    for (;;) {
      for await (const _entry of client.journal(runId, { follow: true })); // until it ends, or its owner has died
      if ((await client.status(runId)).kind === "done") break;
      await new Promise(setImmediate);
    }
  }
  for (const worker of workers) worker.kill("SIGKILL");

  // A service that knows a key does nothing a second time: so nothing is missing, and every effect happens once.
  const expected = ids.flatMap((runId) => keys.map((key) => `${runId}/${key}`)).sort();
  expect([...outside.asked.keys()].sort()).toEqual(expected);
  const takeovers: number[] = [];
  for (const runId of ids) {
    const entries = await Array.fromAsync(client.journal(runId));
    const events = entries.map(({ event }) => event);
    const finished = events.flatMap((event) => (event.type === "step-finished" ? event.key : []));
    expect({ runId, ends: events.filter(({ type }) => type === "run-ended").length }).toEqual({ runId, ends: 1 });
    expect({ runId, finished: finished.sort() }).toEqual({ runId, finished: [...keys].sort() });
    expect((await client.state(runId)).signals.get("ask")).toBe(`answer to ${runId}`);
    for (const key of keys) {
      const begun = events.filter((event) => event.type === "step-started" && event.key === key).length;
      // Nothing was asked for that had not been recorded before.
      expect({ runId, key, asked: outside.asked.get(`${runId}/${key}`) }).toSatisfy(({ asked = 0 }) => asked <= begun);
    }
    takeovers.push(...takeoversIn(entries, killed));
  }
  expect(takeovers).not.toEqual([]);
  const repeated = [...outside.asked.values()].reduce((sum, each) => sum + each - 1, 0);
  const sorted = takeovers.sort((a, b) => a - b).map((ms) => (ms / 1000).toFixed(1));
  console.log(
    `storm: ${runs} runs, ${expected.length} effects, ${repeated} asked for again, ${kills} kills, ${sorted.length} takeovers after ` +
      `${sorted[0]} to ${sorted.at(-1)} s, half of them within ${sorted[sorted.length >> 1]} s`,
  );
  await client.close();
});

interface Ledger extends AsyncDisposable {
  readonly url: string;
  /** How many times, by key. */
  readonly asked: ReadonlyMap<string, number>;
  /** The worker of the next request that has one, once there were so many requests. */
  reached<Worker>(requests: number, workerOf: (pid: number) => Worker | undefined): Promise<Worker>;
}

/** Something outside that takes requests with idempotency keys. */
function ledger(): Ledger {
  const asked = new Map<string, number>();
  let requests = 0;
  let look: (pid: number) => void = () => undefined;
  const service = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const key = await request.text();
      asked.set(key, (asked.get(key) ?? 0) + 1);
      requests += 1;
      look(Number(request.headers.get("x-worker")));
      await Bun.sleep(effectMs);
      return new Response(key);
    },
  });
  return {
    url: service.url.href,
    asked,
    reached: (least, workerOf) =>
      new Promise((resolve) => {
        look = (pid) => {
          const worker = requests < least ? undefined : workerOf(pid);
          if (worker !== undefined) resolve(worker);
        };
      }),
    [Symbol.asyncDispose]: async () => await service.stop(true),
  };
}

/** How long runs of a killed worker waited for their next owner. */
function takeoversIn(entries: readonly JournalEntry[], killed: readonly Kill[]): number[] {
  return killed.flatMap(({ pid, at }) => {
    const before = entries.findLast(({ event }) => event.at <= at && event.type === "run-claimed");
    if (before?.event.type !== "run-claimed" || before.event.owner.pid !== pid) return [];
    const next = entries.find(({ n, event }) => n > before.n && event.type === "run-claimed");
    return next === undefined ? [] : next.event.at - at;
  });
}
