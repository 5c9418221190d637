import { expect } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SweepReport, sweep } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { formatReport } from "@atomic/testing/faults/report";

const before = `{ "plugin": ["the state before, longer than the one after"] }\n`;
const after = `{ "plugin": [] }\n`;

async function sweepWriter(runtime: string, script: string): Promise<SweepReport> {
  const folder = await mkdtemp(join(tmpdir(), "sweep-"));
  const config = join(folder, "config.json");
  try {
    return await sweep({
      under: folder,
      command: [runtime, join(import.meta.dirname, "fixtures/faults", script), folder, after],
      prepare: async () => {
        await rm(`${config}.tmp`, { force: true });
        await writeFile(config, before);
      },
      check: async ({ outcome }) => {
        const now = await readFile(config, "utf8");
        if (now !== before && now !== after) return `the config is ${JSON.stringify(now)}`;
        return outcome.exitCode === 0 && now !== after ? "success was reported without a write" : undefined;
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const runtime of [process.execPath, "node"]) {
  const name = runtime === "node" ? "Node" : "Bun";

  faultTest(`a naive writer on ${name} is caught`, async () => {
    const report = await sweepWriter(runtime, "naive.mjs");
    expect(report.failures).not.toEqual([]);
  });

  faultTest(`a careful writer on ${name} passes at every point`, async () => {
    const report = await sweepWriter(runtime, "careful.mjs");
    expect(report.failures, formatReport(report)).toEqual([]);
    expect(report.notReached).toEqual([]);
  });
}
