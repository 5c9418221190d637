// Three workers, many runs, workers killed again and again, the server crashed once, connections cut.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lossyProxy } from "@atomic/testing/lossy-proxy";
import { seededRandom } from "@atomic/testing/simulation/random";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { postgresEngine } from "../src/postgres-engine.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(600_000);

/** `npm run sweep` has the whole storm. */
const isFull = process.env.SWEEP === "full";
const [runs, kills] = isFull ? [300, 12] : [60, 4];
const keys = ["start", "fan.0/a", "fan.0/b", "fan.1/a", "fan.1/b", "end"];
const program = fileURLToPath(import.meta.resolve("./scenario/storm-worker.ts"));

test.skipIf(isSkipped)("in a storm every run ends once, and no effect is missing", async () => {
  await using server = await serverForTests();
  const url = await newSchema(server);
  await using proxy = await lossyProxy(url);
  await using folder = await temporaryFolder("storm-");
  const effects = join(folder.path, "effects");
  await writeFile(effects, "");
  const random = seededRandom(1);
  const begunWorker = async () => {
    const child = Bun.spawn([process.execPath, program, proxy.url, effects], { stdout: "pipe", stderr: "inherit" });
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
  const ended = async (): Promise<number> =>
    (await client.list()).filter(({ status }) => status.kind === "done" || status.kind === "failed").length;
  for (let kill = 1; kill <= kills; kill++) {
    // Each blow comes when some more runs have ended, or when nothing has moved for a while.
    const goal = Math.floor((kill * runs) / (kills + 2));
    for (let looks = 0; (await ended()) < goal && looks < 30; looks++) await client.stamp("run-0");
    const at = random.integer(3);
    workers[at]?.kill("SIGKILL");
    if (kill === 2) proxy.lose("answer", /run set last_n/);
    if (kill === 3 && server.crash !== undefined) {
      await server.crash();
      await server.restart?.();
    }
    if (random.chance(0.5)) proxy.cut();
    workers[at] = await begunWorker();
  }
  for (const runId of ids) {
    for (;;) {
      for await (const _entry of client.journal(runId, { follow: true })); // until it ends, or its owner has died
      if ((await client.status(runId)).kind === "done") break;
      await new Promise(setImmediate);
    }
  }
  for (const worker of workers) worker.kill("SIGKILL");
  const lines = (await readFile(effects, "utf8")).trimEnd().split("\n");
  const done = new Set(lines.flatMap((line) => (line.startsWith("end ") ? line.slice(4) : [])));
  expect(done.size).toBe(runs * keys.length);
  for (const runId of ids) {
    const types: string[] = [];
    const finished: string[] = [];
    for await (const { event } of client.journal(runId)) {
      types.push(event.type);
      if (event.type === "step-finished") finished.push(event.key);
    }
    expect({ runId, ends: types.filter((type) => type === "run-ended").length }).toEqual({ runId, ends: 1 });
    expect({ runId, finished: finished.sort() }).toEqual({ runId, finished: [...keys].sort() });
    expect((await client.state(runId)).signals.get("ask")).toBe(`answer to ${runId}`);
  }
  await client.close();
});
