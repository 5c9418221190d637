// kill -9, a full disk, … at every operation on the files of a run: the next process comes to the same end.
import { expect } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatReport, type SweepScenario, sweep, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { listOperations, runTraced } from "@atomic/testing/faults/run-traced";
import { seededRandom } from "@atomic/testing/simulation/random";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";

const isFull = process.env.SWEEP === "full";
const keys = ["run/asked", "run/fan.0/a", "run/fan.0/b", "run/fan.1/a", "run/fan.1/b", "run/long"];

function scenario(folder: string): SweepScenario & { command: string[] } {
  const place = join(folder, "place");
  const effects = join(folder, "effects");
  const command = [process.execPath, fileURLToPath(import.meta.resolve("./scenario/run-to-end.ts")), place, effects];
  return {
    under: place,
    command,
    prepare: () => {
      fs.rmSync(place, { recursive: true, force: true });
      fs.mkdirSync(place);
      fs.writeFileSync(effects, "");
    },
    recover: command,
    check: async () => await problemIn(place, effects),
  };
}

/** What is wrong after the last process has ended without a fault; undefined if nothing is. */
async function problemIn(place: string, effects: string): Promise<string | undefined> {
  const done = fs.readFileSync(effects, "utf8").split("\n").filter(Boolean).sort();
  if (done.join() !== keys.join()) return `the effects are ${done.join()}`;
  const engine = embeddedEngine(join(place, "runs"), { interpret: async () => null });
  const { status, calls } = await engine.state("run");
  if (status.kind !== "done") return `the run is ${status.kind}`;
  const unfinished = [...calls].filter(([, call]) => call.kind === "step" && call.phase.kind !== "finished");
  if (unfinished.length > 0) return `not finished: ${unfinished.map(([key]) => key).join()}`;
  const left = fs.readdirSync(join(place, "runs/run")).sort().join();
  return left === "blobs,inbox.jsonl,inbox.jsonl.lock,journal.jsonl,journal.jsonl.lock"
    ? undefined
    : `left behind: ${left}`;
}

faultTest(
  "after any fault at any operation the next process brings the run to its end, with every effect once",
  async () => {
    await using folder = await temporaryFolder();
    const report = await sweep({ ...scenario(folder.path), points: sweepPoints({ max: 2 }) });
    expect(report.failures, formatReport(report)).toEqual([]);
  },
  40 * 60_000,
);

faultTest(
  "killed three times in a row at any operations, it comes to the same end",
  async () => {
    await using folder = await temporaryFolder();
    const swept = scenario(folder.path);
    await swept.prepare();
    const operations = await listOperations(swept);
    const random = seededRandom(3);
    for (let triple = 0; triple < (isFull ? 500 : 5); triple++) {
      await swept.prepare();
      const points = Array.from({ length: 3 }, () => 1 + random.integer(operations.length));
      for (const at of points) await runTraced(swept, { kind: random.chance(0.5) ? "kill" : "kill-after", at });
      const last = await runTraced(swept);
      const problem =
        last.exitCode === 0 ? await problemIn(join(folder.path, "place"), join(folder.path, "effects")) : last.stderr;
      expect(problem, `killed at ${points.join(", ")} of ${operations.length}`).toBeUndefined();
    }
  },
  40 * 60_000,
);
