import { expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatReport, sweep, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

setDefaultTimeout(120_000);

const script = fileURLToPath(import.meta.resolve("./init-scenario.ts"));

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

faultTest("an interrupted init can simply be run again", async () => {
  await using folder = await temporaryFolder();
  const cwd = join(folder.path, "project");
  const command = [process.execPath, script, cwd];
  const report = await sweep({
    under: cwd,
    command,
    prepare: () => {
      rmSync(cwd, { recursive: true, force: true });
      mkdirSync(cwd);
    },
    recover: command,
    check: () => {
      const found = filesIn(join(cwd, "tests"));
      const isWhole = found.length === 8 && found.includes("agents/tests-guide.md") && found.includes("package.json");
      return isWhole ? undefined : `the folder has ${found.join(", ")}`;
    },
    points: sweepPoints(),
  });
  expect(report.failures, formatReport(report)).toEqual([]);
});
