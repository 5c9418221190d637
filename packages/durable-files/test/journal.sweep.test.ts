import { afterAll, expect } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { readJournal } from "@atomic/durable-files/journal/read-journal";
import { formatReport, type SweepScenario, sweepInParallel, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { listOperations } from "@atomic/testing/faults/run-traced";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { encodeLine, start } from "../src/journal/line.ts";
import { bundleScenarios, type Runtime, runtimes, sampledRuntimes } from "./scenario/runtimes.ts";

const scenarios = await bundleScenarios("append-events");
afterAll(() => scenarios[Symbol.asyncDispose]());

function appendTwice(runtime: Runtime, folder: string, firstTimes: string): SweepScenario {
  const path = join(folder, "run.jsonl");
  return {
    under: folder,
    command: scenarios.run(runtime, "append-events", path),
    env: runtime.env,
    prepare: () => {
      fs.rmSync(folder, { recursive: true, force: true });
      fs.mkdirSync(folder, { recursive: true });
      if (firstTimes !== "") fs.writeFileSync(path, firstTimes);
    },
    // The next writer comes along and adds a record of its own.
    recover: async () => {
      await using journal = await openJournal(path);
      await journal.append({ type: "next" });
    },
    check: ({ outcome }) => {
      const { records, torn } = readJournal(path);
      if (torn !== undefined) return "the next writer left a torn tail";
      const steps = records.slice(firstTimes === "" ? 0 : 1, -1).map(({ event }) => (event as { step: number }).step);
      if (steps.some((step, index) => step !== index + 1)) return `the records are ${JSON.stringify(steps)}`;
      const acknowledged = outcome.stdout.trim().split("\n").filter(Boolean).length;
      if (acknowledged > steps.length) return `${acknowledged} records were acknowledged, ${steps.length} are on disk`;
      return fs.readdirSync(folder).length === 2 ? undefined : `left behind: ${fs.readdirSync(folder).join()}`;
    },
  };
}

const swept = [
  { what: "a new journal", content: "", on: runtimes },
  {
    what: "a journal with a torn tail",
    content: `${encodeLine(start, {}).line}{"n":2,"sum":"00`,
    on: sampledRuntimes,
  },
];

for (const { what, content, on } of swept) {
  for (const runtime of on) {
    faultTest(
      `after any fault at any append to ${what} on ${runtime.name}, each record is there or not, and acknowledged ones are`,
      async () => {
        await using folder = await temporaryFolder();
        const scenarioIn = (name: string): SweepScenario => appendTwice(runtime, join(folder.path, name), content);
        const report = await sweepInParallel([scenarioIn("a"), scenarioIn("b")], { points: sweepPoints({ max: 1 }) });
        expect(report.failures, formatReport(report)).toEqual([]);
        expect(report.notReached).toEqual([]);
      },
      20 * 60_000,
    );
  }
}

for (const runtime of runtimes) {
  faultTest(`appends of one turn on ${runtime.name} share one write and one fsync`, async () => {
    await using folder = await temporaryFolder();
    const scenario = appendTwice(runtime, folder.path, "");
    const operations = await listOperations(scenario);
    const onJournal = operations.filter(({ path }) => path.endsWith("run.jsonl")).map(({ call }) => call);
    expect(onJournal.slice(1)).toEqual(["write", "fsync", "write", "fsync", "write", "fsync"]);
  });
}
